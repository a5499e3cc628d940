//! The lanes: what each CP rank holds, in local order, and the windows of its TP ranks.

use super::ruler::{self, Scale};
use super::strip::{Merged, OVERVIEW, Piece, bins, draw_merged, draw_overview, draw_pieces};
use super::{Anchor, Area, Frame, MARKS, Mark, Scene, Target, text_width};
use crate::analysis::Analysis;
use crate::partition::{Cut, windows};
use crate::scenario::PartitionMode;
use std::ops::Range;

pub(super) const NAMES: f64 = 62.0;
/// The height of a line below the lanes.
const FOOT: f64 = 16.0;
/// Lanes drawn at a time.
const LANES: i64 = 64;

struct Layout<'a> {
    cut: &'a Cut,
    first: i64,
    lanes: i64,
    lane: f64,
    gap: f64,
    scale: Scale,
}

impl Layout<'_> {
    fn y(&self, rank: i64) -> f64 {
        ruler::HEIGHT + (rank - self.first) as f64 * (self.lane + self.gap)
    }

    /// Whether the lanes are too dense to be told apart where this share of them is seen.
    fn merged(&self, seen: f64) -> bool {
        // Pieces in view, at most: two a slot, or two and a border a slot.
        let per_lane = (2.0 * self.cut.slots().len().max(1) as f64 * seen).max(1.0);
        per_lane * self.lanes as f64 > (MARKS / 4) as f64
    }

    /// Below the last lane: the names of its windows, words, and the overview.
    fn foot(&self) -> f64 {
        self.y(self.first + self.lanes)
    }

    fn words(&self) -> Area {
        // There is room for them at every zoom or at none, so that nothing jumps.
        let needed = self.cut.cp() > LANES || self.merged(1.0);
        let height = if needed { FOOT } else { 0.0 };
        let Scale { left, width, .. } = self.scale;
        Area { x: left, y: self.foot() + FOOT, width, height }
    }

    fn overview(&self) -> Area {
        let words = self.words();
        Area { y: words.bottom(), height: OVERVIEW, ..words }
    }

    fn height(&self) -> f64 {
        self.overview().bottom() + 2.0
    }
}

fn layout<'a>(analysis: &'a Analysis, frame: &Frame) -> Option<Layout<'a>> {
    let cut = analysis.cut.as_ref().ok().filter(|cut| cut.local_tokens() > 0)?;
    let lanes = cut.cp().min(LANES);
    let first = first_lane(cut.cp(), frame.first_lane, None);
    let (lane, gap) = match lanes {
        ..5 => (30.0, 6.0),
        5..9 => (22.0, 5.0),
        9..17 => (14.0, 3.0),
        _ => (8.0, 1.5),
    };
    let local = cut.local_tokens() as f64;
    let span = (frame.window.to - frame.window.from).max(1e-9) * local;
    let left = NAMES.min(frame.width * 0.2);
    let scale = Scale { from: frame.window.from * local, span, left, width: frame.width - left };
    Some(Layout { cut, first, lanes, lane, gap, scale })
}

/// The first lane drawn of `cp`, a rank that is out of sight brought into the middle.
pub(super) fn first_lane(cp: i64, first: i64, rank: Option<i64>) -> i64 {
    let last = (cp - LANES).max(0);
    let first = first.clamp(0, last);
    let hidden = rank.filter(|rank| !(first..first + LANES).contains(rank));
    hidden.map_or(first, |rank| (rank - LANES / 2).clamp(0, last))
}

/// A lane's pieces that touch what is seen: its chunks, each with its real tokens.
pub(super) fn pieces(cut: &Cut, rank: i64, scale: &Scale) -> Vec<Piece> {
    let (from, to) = (scale.from.floor() as i64, scale.to().ceil() as i64);
    let mut pieces = Vec::new();
    let mut at = from.clamp(0, cut.local_tokens());
    while at < to.min(cut.local_tokens()) {
        let Some(token) = cut.token_at(rank, at) else { break };
        let Some(place) = cut.locate(token) else { break };
        // The run goes on to the end of the chunk or of the document, whichever is first.
        let whole = chunk_of(cut, token, place.chunk);
        let slot = cut.slot_at(token);
        let document_end = match slot {
            Some(slot) => slot.end(),
            // Behind the last slot nothing ends before the chunk does.
            None => i64::MAX,
        };
        let length = (whole.1.min(document_end) - token).max(1);
        let valid = slot.map_or(0, |slot| (slot.start + slot.valid - token).clamp(0, length));
        pieces.push(Piece { start: at, length, valid, slot: slot.map_or(usize::MAX, |s| s.index) });
        at += length;
        if pieces.len() > MARKS {
            break;
        }
    }
    pieces
}

/// The chunk's `[start, end)` in the stream.
fn chunk_of(cut: &Cut, token: i64, chunk: i64) -> (i64, i64) {
    let (start, length) = match cut.mode() {
        PartitionMode::PerDocument => {
            cut.slot_at(token).map_or((0, cut.total()), |slot| (slot.start, slot.length))
        }
        _ => (0, cut.total()),
    };
    let size = length / cut.chunks();
    (start + chunk * size, start + (chunk + 1) * size)
}

pub(super) fn scene(analysis: &Analysis, frame: &Frame) -> Scene {
    let theme = frame.theme;
    let Some(layout) = layout(analysis, frame) else {
        let mut scene = Scene::new(frame.width, 96.0, theme);
        let area = Area { x: 0.0, y: 8.0, width: frame.width, height: 72.0 };
        scene.marks.push(Mark::Outline { area, paint: theme.line, width: 1.0 });
        let why = match &analysis.cut {
            Err(error) => format!("no lanes: {error}"),
            Ok(_) => "no lanes: there are no tokens".to_owned(),
        };
        // The sentence above the view says why in full, so a narrow one needs only the first words.
        let fits = text_width(&why, 12.0) + 4.0 <= area.width;
        scene.label(area, 12.0, theme.muted, if fits { &why } else { "no lanes" });
        return scene;
    };
    let mut scene = Scene::new(frame.width, layout.height(), theme);
    ruler::draw(&mut scene, theme, &layout.scale, 0.0);
    let cut = layout.cut;
    let local = cut.local_tokens();
    let merged = layout.merged(layout.scale.span / local as f64);
    let ranks = layout.first..layout.first + layout.lanes;
    let count = (MARKS * 3 / 4 / layout.lanes as usize).min(400);
    let borders = if merged { bins(&layout.scale, local, count) } else { Vec::new() };
    let stream = super::pack::scale(analysis, frame);
    let mut valid = if merged {
        valid_before(cut, ranks.clone(), &borders).into_iter()
    } else {
        Vec::new().into_iter()
    };
    for rank in ranks {
        let y = layout.y(rank);
        let named = layout.lanes <= 16 || rank % 8 == 0;
        if named {
            let lit = frame.lit.cp_rank == Some(rank);
            let paint = if lit { theme.text } else { theme.muted };
            scene.text(
                layout.scale.left - 8.0,
                y + layout.lane / 2.0,
                11.0,
                Anchor::End,
                paint,
                format!("cp {rank}"),
            );
        }
        if merged {
            let strip = Merged {
                y,
                height: layout.lane,
                end: local,
                borders: &borders,
                valid: &valid.next().unwrap_or_default(),
                slot_at: &|_| None,
            };
            draw_merged(&mut scene, frame, &layout.scale, &strip);
        } else {
            let pieces = pieces(cut, rank, &layout.scale);
            if frame.settled < 1.0 {
                moving(&mut scene, frame, &layout, &stream, rank, &pieces);
            } else {
                lane(&mut scene, frame, &layout, rank, &pieces);
            }
        }
    }
    tp_windows(&mut scene, analysis, frame, &layout);
    words(&mut scene, frame, &layout, merged);
    // Where every slot is cut for itself it takes the same share of a lane as of the stream.
    let slots = if cut.mode() == PartitionMode::PerDocument { cut.slots() } else { &[] };
    draw_overview(&mut scene, frame, layout.overview(), slots, cut.total() as f64);
    lit_token(&mut scene, frame, &layout);
    scene
}

/// How many real tokens each of some ranks holds before each place of its own, which are in order.
/// Shape `[ranks][places]`. Its time grows with slots + places × ranks.
fn valid_before(cut: &Cut, ranks: Range<i64>, places: &[i64]) -> Vec<Vec<i64>> {
    if cut.mode() == PartitionMode::PerDocument {
        valid_by_slot(cut, ranks, places)
    } else {
        valid_by_stream(cut, ranks, places)
    }
}

fn valid_by_slot(cut: &Cut, ranks: Range<i64>, places: &[i64]) -> Vec<Vec<i64>> {
    let (cp, chunks) = (cut.cp(), cut.chunks());
    let mut slots = cut.slots().iter().filter(|slot| slot.length > 0).peekable();
    // Of the slots that are passed, the real tokens in each of their chunks.
    let mut passed = vec![0; chunks as usize];
    let mut table = vec![Vec::with_capacity(places.len()); ranks.clone().count()];
    for place in places {
        // In front of the chunk where a slot's padding begins, all are real: counted where they end.
        let mut full = vec![0; chunks as usize + 1];
        while let Some(slot) = slots.next_if(|slot| slot.end() <= place * cp) {
            let (size, valid) = (slot.length / chunks, slot.valid.clamp(0, slot.length));
            let count = (valid / size) as usize;
            full[count] += size;
            if let Some(partly) = passed.get_mut(count) {
                *partly += valid % size;
            }
        }
        let mut sum = 0;
        for (passed, full) in passed.iter_mut().zip(&full[1..]).rev() {
            sum += full;
            *passed += sum;
        }
        for (rank, row) in ranks.clone().zip(&mut table) {
            let before: i64 = cut.kept(rank).map(|chunk| passed[chunk as usize]).sum();
            let inside = slots.peek().map_or(0, |slot| {
                let size = slot.length / chunks;
                let mut left = place - slot.start / cp;
                let chunks = cut.kept(rank).map(|chunk| {
                    let seen = left.clamp(0, size);
                    left -= seen;
                    (slot.valid - chunk * size).clamp(0, seen)
                });
                chunks.sum()
            });
            row.push(before + inside);
        }
    }
    table
}

fn valid_by_stream(cut: &Cut, ranks: Range<i64>, places: &[i64]) -> Vec<Vec<i64>> {
    let stream = super::strip::valid_until(cut.slots());
    let of_rank = |rank| {
        let of_place = |&place: &i64| {
            let mut left = place;
            cut.segments(rank)
                .map(|segment| {
                    let seen = left.min(segment.length);
                    left -= seen;
                    stream(segment.start + seen) - stream(segment.start)
                })
                .sum()
        };
        places.iter().map(of_place).collect()
    };
    ranks.map(of_rank).collect()
}

fn lane(scene: &mut Scene, frame: &Frame, layout: &Layout, rank: i64, pieces: &[Piece]) {
    let (theme, y, scale) = (frame.theme, layout.y(rank), &layout.scale);
    draw_pieces(scene, frame, scale, y, layout.lane, pieces.iter().copied());
    for piece in pieces {
        let Some((a, b)) = scale.clip(piece.start as f64, piece.end() as f64) else { continue };
        scene.vertical(a, y, layout.lane, theme.background, 1.0);
        let area = Area { x: a, y, width: b - a, height: layout.lane };
        if layout.lane < 14.0 || piece.slot == usize::MAX {
            continue;
        }
        let Some(token) = layout.cut.token_at(rank, piece.start) else { continue };
        if scale.pixels_per_token() >= text_width(&layout.cut.total().to_string(), 10.0) + 8.0 {
            tokens(scene, frame, layout, y, piece, token);
            continue;
        }
        let range = format!("[{token}, {})", token + piece.length);
        let text = if super::text_width(&range, 10.0) + 6.0 <= area.width {
            range
        } else {
            piece.slot.to_string()
        };
        let width = super::text_width(&text, 10.0);
        if piece.valid < piece.length && width + 6.0 <= area.width {
            let x = area.x + (area.width - width) / 2.0 - 2.0;
            let ground =
                Area { x, y: y + layout.lane / 2.0 - 7.0, width: width + 4.0, height: 14.0 };
            scene.fill(ground, theme.background.faint(0.62));
            scene.label(area, 10.0, theme.text, &text);
        } else {
            scene.label(area, 10.0, theme.ink, &text);
        }
    }
}

/// Single tokens of a piece with their numbers in the stream, the first of which is `first`.
fn tokens(scene: &mut Scene, frame: &Frame, layout: &Layout, y: f64, piece: &Piece, first: i64) {
    let (theme, scale) = (frame.theme, &layout.scale);
    let from = piece.start.max(scale.from.floor() as i64);
    for index in from..piece.end().min(scale.to().ceil() as i64) {
        let x = scale.x(index as f64);
        if index > from {
            scene.vertical(x, y, layout.lane, theme.background.faint(0.5), 1.0);
        }
        let area = Area { x, y, width: scale.pixels_per_token(), height: layout.lane };
        let padding = index >= piece.start + piece.valid;
        let ink = if padding { theme.text } else { theme.ink };
        scene.label(area, 10.0, ink, &(first + index - piece.start).to_string());
    }
}

/// A lane's pieces on their way from their places in the stream, above the lanes.
fn moving(
    scene: &mut Scene,
    frame: &Frame,
    layout: &Layout,
    stream: &Scale,
    rank: i64,
    pieces: &[Piece],
) {
    let way = |from: f64, to: f64| from + (to - from) * frame.settled;
    let y = way(0.0, layout.y(rank));
    for piece in pieces {
        let Some(token) = layout.cut.token_at(rank, piece.start) else { continue };
        let (start, length) = (piece.start as f64, piece.length as f64);
        let width = way(stream.pixels_per_token(), layout.scale.pixels_per_token()) * length;
        let left = way(stream.x(token as f64), layout.scale.x(start));
        let place = Scale { from: start, span: length, left, width };
        draw_pieces(scene, frame, &place, y, layout.lane, std::iter::once(*piece));
    }
}

/// The windows of sequence parallelism: one rank border each, named below the last lane.
fn tp_windows(scene: &mut Scene, analysis: &Analysis, frame: &Frame, layout: &Layout) {
    let tp = analysis.scenario.topology.tensor_model_parallel_size;
    if !analysis.scenario.sequence_parallel || !(2..=64).contains(&tp) {
        return;
    }
    let Some(windows) = windows(layout.cut.local_tokens(), tp) else { return };
    let bottom = layout.y(layout.first + layout.lanes) - layout.gap;
    for window in windows {
        let (start, end) = (window.start as f64, (window.start + window.length) as f64);
        let Some((a, b)) = layout.scale.clip(start, end) else { continue };
        if window.tp_rank > 0 && layout.scale.x(start) >= layout.scale.left {
            scene.vertical(
                a,
                ruler::HEIGHT - 4.0,
                bottom - ruler::HEIGHT + 8.0,
                frame.theme.accent,
                2.5,
            );
        }
        let area = Area { x: a, y: bottom + 2.0, width: b - a, height: 14.0 };
        scene.label(area, 10.0, frame.theme.accent, &format!("tp {}", window.tp_rank));
    }
}

/// What is drawn of the lanes: which of many, and whether it is merged.
fn words(scene: &mut Scene, frame: &Frame, layout: &Layout, merged: bool) {
    let (theme, cp) = (frame.theme, layout.cut.cp());
    let last = layout.first + layout.lanes - 1;
    let which = format!("cp {} to {last} of {cp}", layout.first);
    let how = "drawn merged: what is light is the share of padding";
    let (words, short) = match (cp > LANES, merged) {
        (true, true) => (format!("{which}, {how}"), which),
        (true, false) => (which, String::new()),
        (false, true) => (how.to_owned(), "drawn merged".to_owned()),
        (false, false) => return,
    };
    let fits = text_width(&words, 10.0) + 4.0 <= layout.words().width;
    scene.label(layout.words(), 10.0, theme.muted, if fits { &words } else { &short });
    if cp > LANES {
        bar(scene, frame, layout);
    }
}

/// The lanes that are drawn, as a part of a bar beside them.
fn bar(scene: &mut Scene, frame: &Frame, layout: &Layout) {
    let (theme, cp) = (frame.theme, layout.cut.cp());
    let y = layout.y(layout.first);
    let bar = Area { x: 0.0, y, width: 3.0, height: layout.foot() - layout.gap - y };
    let of_bar = |lanes: i64| bar.height * lanes as f64 / cp as f64;
    scene.fill(bar, theme.line);
    let shown = Area { y: bar.y + of_bar(layout.first), height: of_bar(LANES).max(4.0), ..bar };
    scene.fill(shown, theme.muted);
}

fn lit_token(scene: &mut Scene, frame: &Frame, layout: &Layout) {
    let Some(token) = frame.lit.token else { return };
    let Some(place) = layout.cut.locate(token) else { return };
    if !(layout.first..layout.first + layout.lanes).contains(&place.cp_rank) {
        return;
    }
    let index = place.local_index as f64;
    if let Some((a, b)) = layout.scale.clip(index, index + 1.0) {
        let width = (b - a).max(2.0);
        let area = Area {
            x: (a + b - width) / 2.0,
            y: layout.y(place.cp_rank) - 2.0,
            width,
            height: layout.lane + 4.0,
        };
        scene.fill(area, frame.theme.accent.faint(if width > 6.0 { 0.35 } else { 1.0 }));
    }
}

/// Where the lanes are drawn whole and in small.
pub(super) fn overview(analysis: &Analysis, frame: &Frame) -> Option<Area> {
    layout(analysis, frame).map(|layout| layout.overview())
}

pub(super) fn hit(analysis: &Analysis, frame: &Frame, x: f64, y: f64) -> Option<Target> {
    let layout = layout(analysis, frame)?;
    let lane = ((y - ruler::HEIGHT) / (layout.lane + layout.gap)).floor();
    if lane < 0.0 || lane >= layout.lanes as f64 || x < layout.scale.left {
        return None;
    }
    let index = layout.scale.token(x).floor() as i64;
    layout.cut.token_at(layout.first + lane as i64, index).map(Target::Token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offsets::{CheckedOffsets, Slot, offsets_of_lengths, slot_at};

    #[test]
    fn real_tokens_before_a_place_are_what_counting_gives() {
        let lengths = [(16, 16), (32, 19), (16, 0), (48, 48), (16, 5)];
        let offsets = offsets_of_lengths(&lengths.map(|(length, _)| length));
        for tail in [0, 32] {
            for mode in
                [PartitionMode::PerDocument, PartitionMode::PerSequence, PartitionMode::Contiguous]
            {
                for cp in [1, 2, 4] {
                    let mut slots: Vec<Slot> =
                        CheckedOffsets::new(&offsets).unwrap().slots().collect();
                    for (slot, (_, valid)) in slots.iter_mut().zip(lengths) {
                        slot.valid = valid;
                    }
                    let total = slots.last().unwrap().end() + tail;
                    let cut = Cut::new(slots, total, mode, cp).unwrap();
                    let real = |token| {
                        slot_at(cut.slots(), token)
                            .is_some_and(|slot| token < slot.start + slot.valid)
                    };
                    for step in [1, 7] {
                        let places: Vec<i64> = (0..=cut.local_tokens()).step_by(step).collect();
                        let table = valid_before(&cut, 0..cp, &places);
                        for rank in 0..cp {
                            let counted = places.iter().map(|&place| {
                                let held = cut.indices(rank).take(place as usize);
                                held.filter(|&token| real(token)).count() as i64
                            });
                            let of_rank = &table[rank as usize];
                            assert!(
                                of_rank.iter().copied().eq(counted),
                                "{mode:?} cp {cp} rank {rank}: {of_rank:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
