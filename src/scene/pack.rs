//! The pack: the stream from its first token to T.

use super::ruler::{self, Scale, thousands};
use super::strip::{
    Merged, OVERVIEW, Piece, bins, draw_merged, draw_overview, draw_pieces, on_overview,
    valid_until,
};
use super::{Anchor, Area, Frame, MARKS, Mark, Scene, Target};
use crate::analysis::Analysis;
use crate::offsets::{Slot, slot_at};
use crate::scenario::PartitionMode;

const TOP: f64 = ruler::HEIGHT;
const STRIP: f64 = 54.0;
const OWNERS: f64 = 18.0;
const OVERVIEW_TOP: f64 = TOP + STRIP + OWNERS + 3.0;
const HEIGHT: f64 = OVERVIEW_TOP + OVERVIEW + 2.0;

/// The stream's scale: everything up to T, or to the end of the slots where that lies further.
pub(super) fn scale(analysis: &Analysis, frame: &Frame) -> Scale {
    let length = stream_length(analysis);
    let span = (frame.window.to - frame.window.from).max(1e-9) * length;
    Scale { from: frame.window.from * length, span, left: 0.0, width: frame.width }
}

pub(super) fn stream_length(analysis: &Analysis) -> f64 {
    let end = analysis.usable_slots().and_then(<[Slot]>::last).map_or(0, Slot::end);
    analysis.total_tokens.max(end).max(1) as f64
}

/// Slots that touch what is seen.
fn seen<'a>(slots: &'a [Slot], scale: &Scale) -> &'a [Slot] {
    let first = slots.partition_point(|slot| (slot.end() as f64) < scale.from);
    let last = slots.partition_point(|slot| (slot.start as f64) < scale.to());
    &slots[first.min(last)..last]
}

pub(super) fn scene(analysis: &Analysis, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, HEIGHT, frame.theme);
    let theme = frame.theme;
    let scale = scale(analysis, frame);
    ruler::draw(&mut scene, theme, &scale, 0.0);
    let Some(slots) = analysis.usable_slots() else {
        let area = Area { x: 0.0, y: TOP, width: frame.width, height: STRIP };
        scene.marks.push(Mark::Outline { area, paint: theme.line, width: 1.0 });
        scene.label(area, 12.0, theme.muted, "the offsets do not give slots: see the findings");
        return scene;
    };
    let visible = seen(slots, &scale);
    if visible.len() <= MARKS / 8 {
        let pieces = visible.iter().map(|slot| Piece {
            start: slot.start,
            length: slot.length,
            valid: slot.valid.clamp(0, slot.length),
            slot: slot.index,
        });
        draw_pieces(&mut scene, frame, &scale, TOP, STRIP, pieces);
        borders(&mut scene, frame, &scale, visible);
        owners(&mut scene, analysis, frame, &scale, visible);
        labels(&mut scene, frame, &scale, visible);
    } else {
        let end = slots.last().map_or(0, Slot::end);
        let borders = bins(&scale, end, ((frame.width / 2.0) as usize).min(MARKS / 4));
        let valid: Vec<i64> = borders.iter().copied().map(valid_until(slots)).collect();
        let strip = Merged {
            y: TOP,
            height: STRIP,
            end,
            borders: &borders,
            valid: &valid,
            slot_at: &|token| slot_at(slots, token).map(|slot| slot.index),
        };
        draw_merged(&mut scene, frame, &scale, &strip);
        let text = format!(
            "{} sequences in view, drawn merged: zoom in to tell them apart",
            thousands(visible.len() as i64)
        );
        scene.text(frame.width / 2.0, TOP + STRIP + 10.0, 11.0, Anchor::Middle, theme.muted, text);
    }
    tail(&mut scene, analysis, frame, &scale);
    lit(&mut scene, analysis, frame, &scale);
    draw_overview(&mut scene, frame, overview(frame), slots, stream_length(analysis));
    scene
}

fn borders(scene: &mut Scene, frame: &Frame, scale: &Scale, visible: &[Slot]) {
    let theme = frame.theme;
    for slot in visible {
        for x in [scale.x(slot.start as f64), scale.x(slot.end() as f64)] {
            if (-1.0..=frame.width + 1.0).contains(&x) {
                let placeholder = slot.length == 0;
                let (y, height) = if placeholder { (TOP - 5.0, STRIP + 5.0) } else { (TOP, STRIP) };
                let paint = if placeholder { theme.muted } else { theme.background };
                scene.vertical(x.clamp(0.75, frame.width - 0.75), y, height, paint, 1.5);
            }
        }
        if frame.flagged.contains(&slot.index)
            && let Some((a, b)) = scale.clip(slot.start as f64, slot.end() as f64)
        {
            let area = Area {
                x: a + 1.0,
                y: TOP + 1.0,
                width: (b - a - 2.0).max(1.0),
                height: STRIP - 2.0,
            };
            scene.marks.push(Mark::Outline { area, paint: theme.error, width: 2.0 });
        }
    }
}

fn labels(scene: &mut Scene, frame: &Frame, scale: &Scale, visible: &[Slot]) {
    let theme = frame.theme;
    if scale.pixels_per_token() >= 22.0 {
        tokens(scene, frame, scale, visible);
        return;
    }
    for slot in visible.iter().filter(|slot| slot.length > 0) {
        let Some((a, b)) = scale.clip(slot.start as f64, slot.end() as f64) else { continue };
        let area = Area { x: a, y: TOP, width: b - a, height: STRIP };
        let name = format!("seq {}", slot.index);
        let long = match slot.padding() {
            0 => format!("{} tokens", thousands(slot.length)),
            padding => format!("{} + {} pad", thousands(slot.valid.max(0)), thousands(padding)),
        };
        let two_lines = super::text_width(&long, 11.0) + 6.0 <= area.width;
        let upper = Area { height: STRIP / 2.0, y: TOP + 4.0, ..area };
        let lower = Area { height: STRIP / 2.0, y: TOP + STRIP / 2.0 - 4.0, ..area };
        if two_lines {
            plate(scene, theme, upper, 12.0, &name);
            plate(scene, theme, lower, 11.0, &long);
        } else {
            let short = slot.index.to_string();
            let text =
                if super::text_width(&name, 12.0) + 6.0 <= area.width { name } else { short };
            plate(scene, theme, area, 12.0, &text);
        }
    }
}

/// A label over a piece; it stands on the sequence's colour or its hatch, so it gets a ground.
fn plate(scene: &mut Scene, theme: &super::theme::Theme, area: Area, size: f64, text: &str) {
    let width = super::text_width(text, size);
    if width + 6.0 > area.width {
        return;
    }
    let ground = Area {
        x: area.x + (area.width - width) / 2.0 - 3.0,
        y: area.y + area.height / 2.0 - size * 0.7,
        width: width + 6.0,
        height: size * 1.4,
    };
    scene.fill(ground, theme.background.faint(0.62));
    scene.label(area, size, theme.text, text);
}

/// Single tokens with their positions, where each has room.
fn tokens(scene: &mut Scene, frame: &Frame, scale: &Scale, visible: &[Slot]) {
    for slot in visible {
        let from = slot.start.max(scale.from.floor() as i64);
        let to = slot.end().min(scale.to().ceil() as i64);
        for token in from..to {
            let x = scale.x(token as f64);
            let area = Area { x, y: TOP, width: scale.pixels_per_token(), height: STRIP };
            if token > from {
                scene.vertical(x, TOP, STRIP, frame.theme.background.faint(0.5), 1.0);
            }
            let half = Area { height: STRIP / 2.0, ..area };
            let position = token - slot.start;
            let padding = position >= slot.valid;
            let ink = if padding { frame.theme.text } else { frame.theme.ink };
            scene.label(half, 11.0, ink, &position.to_string());
            let below = Area { y: TOP + STRIP / 2.0, ..half };
            scene.label(below, 10.0, ink.faint(0.75), if padding { "pad" } else { "tok" });
        }
    }
}

/// Which CP rank each chunk goes to.
fn owners(scene: &mut Scene, analysis: &Analysis, frame: &Frame, scale: &Scale, visible: &[Slot]) {
    let Ok(cut) = &analysis.cut else { return };
    let (theme, y) = (frame.theme, TOP + STRIP + 2.0);
    if cut.cp() == 1 {
        return;
    }
    let chunks = cut.chunks();
    let pieces: Vec<(i64, i64)> = match cut.mode() {
        PartitionMode::PerDocument => {
            visible.iter().map(|slot| (slot.start, slot.length)).collect()
        }
        _ => vec![(0, cut.total())],
    };
    if pieces.len() as i64 * chunks > (MARKS / 6) as i64 {
        return;
    }
    for (start, length) in pieces.into_iter().filter(|piece| piece.1 > 0) {
        let size = length / chunks;
        for chunk in 0..chunks {
            let from = start + chunk * size;
            let Some((a, b)) = scale.clip(from as f64, (from + size) as f64) else { continue };
            let rank = cut.locate(from).map_or(0, |placement| placement.cp_rank);
            let area = Area { x: a, y, width: b - a, height: OWNERS - 2.0 };
            let lit = frame.lit.cp_rank.is_none_or(|lit| lit == rank);
            scene.vertical(a, TOP + STRIP - 8.0, 10.0, theme.text.faint(0.55), 1.0);
            if chunk > 0 {
                scene.vertical(a, TOP, STRIP, theme.background.faint(0.55), 1.0);
            }
            let paint = if lit { theme.text } else { theme.muted.faint(0.5) };
            let text = if area.width > 52.0 { format!("cp {rank}") } else { rank.to_string() };
            scene.label(area, 10.0, paint, &text);
        }
    }
}

fn tail(scene: &mut Scene, analysis: &Analysis, frame: &Frame, scale: &Scale) {
    let total = analysis.total_tokens;
    let Some((a, b)) = scale.clip((total - analysis.tail()) as f64, total as f64) else { return };
    if analysis.tail() == 0 {
        return;
    }
    let area = Area { x: a, y: TOP, width: b - a, height: STRIP };
    scene.fill(area, frame.theme.tail.faint(0.22));
    scene.marks.push(Mark::Dots(area, frame.theme.tail));
    scene.marks.push(Mark::Outline { area, paint: frame.theme.tail, width: 1.0 });
    let text = format!("tail {}", thousands(analysis.tail()));
    plate(scene, frame.theme, area, 11.0, &text);
}

/// Where the whole stream is drawn in small.
pub(super) fn overview(frame: &Frame) -> Area {
    Area { x: 0.0, y: OVERVIEW_TOP, width: frame.width, height: OVERVIEW }
}

fn lit(scene: &mut Scene, analysis: &Analysis, frame: &Frame, scale: &Scale) {
    let theme = frame.theme;
    if let Some(slot) = frame.lit.slot
        && let Some(slot) = analysis.usable_slots().and_then(|slots| slots.get(slot))
        && let Some((a, b)) = scale.clip(slot.start as f64, slot.end() as f64)
    {
        let area =
            Area { x: a + 0.5, y: TOP + 0.5, width: (b - a - 1.0).max(1.0), height: STRIP - 1.0 };
        scene.marks.push(Mark::Outline { area, paint: theme.text, width: 1.5 });
    }
    if let Some(token) = frame.lit.token
        && let Some((a, b)) = scale.clip(token as f64, token as f64 + 1.0)
    {
        let width = (b - a).max(2.0);
        let area = Area { x: (a + b - width) / 2.0, y: TOP - 6.0, width, height: STRIP + 10.0 };
        scene.fill(area, theme.accent.faint(if width > 6.0 { 0.35 } else { 1.0 }));
    }
}

pub(super) fn hit(analysis: &Analysis, frame: &Frame, x: f64, y: f64) -> Option<Target> {
    let inside = Area { x: 0.0, y: 0.0, width: frame.width, height: HEIGHT }.holds(x, y)
        && !on_overview(frame, overview(frame), y);
    let token = scale(analysis, frame).token(x).floor() as i64;
    (inside && token >= 0 && (token as f64) < stream_length(analysis))
        .then_some(Target::Token(token))
}
