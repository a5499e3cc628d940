//! A canvas in the page as a surface to draw on.

use crate::draw::{Point, Surface};
use crate::scene::Anchor;
use crate::scene::theme::Paint;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

// `web-sys` takes colours as strings, which are copied to JavaScript mark by mark; here they are
// JavaScript's own, made once.
#[wasm_bindgen]
extern "C" {
    /// The page's canvas.
    #[wasm_bindgen(typescript_type = "HTMLCanvasElement")]
    pub type CanvasElement;
    #[wasm_bindgen(method, getter)]
    pub(super) fn width(this: &CanvasElement) -> u32;
    #[wasm_bindgen(method, getter)]
    pub(super) fn height(this: &CanvasElement) -> u32;
    #[wasm_bindgen(method, setter)]
    pub(super) fn set_width(this: &CanvasElement, width: u32);
    #[wasm_bindgen(method, setter)]
    pub(super) fn set_height(this: &CanvasElement, height: u32);
    #[wasm_bindgen(method, js_name = getContext)]
    fn get_context(this: &CanvasElement, kind: &str) -> Option<CanvasRenderingContext2D>;

    type CanvasRenderingContext2D;

    #[wasm_bindgen(method, setter, js_name = fillStyle)]
    fn set_fill_style(this: &CanvasRenderingContext2D, style: &JsValue);
    #[wasm_bindgen(method, setter, js_name = strokeStyle)]
    fn set_stroke_style(this: &CanvasRenderingContext2D, style: &JsValue);
    #[wasm_bindgen(method, setter, js_name = lineWidth)]
    fn set_line_width(this: &CanvasRenderingContext2D, width: f64);
    #[wasm_bindgen(method, setter, js_name = font)]
    fn set_font(this: &CanvasRenderingContext2D, font: &str);
    #[wasm_bindgen(method, setter, js_name = textAlign)]
    fn set_text_align(this: &CanvasRenderingContext2D, align: &str);
    #[wasm_bindgen(method, setter, js_name = textBaseline)]
    fn set_text_baseline(this: &CanvasRenderingContext2D, baseline: &str);
    #[wasm_bindgen(method, js_name = fillRect)]
    fn fill_rect(this: &CanvasRenderingContext2D, x: f64, y: f64, width: f64, height: f64);
    #[wasm_bindgen(method, js_name = strokeRect)]
    fn stroke_rect(this: &CanvasRenderingContext2D, x: f64, y: f64, width: f64, height: f64);
    #[wasm_bindgen(method, js_name = beginPath)]
    fn begin_path(this: &CanvasRenderingContext2D);
    #[wasm_bindgen(method, js_name = moveTo)]
    fn move_to(this: &CanvasRenderingContext2D, x: f64, y: f64);
    #[wasm_bindgen(method, js_name = lineTo)]
    fn line_to(this: &CanvasRenderingContext2D, x: f64, y: f64);
    #[wasm_bindgen(method)]
    fn fill(this: &CanvasRenderingContext2D);
    #[wasm_bindgen(method)]
    fn stroke(this: &CanvasRenderingContext2D);
    #[wasm_bindgen(method, js_name = fillText)]
    fn fill_text(this: &CanvasRenderingContext2D, text: &str, x: f64, y: f64);
}

/// What the context is set to is remembered, and set again only where it changes.
pub(super) struct Canvas {
    context: CanvasRenderingContext2D,
    fill: Option<u32>,
    stroke: Option<u32>,
    width: f64,
    size: f64,
    anchor: Option<Anchor>,
}

impl Canvas {
    /// The surface of a canvas; none where it has no 2D context.
    pub fn of(canvas: &CanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d")?;
        context.set_text_baseline("middle");
        let none = f64::NAN;
        Some(Canvas { context, fill: None, stroke: None, width: none, size: none, anchor: None })
    }

    fn filling(&mut self, paint: Paint) {
        let key = key(paint);
        if self.fill != Some(key) {
            self.fill = Some(key);
            with_style(key, |style| self.context.set_fill_style(style));
        }
    }

    fn stroking(&mut self, paint: Paint, width: f64) {
        let key = key(paint);
        if self.stroke != Some(key) {
            self.stroke = Some(key);
            with_style(key, |style| self.context.set_stroke_style(style));
        }
        if self.width != width {
            self.width = width;
            self.context.set_line_width(width);
        }
    }
}

/// A colour with its alpha, eight bits each.
fn key(paint: Paint) -> u32 {
    let (r, g, b) = paint.rgb;
    u32::from_be_bytes([r, g, b, paint.alpha])
}

thread_local! {
    /// Colours as JavaScript's strings, one at each place of their hash.
    static STYLES: RefCell<Vec<Option<(u32, JsValue)>>> = RefCell::new(vec![None; 4096]);
}

fn with_style(key: u32, run: impl FnOnce(&JsValue)) {
    STYLES.with_borrow_mut(|styles| {
        let place = key.wrapping_mul(0x9e37_79b1) >> 20;
        let style = &mut styles[place as usize];
        match style {
            Some((known, style)) if *known == key => run(style),
            _ => {
                let made: JsValue = format!("#{key:08x}").into();
                run(&made);
                *style = Some((key, made));
            }
        }
    });
}

impl Surface for Canvas {
    fn rectangle(&mut self, from: Point, to: Point, paint: Paint) {
        self.filling(paint);
        self.context.fill_rect(from.0, from.1, to.0 - from.0, to.1 - from.1);
    }

    fn outline(&mut self, from: Point, to: Point, paint: Paint, width: f64) {
        self.stroking(paint, width);
        self.context.stroke_rect(from.0, from.1, to.0 - from.0, to.1 - from.1);
    }

    fn lines(&mut self, lines: &[(Point, Point)], paint: Paint, width: f64) {
        self.stroking(paint, width);
        self.context.begin_path();
        for (from, to) in lines {
            self.context.move_to(from.0, from.1);
            self.context.line_to(to.0, to.1);
        }
        self.context.stroke();
    }

    fn polygon(&mut self, points: &[Point], paint: Paint) {
        self.filling(paint);
        self.context.begin_path();
        for point in points {
            self.context.line_to(point.0, point.1);
        }
        self.context.fill();
    }

    fn text(&mut self, at: Point, text: &str, size: f64, anchor: Anchor, paint: Paint) {
        self.filling(paint);
        if self.size != size {
            self.size = size;
            self.context.set_font(&format!("{}px monospace", size.round() as u32));
        }
        if self.anchor != Some(anchor) {
            self.anchor = Some(anchor);
            self.context.set_text_align(match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "center",
                Anchor::End => "end",
            });
        }
        self.context.fill_text(text, at.0, at.1);
    }
}
