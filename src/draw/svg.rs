//! Scenes as SVG, with a caption that says the parameters.

use super::{Point, Surface, draw};
use crate::analysis::Analysis;
use crate::scene::theme::{Paint, Theme};
use crate::scene::{self, Anchor, Frame, Mark, View};
use std::fmt::Write;

/// The caption's height and the margin around a view, pixels.
const CAPTION: i32 = 22;
const MARGIN: i32 = 12;

/// A view as SVG, `width` pixels wide, with a caption that says the parameters.
///
/// ```
/// use packscope::scene::{View, theme};
/// let scenario = packscope::input::read("[0, 500, 700]").unwrap().scenario();
/// let svg = packscope::draw::svg(&packscope::analyze(&scenario), View::Pack, 600.0, &theme::LIGHT);
/// assert!(svg.starts_with("<svg") && svg.contains("seq 0"));
/// ```
pub fn svg(analysis: &Analysis, view: View, width: f64, theme: &Theme) -> String {
    svg_of(analysis, view, &Frame::whole(width, theme))
}

/// A view as SVG as the frame says, with the caption.
pub fn svg_of(analysis: &Analysis, view: View, frame: &Frame) -> String {
    let inner = Frame { width: frame.width - f64::from(2 * MARGIN), ..*frame };
    let mut scene = scene::scene(analysis, view, &inner);
    let y = scene.height + f64::from(CAPTION / 2);
    scene.marks.push(Mark::Text {
        x: 0.0,
        y,
        text: format!("{}: {}", view.name(), crate::words::caption(analysis)),
        size: 11.0,
        anchor: Anchor::Start,
        paint: frame.theme.muted,
    });
    scene.height += f64::from(CAPTION);
    let (width, height) = (frame.width as i64, scene.height as i64 + i64::from(MARGIN));
    let mut svg = Svg(format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\" font-family=\"monospace\">\n"
    ));
    svg.rectangle((0.0, 0.0), (width as f64, height as f64), scene.background);
    let _ = writeln!(svg.0, "<g transform=\"translate({MARGIN} {MARGIN})\">");
    draw(&scene, &mut svg, 1.0);
    svg.0 + "</g>\n</svg>\n"
}

/// An SVG as far as it is written. (Writing to a string does not fail.)
struct Svg(String);

impl Svg {
    /// A place or a length: whole, or the middle between two.
    fn number(&mut self, value: f64) {
        let halves = (value * 2.0).round() as i64;
        let sign = if halves < 0 { "-" } else { "" };
        let half = if halves % 2 == 0 { "" } else { ".5" };
        let _ = write!(self.0, "{sign}{}{half}", halves.abs() / 2);
    }

    fn attribute(&mut self, name: &str, value: f64) {
        let _ = write!(self.0, " {name}=\"");
        self.number(value);
        self.0.push('"');
    }

    fn area(&mut self, from: Point, to: Point) {
        self.0.push_str("<rect");
        self.attribute("x", from.0);
        self.attribute("y", from.1);
        self.attribute("width", to.0 - from.0);
        self.attribute("height", to.1 - from.1);
    }

    fn point(&mut self, before: &str, (x, y): Point) {
        self.0.push_str(before);
        self.number(x);
        self.0.push(' ');
        self.number(y);
    }

    fn fill(&mut self, paint: Paint) {
        self.colour("fill", paint);
    }

    fn stroke(&mut self, paint: Paint, width: f64) {
        self.0.push_str(" fill=\"none\"");
        self.attribute("stroke-width", width);
        self.colour("stroke", paint);
    }

    fn colour(&mut self, attribute: &str, paint: Paint) {
        let (r, g, b) = paint.rgb;
        let _ = write!(self.0, " {attribute}=\"#{r:02X}{g:02X}{b:02X}\"");
        let percent = (u32::from(paint.alpha) * 100 + 127) / 255;
        if percent < 100 {
            let _ = write!(self.0, " opacity=\".{percent:02}\"");
        }
    }

    fn end(&mut self) {
        self.0.push_str("/>\n");
    }
}

impl Surface for Svg {
    fn rectangle(&mut self, from: Point, to: Point, paint: Paint) {
        self.area(from, to);
        self.fill(paint);
        self.end();
    }

    fn outline(&mut self, from: Point, to: Point, paint: Paint, width: f64) {
        self.area(from, to);
        self.stroke(paint, width);
        self.end();
    }

    fn lines(&mut self, lines: &[(Point, Point)], paint: Paint, width: f64) {
        self.0.push_str("<path d=\"");
        for &(from, to) in lines {
            self.point("M", from);
            self.point("L", to);
        }
        self.0.push('"');
        self.stroke(paint, width);
        self.end();
    }

    fn polygon(&mut self, points: &[Point], paint: Paint) {
        self.0.push_str("<polygon points=\"");
        for &point in points {
            self.point(" ", point);
        }
        self.0.push('"');
        self.fill(paint);
        self.end();
    }

    fn text(&mut self, at: Point, text: &str, size: f64, anchor: Anchor, paint: Paint) {
        self.0.push_str("<text");
        self.attribute("x", at.0);
        self.attribute("y", at.1);
        self.attribute("font-size", size);
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = write!(self.0, " dy=\".35em\" text-anchor=\"{anchor}\"");
        self.fill(paint);
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(self.0, ">{text}</text>");
    }
}
