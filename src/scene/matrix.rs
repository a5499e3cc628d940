//! The matrix: which query sees which key. Causal, inside a sequence, real tokens only.

use super::pack::scale;
use super::ruler::Scale;
use super::{Anchor, Area, Frame, MARKS, Mark, Scene, Target, text_width};
use crate::analysis::Analysis;
use crate::offsets::Slot;
use crate::partition::Cut;

/// The side of the matrix: as wide as there is room, but never taller than a screen.
fn side(frame: &Frame) -> f64 {
    frame.width.min(520.0)
}

fn square_scale(analysis: &Analysis, frame: &Frame) -> Scale {
    scale(analysis, &Frame { width: side(frame), ..*frame })
}

pub(super) fn scene(analysis: &Analysis, frame: &Frame) -> Scene {
    let theme = frame.theme;
    let side = side(frame);
    let mut scene = Scene::new(frame.width, side + 4.0, theme);
    let area = Area { x: 0.0, y: 0.0, width: side, height: side };
    scene.marks.push(Mark::Outline { area, paint: theme.line, width: 1.0 });
    let Some(slots) = analysis.usable_slots() else {
        scene.label(area, 12.0, theme.muted, "no slots");
        return scene;
    };
    let scale = square_scale(analysis, frame);
    let visible: Vec<&Slot> = slots
        .iter()
        .filter(|slot| {
            slot.valid > 0 && (slot.end() as f64) > scale.from && (slot.start as f64) < scale.to()
        })
        .collect();
    let cut = analysis.cut.as_ref().ok();
    let bands = cut.map_or(1, |cut| cut.chunks() as usize);
    let by_chunk = visible.len() * bands <= MARKS;
    for slot in visible.iter().take(MARKS) {
        let valid = slot.valid.min(slot.length);
        match cut.filter(|_| by_chunk) {
            Some(cut) => by_rank(&mut scene, frame, &scale, cut, slot, valid),
            None => {
                trapezoid(&mut scene, frame, &scale, slot, 0, valid, theme.sequence(slot.index))
            }
        }
    }
    if visible.len() > MARKS {
        scene.label(area, 12.0, theme.text, "more sequences than can be told apart: zoom in");
    }
    scene
}

/// The queries of a slot in runs of one CP rank.
fn by_rank(scene: &mut Scene, frame: &Frame, scale: &Scale, cut: &Cut, slot: &Slot, valid: i64) {
    let mut position = 0;
    while position < valid {
        let Some(place) = cut.locate(slot.start + position) else { return };
        let piece = match cut.mode() {
            crate::scenario::PartitionMode::PerDocument => (slot.start, slot.length),
            _ => (0, cut.total()),
        };
        let size = (piece.1 / place.chunks).max(1);
        let end = (piece.0 + (place.chunk + 1) * size - slot.start).clamp(position + 1, valid);
        let lit = frame.lit.cp_rank.is_none_or(|lit| lit == place.cp_rank);
        let paint = frame.theme.group(place.cp_rank as usize).faint(if lit { 1.0 } else { 0.25 });
        trapezoid(scene, frame, scale, slot, position, end, paint);
        if cut.cp() > 1 {
            name(scene, frame, scale, slot, (position, end), place.cp_rank);
        }
        position = end;
    }
}

/// The rank of a run of queries, where it has room beside what they see: nothing is drawn there.
fn name(
    scene: &mut Scene,
    frame: &Frame,
    scale: &Scale,
    slot: &Slot,
    queries: (i64, i64),
    rank: i64,
) {
    let (side, (left, top, bottom)) = (side(frame), rows(frame, scale, slot, queries));
    let text = format!("cp {rank}");
    let room = text_width(&text, 10.0) + 6.0;
    let (x, anchor) = if bottom + room <= side {
        (bottom + 4.0, Anchor::Start)
    } else if room <= left {
        (left - 4.0, Anchor::End)
    } else {
        return;
    };
    if bottom - top >= 11.0 {
        scene.text(x, (top + bottom) / 2.0, 10.0, anchor, frame.theme.muted, text);
    }
}

/// The left side, the top and the bottom of the queries `[from, to)` of a slot, as far as seen.
fn rows(frame: &Frame, scale: &Scale, slot: &Slot, (from, to): (i64, i64)) -> (f64, f64, f64) {
    let side = side(frame);
    let at = |token: i64| scale.x(token as f64).clamp(0.0, side);
    (at(slot.start), at(slot.start + from), at(slot.start + to))
}

/// Queries `[from, to)` of a slot over the keys that they see.
fn trapezoid(
    scene: &mut Scene,
    frame: &Frame,
    scale: &Scale,
    slot: &Slot,
    from: i64,
    to: i64,
    paint: super::theme::Paint,
) {
    let (left, top, bottom) = rows(frame, scale, slot, (from, to));
    if bottom > top {
        let points = vec![(left, top), (top, top), (bottom, bottom), (left, bottom)];
        scene.marks.push(Mark::Polygon(points, paint));
    }
}

pub(super) fn hit(analysis: &Analysis, frame: &Frame, x: f64, y: f64) -> Option<Target> {
    let side = side(frame);
    let inside = Area { x: 0.0, y: 0.0, width: side, height: side }.holds(x, y);
    let query = square_scale(analysis, frame).token(y).floor() as i64;
    (inside && (0..analysis.total_tokens).contains(&query)).then_some(Target::Token(query))
}
