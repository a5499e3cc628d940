//! The ring: what each CP rank computes in each step of p2p attention.

use super::ruler::thousands;
use super::{Anchor, Area, Frame, Mark, Scene, Target};
use crate::analysis::Analysis;

const NAMES: f64 = 52.0;
const TOP: f64 = 22.0;
/// Ranks whose ring is drawn; a larger one is no picture any more.
const RANKS: i64 = 32;

/// What a step is: which queries meet which keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Both chunks on both own chunks, causal.
    Diagonal,
    /// All local queries on the first half of the keys that came.
    Lower,
    /// The second half of the queries on all keys that came.
    Upper,
}

/// What CP rank `rank` does in step `step`, and whose keys it holds then.
///
/// Source: Transformer Engine `context_parallel.AttnFuncWithCPAndKVP2P`, causal.
///
/// ```
/// use packscope::scene::ring::{Section, section};
/// assert_eq!(section(1, 2, 4), (Section::Upper, 3));
/// ```
pub fn section(rank: i64, step: i64, cp: i64) -> (Section, i64) {
    let owner = (rank - step).rem_euclid(cp.max(1));
    let section = match step {
        0 => Section::Diagonal,
        step if step <= rank => Section::Lower,
        _ => Section::Upper,
    };
    (section, owner)
}

fn cell(frame: &Frame, cp: i64) -> (f64, f64) {
    let width = ((frame.width - NAMES) / cp as f64).min(120.0);
    (width, if cp <= 8 { 40.0 } else { 22.0 })
}

pub(super) fn scene(analysis: &Analysis, frame: &Frame) -> Scene {
    let (theme, cp) = (frame.theme, analysis.cp_size);
    if !(2..=RANKS).contains(&cp) {
        let mut scene = Scene::new(frame.width, 60.0, theme);
        let area = Area { x: 0.0, y: 6.0, width: frame.width, height: 48.0 };
        scene.marks.push(Mark::Outline { area, paint: theme.line, width: 1.0 });
        let why = if cp < 2 {
            "one CP rank: there is no ring"
        } else {
            "a ring of more than 32 ranks is not drawn"
        };
        scene.label(area, 12.0, theme.muted, why);
        return scene;
    }
    let (width, height) = cell(frame, cp);
    let mut scene = Scene::new(frame.width, TOP + height * cp as f64 + 4.0, theme);
    for step in 0..cp {
        let x = NAMES + width * (step as f64 + 0.5);
        let text = if width > 48.0 { format!("step {step}") } else { step.to_string() };
        scene.text(x, 10.0, 10.0, Anchor::Middle, theme.muted, text);
    }
    for rank in 0..cp {
        let y = TOP + height * rank as f64;
        scene.text(
            NAMES - 8.0,
            y + height / 2.0,
            11.0,
            Anchor::End,
            theme.muted,
            format!("cp {rank}"),
        );
        for step in 0..cp {
            let (section, owner) = section(rank, step, cp);
            let x = NAMES + width * step as f64;
            let area = Area { x: x + 1.0, y: y + 1.0, width: width - 2.0, height: height - 2.0 };
            let lit = frame.lit.cp_rank.is_none_or(|lit| lit == rank);
            let paint = theme.group(owner as usize).faint(if lit { 1.0 } else { 0.35 });
            scene.fill(area, paint.faint(0.35));
            tile(&mut scene, section, area, paint);
            scene.label(area, 10.0, theme.text, &format!("kv {owner}"));
        }
    }
    scene
}

/// The share of the tile that is computed: queries down, keys across.
fn tile(scene: &mut Scene, section: Section, area: Area, paint: super::theme::Paint) {
    let Area { x, y, width, height } = area;
    match section {
        Section::Diagonal => {
            let corners = vec![(x, y), (x + width, y + height), (x, y + height)];
            scene.marks.push(Mark::Polygon(corners, paint));
        }
        Section::Lower => scene.fill(Area { width: width / 2.0, ..area }, paint),
        Section::Upper => {
            scene.fill(Area { y: y + height / 2.0, height: height / 2.0, ..area }, paint)
        }
    }
}

pub(super) fn hit(analysis: &Analysis, frame: &Frame, x: f64, y: f64) -> Option<Target> {
    let cp = analysis.cp_size;
    if !(2..=RANKS).contains(&cp) || x < NAMES || y < TOP {
        return None;
    }
    let (width, height) = cell(frame, cp);
    let (step, cp_rank) = (((x - NAMES) / width) as i64, ((y - TOP) / height) as i64);
    (step < cp && cp_rank < cp).then_some(Target::Step { cp_rank, step })
}

/// A step in words. Units: tokens per sequence of `length`.
pub(crate) fn sentence(cp_rank: i64, step: i64, cp: i64) -> String {
    let (section, owner) = section(cp_rank, step, cp);
    let what = match section {
        Section::Diagonal => "its own keys, causal: both chunks on both chunks",
        Section::Lower => "all of its queries on the first half of the keys",
        Section::Upper => "the second half of its queries on all of the keys",
    };
    format!(
        "step {} of {}: CP rank {cp_rank} holds the keys of CP rank {owner}; {what}",
        thousands(step),
        thousands(cp)
    )
}
