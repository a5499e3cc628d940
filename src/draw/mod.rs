//! A scene onto any surface: a canvas, an SVG. One drawing code for both.

mod svg;

pub use svg::{svg, svg_of};

use crate::scene::theme::Paint;
use crate::scene::{Anchor, Area, Mark, Scene};

/// A place on a surface: whole device pixels, or their middles.
pub type Point = (f64, f64);

/// What can be drawn on.
pub trait Surface {
    /// A filled rectangle from one corner to the other.
    fn rectangle(&mut self, from: Point, to: Point, paint: Paint);
    /// The border of one.
    fn outline(&mut self, from: Point, to: Point, paint: Paint, width: f64);
    /// Straight lines, apart from each other.
    fn lines(&mut self, lines: &[(Point, Point)], paint: Paint, width: f64);
    /// A filled polygon.
    fn polygon(&mut self, points: &[Point], paint: Paint);
    /// Monospace text of a size in pixels; `at` is its middle line.
    fn text(&mut self, at: Point, text: &str, size: f64, anchor: Anchor, paint: Paint);
}

/// Draws a scene; `scale` is the surface's pixels per CSS pixel.
pub fn draw(scene: &Scene, surface: &mut dyn Surface, scale: f64) {
    let end = ((scene.width * scale).round(), (scene.height * scale).round());
    surface.rectangle((0.0, 0.0), end, scene.background);
    for mark in &scene.marks {
        draw_mark(mark, surface, scale);
    }
}

fn draw_mark(mark: &Mark, surface: &mut dyn Surface, scale: f64) {
    let at = |x: f64, y: f64| ((x * scale).round(), (y * scale).round());
    let corners = |area: &Area| (at(area.x, area.y), at(area.right(), area.bottom()));
    let stroke = |width: f64| (width * scale).round().max(1.0);
    match mark {
        Mark::Fill(area, paint) => {
            let (from, to) = corners(area);
            // What is there is seen, however thin.
            let to = (to.0.max(from.0 + 1.0), to.1.max(from.1 + 1.0));
            surface.rectangle(from, to, *paint);
        }
        Mark::Hatch(area, paint) => {
            let mut lines = hatch(area, 6.0);
            for (from, to) in &mut lines {
                (*from, *to) = (at(from.0, from.1), at(to.0, to.1));
            }
            surface.lines(&lines, *paint, stroke(1.5));
        }
        Mark::Dots(area, paint) => {
            let size = (1.5 * scale).round();
            for (x, y) in dots(area, 8.0) {
                let (x, y) = at(x, y);
                surface.rectangle((x, y), (x + size, y + size), *paint);
            }
        }
        Mark::Outline { area, paint, width } => {
            // All of it lies within the area.
            let ((x0, y0), (x1, y1)) = corners(area);
            let half = stroke(*width) / 2.0;
            let from = (x0 + half, y0 + half);
            let to = ((x1 - half).max(from.0), (y1 - half).max(from.1));
            surface.outline(from, to, *paint, stroke(*width));
        }
        Mark::Line { from, to, paint, width } => {
            let half = middle(stroke(*width));
            let (from, to) = (at(from.0, from.1), at(to.0, to.1));
            let line = ((from.0 + half, from.1 + half), (to.0 + half, to.1 + half));
            surface.lines(&[line], *paint, stroke(*width));
        }
        Mark::Polygon(points, paint) => {
            let points: Vec<Point> = points.iter().map(|&(x, y)| at(x, y)).collect();
            surface.polygon(&points, *paint);
        }
        Mark::Text { x, y, text, size, anchor, paint } => {
            surface.text(at(*x, *y), text, size * scale, *anchor, *paint);
        }
    }
}

/// A line of odd width is sharp where it runs through the middles of pixels.
fn middle(width: f64) -> f64 {
    if width as i64 % 2 == 1 { 0.5 } else { 0.0 }
}

/// Lines at 45° over an area, on one grid for the whole page, so that neighbours join.
fn hatch(area: &Area, gap: f64) -> Vec<(Point, Point)> {
    let mut lines = Vec::new();
    let mut sum = ((area.x + area.y) / gap).ceil() * gap;
    while sum < area.right() + area.bottom() {
        let x0 = (sum - area.bottom()).max(area.x);
        let x1 = (sum - area.y).min(area.right());
        if x1 > x0 {
            lines.push(((x0, sum - x0), (x1, sum - x1)));
        }
        sum += gap;
        if lines.len() > 600 {
            break;
        }
    }
    lines
}

fn dots(area: &Area, gap: f64) -> Vec<Point> {
    let steps = |from: f64, to: f64, most: usize| -> Vec<f64> {
        let gap = gap.max((to - from) / most as f64);
        std::iter::successors(Some(from + gap / 2.0), move |at| Some(at + gap))
            .take_while(|at| *at < to)
            .collect()
    };
    let rows = steps(area.y, area.bottom(), 8);
    steps(area.x, area.right(), 120)
        .into_iter()
        .flat_map(|x| rows.iter().map(move |&y| (x, y)).collect::<Vec<_>>())
        .collect()
}
