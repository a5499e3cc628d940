//! The axes: rank = Σ coordinate × stride, from the slowest axis to the fastest.

use super::ruler::thousands;
use super::{Anchor, Area, Frame, Mark, Scene, Target};
use crate::analysis::Analysis;
use crate::topology::{AxisSize, Topology};

const ROW: f64 = 34.0;
const NAMES: f64 = 84.0;
const SUMS: f64 = 150.0;
/// Coordinates drawn one by one on an axis.
const CELLS: usize = 64;

/// The axes of more than one rank, slowest first.
fn rows(topology: &Topology) -> Vec<AxisSize> {
    topology.dense().axes().iter().rev().copied().filter(|here| here.size > 1).collect()
}

fn cell_width(frame: &Frame, size: usize) -> f64 {
    let room = (frame.width - NAMES - SUMS).max(60.0);
    (room / size.min(CELLS) as f64).min(44.0)
}

fn selected(analysis: &Analysis, frame: &Frame, topology: &Topology) -> usize {
    let rank = frame.lit.rank.or(usize::try_from(analysis.scenario.rank).ok()).unwrap_or(0);
    rank.min(topology.world() - 1)
}

pub(super) fn scene(analysis: &Analysis, frame: &Frame) -> Scene {
    let theme = frame.theme;
    let Ok(topology) = &analysis.topology else {
        let mut scene = Scene::new(frame.width, 40.0, theme);
        let area = Area { x: 0.0, y: 0.0, width: frame.width, height: 36.0 };
        scene.label(area, 12.0, theme.muted, "these sizes are refused");
        return scene;
    };
    let rows = rows(topology);
    let rank = selected(analysis, frame, topology);
    let mut scene = Scene::new(frame.width, ROW * rows.len().max(1) as f64 + 26.0, theme);
    if rows.is_empty() {
        scene.text(0.0, 16.0, 12.0, Anchor::Start, theme.muted, "one rank: there are no axes");
        return scene;
    }
    let mut line = Vec::new();
    for (row, here) in rows.iter().enumerate() {
        let y = row as f64 * ROW;
        let coordinate = rank / here.stride % here.size;
        let middle = y + ROW / 2.0 - 3.0;
        scene.text(
            0.0,
            middle,
            12.0,
            Anchor::Start,
            theme.text,
            format!("{} of {}", here.axis.name(), here.size),
        );
        let width = cell_width(frame, here.size);
        for cell in 0..here.size.min(CELLS) {
            // Of a longer axis the last cell stands for the rest.
            let here_it_is = cell == coordinate || cell == CELLS - 1 && coordinate >= CELLS;
            let area = Area {
                x: NAMES + cell as f64 * width,
                y: y + 2.0,
                width: width - 1.5,
                height: ROW - 10.0,
            };
            let paint = theme.sequence(row).faint(if here_it_is { 1.0 } else { 0.3 });
            scene.fill(area, paint);
            let text = if cell == CELLS - 1 && here.size > CELLS {
                "…".to_owned()
            } else {
                cell.to_string()
            };
            scene.label(area, 11.0, if here_it_is { theme.ink } else { theme.text }, &text);
            if here_it_is {
                scene.marks.push(Mark::Outline { area, paint: theme.text, width: 1.5 });
                line.push((area.x + area.width / 2.0, area.y, area.bottom()));
            }
        }
        let product = format!(
            "{coordinate} × {} = {}",
            thousands(here.stride as i64),
            thousands((coordinate * here.stride) as i64)
        );
        scene.text(frame.width, middle, 12.0, Anchor::End, theme.text, product);
    }
    for pair in line.windows(2) {
        let (from, to) = ((pair[0].0, pair[0].2), (pair[1].0, pair[1].1));
        scene.marks.push(Mark::Line { from, to, paint: theme.accent, width: 1.5 });
    }
    let y = ROW * rows.len() as f64 + 10.0;
    scene.text(
        frame.width,
        y,
        12.0,
        Anchor::End,
        theme.accent,
        format!("rank {}", thousands(rank as i64)),
    );
    scene
}

/// The rank that differs from the selected one in the coordinate under the pointer.
pub(super) fn hit(analysis: &Analysis, frame: &Frame, x: f64, y: f64) -> Option<Target> {
    let topology = analysis.topology.as_ref().ok()?;
    let rows = rows(topology);
    let here = rows.get((y / ROW) as usize).filter(|_| y >= 0.0)?;
    let cell = ((x - NAMES) / cell_width(frame, here.size)).floor();
    if cell < 0.0 || cell >= here.size.min(CELLS) as f64 {
        return None;
    }
    let rank = usize::try_from(analysis.scenario.rank).ok()?.min(topology.world() - 1);
    let coordinate = rank / here.stride % here.size;
    Some(Target::Rank(rank + (cell as usize) * here.stride - coordinate * here.stride))
}
