//! One strip of tokens: pieces of slots in a row. What is too dense to be told apart is merged,
//! and drawn as merged: its share of padding as density.

use super::ruler::Scale;
use super::{Area, MARKS, Mark, Scene, Window};
use crate::offsets::Slot;
use crate::scene::Frame;

/// A piece of a slot in a strip. Units: tokens of the strip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub start: i64,
    pub length: i64,
    /// Real tokens at the front of the piece.
    pub valid: i64,
    pub slot: usize,
}

impl Piece {
    pub fn end(&self) -> i64 {
        self.start + self.length
    }
}

/// Draws pieces one by one.
pub(super) fn draw_pieces(
    scene: &mut Scene,
    frame: &Frame,
    scale: &Scale,
    y: f64,
    height: f64,
    pieces: impl Iterator<Item = Piece>,
) {
    for piece in pieces {
        let strength = strength(frame, piece.slot);
        let hue = frame.theme.sequence(piece.slot).faint(strength);
        let border = piece.start as f64 + piece.valid as f64;
        if let Some((a, b)) = scale.clip(piece.start as f64, border) {
            scene.fill(Area { x: a, y, width: b - a, height }, hue);
        }
        if let Some((a, b)) = scale.clip(border, piece.end() as f64) {
            let area = Area { x: a, y, width: b - a, height };
            scene.fill(area, hue.faint(frame.theme.padding));
            if area.width >= 3.0 {
                scene.marks.push(Mark::Hatch(area, hue.faint(frame.theme.hatch)));
            }
        }
    }
}

/// Everything but what is lit is drawn at this strength.
pub(super) fn strength(frame: &Frame, slot: usize) -> f64 {
    match frame.lit.slot {
        Some(lit) if lit != slot => 0.35,
        _ => 1.0,
    }
}

/// A strip whose pieces are too many to be drawn one by one.
pub(super) struct Merged<'a> {
    pub y: f64,
    pub height: f64,
    /// Tokens of the strip.
    pub end: i64,
    /// The borders of its bins, from `bins`.
    pub borders: &'a [i64],
    /// How many real tokens lie before each border.
    pub valid: &'a [i64],
    /// A sequence at a place, for a bin's colour; none to leave it grey.
    pub slot_at: &'a dyn Fn(i64) -> Option<usize>,
}

/// The borders of as many bins of what is seen of a strip, tokens of the strip.
pub(super) fn bins(scale: &Scale, end: i64, count: usize) -> Vec<i64> {
    let (left, right) = scale.clip(0.0, end as f64).unwrap_or_default();
    let step = (right - left) / count.max(1) as f64;
    let border = |bin: usize| scale.token(left + bin as f64 * step).round() as i64;
    (0..=count).map(|bin| border(bin).clamp(0, end)).collect()
}

/// How many real tokens of a stream lie before a token.
pub(super) fn valid_until(slots: &[Slot]) -> impl Fn(i64) -> i64 {
    let valid = |slot: &Slot| slot.valid.clamp(0, slot.length);
    let mut before = vec![0; slots.len() + 1];
    for (i, slot) in slots.iter().enumerate() {
        before[i + 1] = before[i] + valid(slot);
    }
    move |token| {
        let at = slots.partition_point(|slot| slot.end() <= token);
        before[at] + slots.get(at).map_or(0, |slot| (token - slot.start).clamp(0, valid(slot)))
    }
}

/// Draws the bins of a merged strip: what is padding in a bin is drawn as that share of it.
pub(super) fn draw_merged(scene: &mut Scene, frame: &Frame, scale: &Scale, strip: &Merged) {
    let Merged { y, height, end, borders, valid, slot_at } = *strip;
    let Some((left, right)) = scale.clip(0.0, end as f64) else { return };
    let faint = if frame.lit.slot.is_some() { 0.35 } else { 1.0 };
    scene.fill(Area { x: left, y, width: right - left, height }, frame.theme.merged.faint(faint));
    let bins = borders.len() - 1;
    let width = (right - left) / bins as f64;
    let area = |bin: usize, height| Area { x: left + bin as f64 * width, y, width, height };
    // A bin wears the colour of a sequence in it, so that zooming in keeps what was seen.
    for bin in 0..bins {
        if let Some(slot) = slot_at((borders[bin] + borders[bin + 1]) / 2) {
            let paint = frame.theme.sequence(slot).faint(0.6 * strength(frame, slot));
            scene.fill(area(bin, height), paint);
        }
    }
    // All padding after all colours: a canvas changes its colour at a price.
    for bin in 0..bins {
        let tokens = (borders[bin + 1] - borders[bin]).max(1);
        let padding = tokens - (valid[bin + 1] - valid[bin]).clamp(0, tokens);
        let share = padding as f64 / tokens as f64;
        if share > 0.005 {
            scene.fill(area(bin, height * share), frame.theme.background.faint(0.72));
        }
    }
}

/// The height of a strip drawn whole and in small.
pub(super) const OVERVIEW: f64 = 7.0;

/// A strip of `length` tokens in small, with the window of what is seen of it; nothing where all is
/// seen. The slots are coloured where they are few.
pub(super) fn draw_overview(
    scene: &mut Scene,
    frame: &Frame,
    area: Area,
    slots: &[Slot],
    length: f64,
) {
    let (theme, Window { from, to }) = (frame.theme, frame.window);
    if frame.window.is_whole() {
        return;
    }
    let Area { x, y, width, height } = area;
    scene.fill(area, theme.tail.faint(0.22));
    if slots.len() <= MARKS / 16 {
        let whole = Scale { from: 0.0, span: length, left: x, width };
        for slot in slots {
            if let Some((a, b)) = whole.clip(slot.start as f64, slot.end() as f64) {
                let paint = theme.sequence(slot.index).faint(0.55);
                scene.fill(Area { x: a, width: b - a, ..area }, paint);
            }
        }
    } else {
        scene.fill(area, theme.merged.faint(0.4));
    }
    let seen = Area {
        x: x + from * width,
        y: y - 1.0,
        width: ((to - from) * width).max(3.0),
        height: height + 2.0,
    };
    scene.marks.push(Mark::Outline { area: seen, paint: theme.text, width: 1.5 });
}

/// Whether a height is on an overview that is drawn.
pub(super) fn on_overview(frame: &Frame, area: Area, y: f64) -> bool {
    !frame.window.is_whole() && y >= area.y - 2.0
}
