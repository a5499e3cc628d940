//! A scene onto any plotters backend: a canvas, an SVG.

use crate::analysis::Analysis;
use crate::scene::theme::{Paint, Theme};
use crate::scene::{self, Anchor, Area, Frame, Mark, Scene, View};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// Draws a scene; `scale` is backend pixels per CSS pixel.
///
/// # Errors
/// The backend's own.
pub fn draw<DB: DrawingBackend>(
    scene: &Scene,
    area: &DrawingArea<DB, Shift>,
    scale: f64,
) -> Drawn<DB> {
    area.fill(&colour(scene.background))?;
    for mark in &scene.marks {
        draw_mark(mark, area, scale)?;
    }
    Ok(())
}

fn draw_mark<DB: DrawingBackend>(
    mark: &Mark,
    area: &DrawingArea<DB, Shift>,
    scale: f64,
) -> Drawn<DB> {
    let at = |x: f64, y: f64| ((x * scale).round() as i32, (y * scale).round() as i32);
    let stroke = |width: f64| ((width * scale).round() as u32).max(1);
    match mark {
        Mark::Fill(shape, paint) => {
            let (a, b) = (at(shape.x, shape.y), at(shape.right(), shape.bottom()));
            // What is there is seen, however thin.
            let b = (b.0.max(a.0 + 1), b.1.max(a.1 + 1));
            area.draw(&Rectangle::new([a, b], colour(*paint).filled()))
        }
        Mark::Hatch(shape, paint) => {
            for (from, to) in hatch(shape, 6.0) {
                let line = vec![at(from.0, from.1), at(to.0, to.1)];
                area.draw(&PathElement::new(line, colour(*paint).stroke_width(stroke(1.5))))?;
            }
            Ok(())
        }
        Mark::Dots(shape, paint) => {
            for (x, y) in dots(shape, 8.0) {
                let size = (1.5 * scale).round() as i32;
                let (x, y) = at(x, y);
                area.draw(&Rectangle::new(
                    [(x, y), (x + size, y + size)],
                    colour(*paint).filled(),
                ))?;
            }
            Ok(())
        }
        Mark::Outline { area: shape, paint, width } => {
            let (a, b) = (at(shape.x, shape.y), at(shape.right(), shape.bottom()));
            let corners = vec![a, (b.0, a.1), b, (a.0, b.1), a];
            area.draw(&PathElement::new(corners, colour(*paint).stroke_width(stroke(*width))))
        }
        Mark::Line { from, to, paint, width } => {
            let line = vec![at(from.0, from.1), at(to.0, to.1)];
            area.draw(&PathElement::new(line, colour(*paint).stroke_width(stroke(*width))))
        }
        Mark::Polygon(points, paint) => {
            let points: Vec<_> = points.iter().map(|&(x, y)| at(x, y)).collect();
            area.draw(&Polygon::new(points, colour(*paint)))
        }
        Mark::Text { x, y, text, size, anchor, paint } => {
            let horizontal = match anchor {
                Anchor::Start => HPos::Left,
                Anchor::Middle => HPos::Center,
                Anchor::End => HPos::Right,
            };
            let colour = colour(*paint);
            let style = TextStyle::from(("monospace", size * scale).into_font())
                .color(&colour)
                .pos(Pos::new(horizontal, VPos::Center));
            area.draw(&Text::new(text.as_str(), at(*x, *y), style))
        }
    }
}

fn colour(paint: Paint) -> RGBAColor {
    let (r, g, b) = paint.rgb;
    RGBColor(r, g, b).mix(paint.alpha.clamp(0.0, 1.0))
}

type Point = (f64, f64);

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
    const CAPTION: f64 = 22.0;
    const MARGIN: f64 = 12.0;
    let inner = Frame { width: frame.width - 2.0 * MARGIN, ..*frame };
    let mut scene = scene::scene(analysis, view, &inner);
    let y = scene.height + CAPTION / 2.0;
    scene.marks.push(Mark::Text {
        x: 0.0,
        y,
        text: format!("{}: {}", view.name(), crate::words::caption(analysis)),
        size: 11.0,
        anchor: Anchor::Start,
        paint: frame.theme.muted,
    });
    let (width, height) = (frame.width, scene.height + CAPTION + MARGIN);
    let mut svg = String::new();
    {
        let root =
            SVGBackend::with_string(&mut svg, (width as u32, height as u32)).into_drawing_area();
        let inside = root.margin(MARGIN as u32, 0, MARGIN as u32, MARGIN as u32);
        // Writing to a string does not fail.
        let _ = root.fill(&colour(scene.background));
        let _ = draw(&scene, &inside, 1.0);
        let _ = root.present();
    }
    svg
}
