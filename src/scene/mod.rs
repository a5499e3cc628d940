//! Rectangles, lines and labels of one view at one zoom. No backend is known here, and no colour
//! outside the theme.

pub mod theme;

mod axes;
mod flow;
mod lanes;
mod matrix;
mod pack;
pub(crate) mod ranks;
pub mod ring;
pub(crate) mod ruler;
mod strip;

use crate::analysis::Analysis;
use theme::{Paint, Theme};

/// Marks that a view stays under, whatever the size of the run.
pub const MARKS: usize = 4000;

/// The views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The stream: every sequence's slot, its padding, the tail.
    Pack,
    /// One lane per CP rank: its chunks in local order.
    Lanes,
    /// The world as nodes of GPUs.
    Ranks,
    /// From the stream to the lanes, chunk by chunk.
    Flow,
    /// rank = Σ coordinate × stride.
    Axes,
    /// Which query sees which key, and on which CP rank.
    Matrix,
    /// What each CP rank computes in each step of the ring.
    Ring,
}

impl View {
    pub const ALL: [View; 7] =
        [View::Pack, View::Lanes, View::Ranks, View::Flow, View::Axes, View::Matrix, View::Ring];

    /// The name on the command line and in the page.
    pub fn name(self) -> &'static str {
        match self {
            View::Pack => "pack",
            View::Lanes => "lanes",
            View::Ranks => "ranks",
            View::Flow => "flow",
            View::Axes => "axes",
            View::Matrix => "matrix",
            View::Ring => "ring",
        }
    }

    pub fn of_name(name: &str) -> Option<View> {
        View::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// A rectangle, CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    fn holds(&self, x: f64, y: f64) -> bool {
        (self.x..self.right()).contains(&x) && (self.y..self.bottom()).contains(&y)
    }
}

/// Where a text stands by its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    Fill(Area, Paint),
    /// Lines at 45° over an area: padding.
    Hatch(Area, Paint),
    /// Dots over an area: tail padding.
    Dots(Area, Paint),
    Outline {
        area: Area,
        paint: Paint,
        width: f64,
    },
    Line {
        from: (f64, f64),
        to: (f64, f64),
        paint: Paint,
        width: f64,
    },
    Polygon(Vec<(f64, f64)>, Paint),
    /// Monospace text; `y` is its middle.
    Text {
        x: f64,
        y: f64,
        text: String,
        size: f64,
        anchor: Anchor,
        paint: Paint,
    },
}

/// A view, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub width: f64,
    pub height: f64,
    pub background: Paint,
    pub marks: Vec<Mark>,
}

impl Scene {
    fn new(width: f64, height: f64, theme: &Theme) -> Self {
        Scene { width, height, background: theme.background, marks: Vec::new() }
    }

    fn fill(&mut self, area: Area, paint: Paint) {
        if area.width > 0.0 && area.height > 0.0 {
            self.marks.push(Mark::Fill(area, paint));
        }
    }

    fn text(
        &mut self,
        x: f64,
        y: f64,
        size: f64,
        anchor: Anchor,
        paint: Paint,
        text: impl Into<String>,
    ) {
        self.marks.push(Mark::Text { x, y, text: text.into(), size, anchor, paint });
    }

    /// A text in the middle of an area, where it fits.
    fn label(&mut self, area: Area, size: f64, paint: Paint, text: &str) {
        if text_width(text, size) + 4.0 <= area.width && size <= area.height {
            let (x, y) = (area.x + area.width / 2.0, area.y + area.height / 2.0);
            self.text(x, y, size, Anchor::Middle, paint, text);
        }
    }

    fn vertical(&mut self, x: f64, y: f64, height: f64, paint: Paint, width: f64) {
        self.marks.push(Mark::Line { from: (x, y), to: (x, y + height), paint, width });
    }
}

/// The width of monospace text: every glyph is 0.602 em in the usual fonts. CSS pixels.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.602
}

/// What is seen of a view that is as long as the stream: `[from, to)`, fractions of its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    pub from: f64,
    pub to: f64,
}

impl Window {
    pub const WHOLE: Window = Window { from: 0.0, to: 1.0 };

    fn is_whole(&self) -> bool {
        self.from <= 0.0 && self.to >= 1.0
    }
}

/// What is lit; everything else is drawn fainter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lit {
    pub token: Option<i64>,
    pub slot: Option<usize>,
    pub rank: Option<usize>,
    pub cp_rank: Option<i64>,
}

/// How a view is to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// CSS pixels.
    pub width: f64,
    pub window: Window,
    pub theme: &'a Theme,
    pub lit: Lit,
    /// The kind of group that ranks are coloured by, in `Topology::kinds`.
    pub group: usize,
    /// Slots that findings are about.
    pub flagged: &'a [usize],
    /// The first of the lanes, where they are more than are drawn at a time.
    pub first_lane: i64,
    /// How far the lanes' chunks have moved from the stream (0) to their ranks (1).
    pub settled: f64,
}

impl<'a> Frame<'a> {
    /// The whole view, nothing lit.
    pub fn whole(width: f64, theme: &'a Theme) -> Self {
        let lit = Lit::default();
        Frame {
            width,
            window: Window::WHOLE,
            theme,
            lit,
            group: usize::MAX,
            flagged: &[],
            first_lane: 0,
            settled: 1.0,
        }
    }
}

/// What is under a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A token of the stream.
    Token(i64),
    /// A global rank.
    Rank(usize),
    /// A step of the ring on a CP rank.
    Step { cp_rank: i64, step: i64 },
}

/// Draws a view.
pub fn scene(analysis: &Analysis, view: View, frame: &Frame) -> Scene {
    match view {
        View::Pack => pack::scene(analysis, frame),
        View::Lanes => lanes::scene(analysis, frame),
        View::Ranks => ranks::scene(analysis, frame),
        View::Flow => flow::scene(analysis, frame),
        View::Axes => axes::scene(analysis, frame),
        View::Matrix => matrix::scene(analysis, frame),
        View::Ring => ring::scene(analysis, frame),
    }
}

/// The first of the lanes that are drawn so that a CP rank's is among them: `first` where it is
/// already, or where no rank is given. 0 where all lanes are drawn.
pub fn first_lane(analysis: &Analysis, first: i64, cp_rank: Option<i64>) -> i64 {
    analysis.cut.as_ref().map_or(0, |cut| lanes::first_lane(cut.cp(), first, cp_rank))
}

/// The place under a point of a view's overview, a fraction of what it is an overview of; none where
/// the point is not on it.
pub fn overview_hit(analysis: &Analysis, view: View, frame: &Frame, x: f64, y: f64) -> Option<f64> {
    let area = match view {
        View::Pack => pack::overview(frame),
        View::Lanes => lanes::overview(analysis, frame)?,
        _ => return None,
    };
    strip::on_overview(frame, area, y).then(|| ((x - area.x) / area.width).clamp(0.0, 1.0))
}

/// Where a token lies in a view that is zoomed, a fraction of its length; none where it is not in it.
pub fn place(analysis: &Analysis, view: View, token: i64) -> Option<f64> {
    match view {
        View::Pack => Some(token as f64 / pack::stream_length(analysis)),
        View::Lanes => {
            let cut = analysis.cut.as_ref().ok()?;
            Some(cut.locate(token)?.local_index as f64 / cut.local_tokens() as f64)
        }
        _ => None,
    }
}

/// What lies under a point of a view, CSS pixels.
pub fn hit(analysis: &Analysis, view: View, frame: &Frame, x: f64, y: f64) -> Option<Target> {
    match view {
        View::Pack => pack::hit(analysis, frame, x, y),
        View::Lanes => lanes::hit(analysis, frame, x, y),
        View::Ranks => ranks::hit(analysis, frame, x, y),
        View::Flow => flow::hit(analysis, frame, x, y),
        View::Axes => axes::hit(analysis, frame, x, y),
        View::Matrix => matrix::hit(analysis, frame, x, y),
        View::Ring => ring::hit(analysis, frame, x, y),
    }
}
