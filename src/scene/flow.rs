//! The flow: from the stream to the lanes. Ribbons join each chunk to where it lies on its rank.

use super::strip::{Piece, draw_pieces};
use super::theme::Paint;
use super::{Anchor, Area, Frame, MARKS, Mark, Scene, Target, lanes, ruler::Scale};
use crate::analysis::Analysis;
use crate::partition::Cut;

const STRIP: f64 = 26.0;
const GAP: f64 = 96.0;
/// Chunks that are joined; of more, only those of what is lit.
const RIBBONS: usize = 160;

struct Layout<'a> {
    cut: &'a Cut,
    stream: Scale,
    local: Scale,
    lanes: i64,
    lane: f64,
}

impl Layout<'_> {
    fn lane_y(&self, rank: i64) -> f64 {
        STRIP + GAP + rank as f64 * (self.lane + 3.0)
    }
}

fn layout<'a>(analysis: &'a Analysis, frame: &Frame) -> Option<Layout<'a>> {
    let cut = analysis.cut.as_ref().ok().filter(|cut| cut.total() > 0 && cut.cp() <= 32)?;
    let (left, width) = (lanes::NAMES, frame.width - lanes::NAMES);
    let lane = if cut.cp() > 8 { 12.0 } else { 22.0 };
    Some(Layout {
        cut,
        stream: Scale { from: 0.0, span: cut.total() as f64, left, width },
        local: Scale { from: 0.0, span: cut.local_tokens() as f64, left, width },
        lanes: cut.cp(),
        lane,
    })
}

pub(super) fn scene(analysis: &Analysis, frame: &Frame) -> Scene {
    let theme = frame.theme;
    let Some(layout) = layout(analysis, frame) else {
        let mut scene = Scene::new(frame.width, 60.0, theme);
        let area = Area { x: 0.0, y: 6.0, width: frame.width, height: 48.0 };
        scene.marks.push(Mark::Outline { area, paint: theme.line, width: 1.0 });
        scene.label(area, 12.0, theme.muted, "there is no cut over up to 32 CP ranks to follow");
        return scene;
    };
    let mut scene = Scene::new(frame.width, layout.lane_y(layout.lanes) + 4.0, theme);
    let cut = layout.cut;
    let many = cut.slots().len() as i64 * cut.chunks() > RIBBONS as i64;
    let named = |scene: &mut Scene, y: f64, text: String| {
        scene.text(layout.stream.left - 8.0, y, 11.0, Anchor::End, theme.muted, text);
    };
    named(&mut scene, STRIP / 2.0, "stream".to_owned());
    let chosen = frame.lit.slot;
    let mut drawn = 0;
    for rank in 0..layout.lanes {
        named(&mut scene, layout.lane_y(rank) + layout.lane / 2.0, format!("cp {rank}"));
        let mut local = 0;
        for segment in cut.segments(rank) {
            let slot = cut.slot_at(segment.start);
            let index = slot.map_or(usize::MAX, |slot| slot.index);
            let lit = chosen.is_none_or(|chosen| chosen == index);
            if (lit && chosen.is_some() || !many) && drawn < MARKS / 2 {
                let hue = if index == usize::MAX { theme.tail } else { theme.sequence(index) };
                let strength = if chosen.is_some() && lit {
                    0.75
                } else if lit {
                    0.45
                } else {
                    0.12
                };
                let from = (segment.start, segment.start + segment.length);
                ribbon(
                    &mut scene,
                    &layout,
                    from,
                    (local, local + segment.length),
                    rank,
                    hue.faint(strength),
                );
                drawn += 1;
            }
            local += segment.length;
        }
    }
    strips(&mut scene, frame, &layout);
    if many && chosen.is_none() {
        let text = "point at a sequence to see its path";
        scene.text(frame.width / 2.0, STRIP + GAP / 2.0, 11.0, Anchor::Middle, theme.muted, text);
    }
    token_path(&mut scene, frame, &layout);
    scene
}

/// The stream above and the lanes below, slot by slot where they are few.
fn strips(scene: &mut Scene, frame: &Frame, layout: &Layout) {
    let cut = layout.cut;
    if cut.slots().len() > MARKS / 16 {
        let height = layout.lane_y(layout.lanes) - 3.0 - layout.lane_y(0);
        let (x, width) = (layout.stream.left, layout.stream.width);
        scene.fill(Area { x, y: 0.0, width, height: STRIP }, frame.theme.merged.faint(0.6));
        scene.fill(Area { x, y: layout.lane_y(0), width, height }, frame.theme.merged.faint(0.6));
        return;
    }
    let pieces = cut.slots().iter().map(|slot| Piece {
        start: slot.start,
        length: slot.length,
        valid: slot.valid.clamp(0, slot.length),
        slot: slot.index,
    });
    draw_pieces(scene, frame, &layout.stream, 0.0, STRIP, pieces);
    let most = MARKS / 4 / layout.lanes as usize;
    for rank in 0..layout.lanes {
        let pieces = lanes::pieces(cut, rank, &layout.local);
        draw_pieces(
            scene,
            frame,
            &layout.local,
            layout.lane_y(rank),
            layout.lane,
            pieces.into_iter().take(most),
        );
    }
}

/// A band from a run of the stream to a run of a lane.
fn ribbon(
    scene: &mut Scene,
    layout: &Layout,
    from: (i64, i64),
    to: (i64, i64),
    rank: i64,
    paint: Paint,
) {
    let (top, bottom) = (STRIP, layout.lane_y(rank));
    let (a, b) = (layout.stream.x(from.0 as f64), layout.stream.x(from.1 as f64));
    let (c, d) = (layout.local.x(to.0 as f64), layout.local.x(to.1 as f64));
    // Both sides follow one eased curve, so that ribbons leave and arrive upright.
    let side = |x0: f64, x1: f64| {
        (0..=12).map(move |i| {
            let t = f64::from(i) / 12.0;
            let eased = t * t * (3.0 - 2.0 * t);
            (x0 + (x1 - x0) * eased, top + (bottom - top) * t)
        })
    };
    let mut points: Vec<(f64, f64)> = side(a, c).collect();
    points.extend(side(b, d).collect::<Vec<_>>().into_iter().rev());
    scene.marks.push(Mark::Polygon(points, paint));
}

/// One token's way, as a line.
fn token_path(scene: &mut Scene, frame: &Frame, layout: &Layout) {
    let Some(token) = frame.lit.token else { return };
    let Some(place) = layout.cut.locate(token) else { return };
    let paint = frame.theme.accent;
    let (x0, x1) =
        (layout.stream.x(token as f64 + 0.5), layout.local.x(place.local_index as f64 + 0.5));
    let y = layout.lane_y(place.cp_rank);
    scene.vertical(x0, 0.0, STRIP, paint, 2.0);
    scene.marks.push(Mark::Line { from: (x0, STRIP), to: (x1, y), paint, width: 2.0 });
    scene.vertical(x1, y, layout.lane, paint, 2.0);
}

pub(super) fn hit(analysis: &Analysis, frame: &Frame, x: f64, y: f64) -> Option<Target> {
    let layout = layout(analysis, frame)?;
    if x < layout.stream.left {
        return None;
    }
    if y < STRIP {
        let token = layout.stream.token(x).floor() as i64;
        return (0..layout.cut.total()).contains(&token).then_some(Target::Token(token));
    }
    let lane = ((y - STRIP - GAP) / (layout.lane + 3.0)).floor();
    if lane < 0.0 || lane >= layout.lanes as f64 {
        return None;
    }
    layout.cut.token_at(lane as i64, layout.local.token(x).floor() as i64).map(Target::Token)
}
