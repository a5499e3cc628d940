//! The session as JavaScript sees it. Everything here only converts.

mod canvas;

use crate::analysis::Analysis;
use crate::input::url::Kept;
use crate::rules::Severity;
use crate::scenario::ParallelSizes;
use crate::scene::theme::Theme;
use crate::scene::{self, Frame, Lit, Target, View, Window};
use crate::session::{Session as Inner, Size};
use crate::topology::GroupKind;
use crate::{draw, output, words};
use canvas::{Canvas, CanvasElement};
use serde::Serialize;
use std::cell::RefCell;
use std::ops::Range;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

/// Smaller and no slower than the standard library's.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// Group members that are named to the page one by one; of a larger group the first few and the
/// last.
const NAMED_RANKS: usize = 16;
const FIRST_RANKS: usize = 5;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A tensor of integers: its entries, or its entries with dtype and shape where they matter. */
export type Tensor = number[] | number[][] | { data: number[]; dtype?: string; shape?: number[] };

/** The views. */
export type ViewName = 'pack' | 'lanes' | 'ranks' | 'flow' | 'axes' | 'matrix' | 'ring';

/** How a view is to be drawn. */
export interface FrameOptions {
    /** CSS pixels. */
    width: number;
    /** What is seen, fractions of the view's length; the whole where it is absent. */
    from?: number;
    /** Its end. */
    to?: number;
    /** Its colours; light where it is absent. */
    theme?: 'light' | 'dark' | 'print';
    /** A token to light. */
    token?: number | null;
    /** A sequence to light. */
    slot?: number | null;
    /** A global rank to light. */
    rank?: number | null;
    /** A CP rank to light. */
    cp_rank?: number | null;
    /** The kind of group that ranks are coloured by. */
    group?: number | null;
    /** Sequences to outline. */
    flagged?: number[] | null;
    /** The first of the lanes, where they are more than are drawn at a time. */
    first_lane?: number | null;
    /** How far the lanes' chunks have moved from the stream (0) to their ranks (1); 1 where it is
     *  absent. */
    settled?: number | null;
}
"#;

/// A place in the text, UTF-16 units.
#[derive(Serialize, Tsify)]
pub struct Span {
    /// The first unit.
    pub start: usize,
    /// One past the last.
    pub end: usize,
}

/// What cannot be read.
#[derive(Serialize, Tsify)]
pub struct ReadError {
    /// Where.
    pub span: Span,
    /// What, and so what.
    pub message: String,
    /// What to do; undefined where nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// One finding.
#[derive(Serialize, Tsify)]
pub struct PageFinding {
    /// The code of its rule: `PSP201`.
    pub code: String,
    /// The name of its rule: `slot-not-divisible`.
    pub name: String,
    /// How bad it is.
    #[tsify(type = "\"error\" | \"warning\" | \"info\"")]
    pub severity: String,
    /// The field it is about: `params.cu_seqlens_q`.
    pub field: String,
    /// What is wrong, with numbers.
    pub message: String,
    /// What happens in a run.
    pub run: String,
    /// What to do.
    pub advice: String,
    /// What its fix does; none without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The change that the fix makes, a line a field.
    pub change: Vec<String>,
    /// Sequences it is about.
    pub slots: Vec<usize>,
    /// Places in the text.
    pub spans: Vec<Span>,
}

/// A size with its stepper.
#[derive(Serialize, Tsify)]
pub struct SizeState {
    /// Its field: `topology.context_parallel_size`.
    pub field: String,
    /// Its value, ranks.
    pub value: i64,
    /// The next size down that divides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub down: Option<i64>,
    /// The next size up that divides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<i64>,
}

/// One group of the selected rank.
#[derive(Clone, Serialize, Tsify)]
pub struct GroupState {
    /// Upstream's name: `CONTEXT_PARALLEL_GROUP`.
    pub name: String,
    /// A short name: `cp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// Which kind it is, for colouring.
    pub kind: usize,
    /// Its ranks, as a list; of over 16 the first few and the last.
    pub ranks: String,
    /// Ranks in all.
    pub size: usize,
    /// Machines it touches.
    pub nodes: usize,
    /// What travels over it.
    pub traffic: String,
}

/// Everything the page shows beside its drawings.
#[derive(Serialize, Tsify)]
pub struct State {
    /// Why it cannot be read; then everything below is of the last text that could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ReadError>,
    /// What the text was read as.
    pub read_as: String,
    /// What is worth knowing about how it was read.
    pub notes: Vec<String>,
    /// The rank of every case in the text; null where it names none.
    pub cases: Vec<Option<i64>>,
    /// The case that is shown.
    pub case: usize,
    /// TP, CP, EP, PP and the world.
    pub sizes: Vec<SizeState>,
    /// The data-parallel size, with the division.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dp: Option<String>,
    /// Axes from the fastest to the slowest.
    pub order: String,
    /// GPUs of one machine.
    pub gpus_per_node: i64,
    /// `per_document`, `per_sequence` or `contiguous`.
    pub partition: String,
    /// Each TP rank keeps one window of its CP rank's tokens.
    pub sequence_parallel: bool,
    /// `strict` or `legacy`.
    pub profile: String,
    /// The global rank whose groups are shown.
    pub rank: i64,
    /// Ranks of the CP group that holds for this microbatch.
    pub cp_size: i64,
    /// What is wrong, errors first.
    pub findings: Vec<PageFinding>,
    /// The runs of seq_idx, the first few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq_idx: Option<String>,
    /// What the pack shows.
    pub pack_sentence: String,
    /// What the lanes show.
    pub lanes_sentence: String,
    /// The parameters in one line.
    pub caption: String,
    /// The selected rank, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_sentence: Option<String>,
    /// rank = Σ coordinate × stride.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_sum: Option<String>,
    /// The groups of the selected rank.
    pub groups: Vec<GroupState>,
    /// Another number whenever the sizes or the selected rank are others: what the drawings of
    /// ranks follow from.
    pub layout: u32,
}

#[wasm_bindgen]
extern "C" {
    /// How a view is to be drawn.
    #[wasm_bindgen(typescript_type = "FrameOptions")]
    pub type FrameOptions;

    #[wasm_bindgen(method, getter)]
    fn width(this: &FrameOptions) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    fn from(this: &FrameOptions) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    fn to(this: &FrameOptions) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    fn theme(this: &FrameOptions) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn token(this: &FrameOptions) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    fn slot(this: &FrameOptions) -> Option<u32>;
    #[wasm_bindgen(method, getter)]
    fn rank(this: &FrameOptions) -> Option<u32>;
    #[wasm_bindgen(method, getter)]
    fn cp_rank(this: &FrameOptions) -> Option<u32>;
    #[wasm_bindgen(method, getter)]
    fn group(this: &FrameOptions) -> Option<u32>;
    #[wasm_bindgen(method, getter)]
    fn flagged(this: &FrameOptions) -> Option<Vec<u32>>;
    #[wasm_bindgen(method, getter)]
    fn first_lane(this: &FrameOptions) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    fn settled(this: &FrameOptions) -> Option<f64>;
}

impl FrameOptions {
    fn outlined(&self) -> Vec<usize> {
        self.flagged().unwrap_or_default().into_iter().map(|slot| slot as usize).collect()
    }

    /// The frame that the options say.
    #[inline(never)]
    fn frame<'a>(&self, flagged: &'a [usize]) -> Frame<'a> {
        let from = self.from().unwrap_or(0.0);
        let to = self.to().filter(|&to| to > from).unwrap_or(1.0);
        Frame {
            width: self.width().unwrap_or(0.0).clamp(64.0, 16_384.0),
            window: Window { from, to },
            theme: Theme::of_name(&self.theme().unwrap_or_default()),
            lit: Lit {
                token: self.token().map(|token| token as i64),
                slot: self.slot().map(|slot| slot as usize),
                rank: self.rank().map(|rank| rank as usize),
                cp_rank: self.cp_rank().map(i64::from),
            },
            group: self.group().map_or(usize::MAX, |group| group as usize),
            flagged,
            first_lane: self.first_lane().map_or(0, |lane| lane as i64),
            settled: self.settled().unwrap_or(1.0),
        }
    }
}

/// What is under the pointer, and what it lights in the other views.
#[derive(Serialize, Tsify)]
pub struct Hit {
    /// It, in words.
    pub sentence: String,
    /// A token of the stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<i64>,
    /// A sequence's index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<usize>,
    /// A global rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// A CP rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp_rank: Option<i64>,
}

/// A text, its settings, and everything that follows from them.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    inner: Inner,
    /// The groups of a rank, which stay as they are while a text is edited.
    groups: RefCell<KeptGroups>,
}

#[derive(Default)]
struct KeptGroups {
    of: Option<(ParallelSizes, i64)>,
    groups: Vec<GroupState>,
    /// How often they have changed.
    layout: u32,
}

#[wasm_bindgen]
impl Session {
    /// A session that shows the published example.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Session {
        Session::default()
    }

    /// Reads a text, told apart by content. What cannot be read leaves the last picture.
    pub fn set_text(&mut self, text: &str) {
        self.inner.set_text(text);
    }

    /// Shows another case of the text.
    pub fn set_case(&mut self, case: usize) {
        self.inner.set_case(case);
    }

    /// Sets a whole number outside the params; false where the field cannot hold it.
    pub fn set_number(&mut self, field: &str, value: f64) -> bool {
        value.is_finite()
            && value.fract() == 0.0
            && value.abs() < 9e15
            && self.inner.set(field, (value as i64).into())
    }

    /// Sets a word outside the params.
    pub fn set_word(&mut self, field: &str, value: &str) -> bool {
        self.inner.set(field, value.into())
    }

    /// Sets a flag outside the params.
    pub fn set_flag(&mut self, field: &str, value: bool) -> bool {
        self.inner.set(field, value.into())
    }

    /// Puts the fix of a finding in; false where it has none.
    pub fn apply_fix(&mut self, index: usize) -> bool {
        self.inner.apply_fix(index)
    }

    /// Everything the page shows beside its drawings.
    pub fn state(&self) -> <State as Tsify>::JsType {
        given(&state(&self.inner, self.groups()))
    }

    /// The text as it was given, or as a change beside it has rewritten it.
    pub fn text(&self) -> String {
        self.inner.text().to_owned()
    }

    /// The groups of the selected rank, and their layout's number.
    fn groups(&self) -> (Vec<GroupState>, u32) {
        let scenario = &self.inner.analysis().scenario;
        let mut kept = self.groups.borrow_mut();
        let same = |(sizes, rank): &(ParallelSizes, i64)| {
            *sizes == scenario.topology && *rank == scenario.rank
        };
        if !kept.of.as_ref().is_some_and(same) {
            kept.of = Some((scenario.topology.clone(), scenario.rank));
            kept.groups = groups(self.inner.analysis());
            kept.layout += 1;
        }
        (kept.groups.clone(), kept.layout)
    }

    /// Draws a view on a canvas, which is sized for it. `ratio` is device pixels per CSS pixel.
    /// Gives the height, CSS pixels.
    ///
    /// # Errors
    /// Where the canvas has no 2D context.
    pub fn draw(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ViewName")] view: &str,
        canvas: CanvasElement,
        ratio: f64,
        options: &FrameOptions,
    ) -> Result<f64, JsError> {
        let view = View::of_name(view).ok_or_else(|| JsError::new("there is no such view"))?;
        let outlined = options.outlined();
        let scene = scene::scene(self.inner.analysis(), view, &options.frame(&outlined));
        let (width, height) =
            ((scene.width * ratio).round() as u32, (scene.height * ratio).round() as u32);
        if canvas.width() != width || canvas.height() != height {
            canvas.set_width(width);
            canvas.set_height(height);
        }
        let mut surface =
            Canvas::of(&canvas).ok_or_else(|| JsError::new("the canvas has no 2D context"))?;
        draw::draw(&scene, &mut surface, ratio);
        Ok(scene.height)
    }

    /// A view as SVG, with a caption that says the parameters.
    pub fn svg(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ViewName")] view: &str,
        options: &FrameOptions,
    ) -> Result<String, JsError> {
        let view = View::of_name(view).ok_or_else(|| JsError::new("there is no such view"))?;
        let outlined = options.outlined();
        Ok(draw::svg_of(self.inner.analysis(), view, &options.frame(&outlined)))
    }

    /// What lies under a point of a view, CSS pixels.
    pub fn hover(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ViewName")] view: &str,
        x: f64,
        y: f64,
        options: &FrameOptions,
    ) -> Option<<Hit as Tsify>::JsType> {
        let view = View::of_name(view)?;
        scene::hit(self.inner.analysis(), view, &options.frame(&[]), x, y)
            .map(|target| self.hit(target))
    }

    /// The place under a point of a view's overview, a fraction of what it is an overview of.
    pub fn overview(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ViewName")] view: &str,
        x: f64,
        y: f64,
        options: &FrameOptions,
    ) -> Option<f64> {
        let view = View::of_name(view)?;
        scene::overview_hit(self.inner.analysis(), view, &options.frame(&[]), x, y)
    }

    /// Where a token lies in a view that is zoomed, a fraction of its length.
    pub fn place(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ViewName")] view: &str,
        token: f64,
    ) -> Option<f64> {
        scene::place(self.inner.analysis(), View::of_name(view)?, token as i64)
    }

    /// The first of the lanes that are drawn so that a CP rank's is among them: `first` where it is
    /// already, or where no rank is given. 0 where all lanes are drawn.
    pub fn first_lane(&self, first: f64, cp_rank: Option<f64>) -> f64 {
        scene::first_lane(self.inner.analysis(), first as i64, cp_rank.map(|rank| rank as i64))
            as f64
    }

    /// What a token of the stream is, and what it lights.
    pub fn token(&self, token: f64) -> <Hit as Tsify>::JsType {
        self.hit(Target::Token(token as i64))
    }

    /// What a global rank is, and what it lights.
    pub fn rank(&self, rank: f64) -> <Hit as Tsify>::JsType {
        self.hit(Target::Rank(rank.max(0.0) as usize))
    }

    fn hit(&self, target: Target) -> <Hit as Tsify>::JsType {
        let lights = self.inner.lights(target);
        given(&Hit {
            sentence: words::sentence(self.inner.analysis(), target),
            token: lights.token,
            slot: lights.slot,
            rank: lights.rank,
            cp_rank: lights.cp_rank,
        })
    }

    /// How a token comes to its place, step by step; none where no chunk holds it.
    pub fn arithmetic(&self, token: f64) -> Option<Vec<String>> {
        words::arithmetic(self.inner.analysis(), token as i64)
    }

    /// Where a sequence's slot lies in the stream: `[start, end)`, fractions of its length.
    pub fn slot_window(&self, slot: usize) -> Option<Vec<f64>> {
        let analysis = self.inner.analysis();
        let found = analysis.usable_slots()?.get(slot)?;
        let place = |token| scene::place(analysis, View::Pack, token);
        Some(vec![place(found.start)?, place(found.end())?])
    }

    /// A view as a table: rows of cells, the first one its head; at most 200 rows.
    #[wasm_bindgen(unchecked_return_type = "string[][]")]
    pub fn table(&self, #[wasm_bindgen(unchecked_param_type = "ViewName")] view: &str) -> JsValue {
        let rows = View::of_name(view).map(|view| words::table(self.inner.analysis(), view));
        parse(&output::json(&rows.unwrap_or_default()))
    }

    /// What the ranks view shows, coloured by this kind of group.
    pub fn ranks_sentence(&self, group: Option<usize>) -> String {
        words::ranks_sentence(self.inner.analysis(), group.unwrap_or(usize::MAX))
    }

    /// Ranks of the job.
    pub fn world(&self) -> usize {
        self.inner.analysis().topology.as_ref().map_or(0, crate::topology::Topology::world)
    }

    /// Tokens of the stream.
    pub fn total_tokens(&self) -> f64 {
        self.inner.analysis().total_tokens as f64
    }

    /// seq_idx, one entry per token; none where it is not derived or has over 64 million entries.
    pub fn seq_idx(&self) -> Option<Vec<i32>> {
        let runs = self.inner.analysis().seq_idx.as_ref()?;
        (runs.length() <= 64 << 20).then(|| runs.expand())
    }

    /// The Analysis as JSON, as `packscope inspect` prints it.
    pub fn inspect(&self) -> String {
        let inspection = crate::inspect::inspection(self.inner.analysis(), self.inner.findings());
        output::json(&inspection)
    }

    /// Scenario JSON.
    pub fn scenario_json(&self) -> String {
        output::scenario_json(&self.inner.analysis().scenario)
    }

    /// The params as Python prints them.
    pub fn params_repr(&self) -> String {
        output::params_repr(&self.inner.analysis().scenario.params)
    }

    /// A Python script that builds the params and asserts their contract.
    pub fn python_script(&self) -> String {
        output::python_script(&self.inner.analysis().scenario)
    }

    /// An issue report.
    pub fn markdown(&self) -> String {
        output::markdown(self.inner.analysis(), self.inner.findings())
    }

    /// Python that dumps each microbatch of a training loop to a `.jsonl`.
    pub fn dump_snippet(&self) -> String {
        output::DUMP_SNIPPET.to_owned()
    }

    /// The session as JSON. Deflated without a header, in base64url without padding, it is what
    /// an address holds.
    pub fn keep(&self) -> String {
        output::json(&self.inner.kept())
    }

    /// Takes up what `keep` gave or an address holds; false where it is neither.
    pub fn restore(&mut self, kept: &str) -> bool {
        let kept = if kept.starts_with('{') { Kept::of_json(kept) } else { Kept::unfold(kept) };
        kept.map(|kept| self.inner.restore(kept)).is_some()
    }
}

/// The text that a file holds or means: `.npy`, `.npz`, `.safetensors`, or text.
///
/// # Errors
/// What is wrong with the file.
#[wasm_bindgen]
pub fn text_of_file(bytes: &[u8]) -> Result<String, JsError> {
    crate::input::text_of_file(bytes).map_err(|error| {
        let hint = error.suggestion.map_or(String::new(), |hint| format!("; {hint}"));
        JsError::new(&format!("{}{hint}", error.message))
    })
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = JSON)]
    fn parse(json: &str) -> JsValue;
}

/// A value as JavaScript's own.
fn given<T: Tsify + Serialize>(value: &T) -> T::JsType {
    parse(&output::json(value)).unchecked_into()
}

fn state(session: &Inner, (groups, layout): (Vec<GroupState>, u32)) -> State {
    let analysis = session.analysis();
    let scenario = &analysis.scenario;
    let units = Utf16::new(session.text());
    let reading = session.reading();
    let rank = usize::try_from(scenario.rank).ok();
    let topology = analysis.topology.as_ref().ok();
    let known = rank.zip(topology).filter(|(rank, topology)| *rank < topology.world());
    State {
        error: session.error().map(|error| ReadError {
            span: units.span(error.span.clone()),
            message: error.message.clone(),
            suggestion: error.suggestion.clone(),
        }),
        read_as: reading.map_or(String::new(), |reading| reading.format.words().to_owned()),
        notes: session.notes(),
        cases: reading.map_or(vec![None], |reading| {
            reading.cases.iter().take(4096).map(|case| case.rank).collect()
        }),
        case: session.case(),
        sizes: Size::ALL
            .iter()
            .map(|size| {
                let (down, up) = session.steps(*size);
                SizeState { field: size.field().to_owned(), value: size.of(scenario), down, up }
            })
            .collect(),
        dp: words::data_parallel(analysis),
        order: scenario.topology.order.clone(),
        gpus_per_node: scenario.topology.gpus_per_node,
        partition: scenario.partition.name().to_owned(),
        sequence_parallel: scenario.sequence_parallel,
        profile: scenario.profile.name().to_owned(),
        rank: scenario.rank,
        cp_size: analysis.cp_size,
        findings: session
            .findings()
            .iter()
            .map(|finding| page_finding(session, &units, finding))
            .collect(),
        seq_idx: analysis.seq_idx.as_ref().map(words::seq_idx),
        pack_sentence: words::pack_sentence(analysis),
        lanes_sentence: words::lanes_sentence(analysis),
        caption: words::caption(analysis),
        rank_sentence: known.map(|(rank, _)| words::sentence(analysis, Target::Rank(rank))),
        rank_sum: known.map(|(rank, topology)| words::rank_sum(topology, rank)),
        groups,
        layout,
    }
}

/// Every group of the selected rank.
fn groups(analysis: &Analysis) -> Vec<GroupState> {
    let (Ok(topology), Ok(rank)) = (&analysis.topology, usize::try_from(analysis.scenario.rank))
    else {
        return Vec::new();
    };
    let kinds = topology.kinds().into_iter().enumerate();
    kinds
        .filter_map(|(kind, group)| {
            let ranks = topology.group_of(rank, group)?;
            Some(GroupState {
                name: group.name(),
                short: short_name(group).map(str::to_owned),
                kind,
                size: ranks.len(),
                nodes: topology.nodes_of(&ranks),
                traffic: words::traffic(group).to_owned(),
                ranks: words::ends(&ranks, NAMED_RANKS, FIRST_RANKS),
            })
        })
        .collect()
}

/// The everyday names of the groups that everybody asks for.
fn short_name(kind: GroupKind) -> Option<&'static str> {
    [
        (GroupKind::TP, "tp"),
        (GroupKind::CP, "cp"),
        (GroupKind::DP, "dp"),
        (GroupKind::DP_CP, "dp-cp"),
        (GroupKind::TP_CP, "tp-cp"),
        (GroupKind::PP, "pp"),
        (GroupKind::EP, "ep"),
    ]
    .into_iter()
    .find_map(|(known, name)| (known == kind).then_some(name))
}

fn page_finding(session: &Inner, units: &Utf16, finding: &crate::rules::Finding) -> PageFinding {
    let place =
        |entry| session.reading()?.span(session.text(), session.case(), &finding.field, entry);
    let spans: Vec<Range<usize>> = if finding.entries.is_empty() {
        place(None).into_iter().collect()
    } else {
        finding.entries.iter().filter_map(|entry| place(Some(entry.index))).collect()
    };
    PageFinding {
        code: finding.code.to_owned(),
        name: finding.name.to_owned(),
        severity: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
        .to_owned(),
        field: finding.field.clone(),
        message: finding.message.clone(),
        run: finding.run.to_owned(),
        advice: finding.advice.to_owned(),
        fix: finding.fix.as_ref().map(|fix| fix.title.clone()),
        change: finding.fix.as_ref().map_or(Vec::new(), |fix| {
            fix.set.iter().map(|(field, value)| words::change(field, value)).collect()
        }),
        slots: finding.slots.clone(),
        spans: spans.into_iter().map(|span| units.span(span)).collect(),
    }
}

/// Byte offsets of a text as UTF-16 units.
struct Utf16<'a> {
    text: &'a str,
    /// Then bytes are units.
    ascii: bool,
}

impl<'a> Utf16<'a> {
    fn new(text: &'a str) -> Self {
        Utf16 { text, ascii: text.is_ascii() }
    }

    fn at(&self, byte: usize) -> usize {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        if self.ascii { byte } else { self.text[..byte].encode_utf16().count() }
    }

    fn span(&self, span: Range<usize>) -> Span {
        Span { start: self.at(span.start), end: self.at(span.end) }
    }
}
