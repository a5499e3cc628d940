//! A ruler of tokens.

use super::{Anchor, Scene, text_width};
use crate::scene::theme::Theme;

pub(super) const HEIGHT: f64 = 20.0;

/// Where tokens lie in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The first token at the left edge, fractions of tokens included.
    pub from: f64,
    /// Tokens across the width.
    pub span: f64,
    pub left: f64,
    pub width: f64,
}

impl Scale {
    pub fn x(&self, token: f64) -> f64 {
        self.left + (token - self.from) / self.span * self.width
    }

    pub fn token(&self, x: f64) -> f64 {
        self.from + (x - self.left) / self.width * self.span
    }

    pub fn pixels_per_token(&self) -> f64 {
        self.width / self.span
    }

    pub fn to(&self) -> f64 {
        self.from + self.span
    }

    /// Pixels of `[start, end)`, cut to what is seen; none where nothing is.
    pub fn clip(&self, start: f64, end: f64) -> Option<(f64, f64)> {
        let a = self.x(start).max(self.left);
        let b = self.x(end).min(self.left + self.width);
        (b > a).then_some((a, b))
    }
}

/// Ticks at round numbers, as many as have room.
pub(super) fn draw(scene: &mut Scene, theme: &Theme, scale: &Scale, y: f64) {
    let size = 10.0;
    let widest = text_width(&thousands(scale.to() as i64), size) + 16.0;
    let wanted = (scale.width / widest).clamp(1.0, 14.0);
    let step = round_step(scale.span / wanted);
    let mut tick = (scale.from / step).ceil() * step;
    while tick <= scale.to() + 1e-9 {
        let x = scale.x(tick);
        scene.vertical(x, y + HEIGHT - 5.0, 5.0, theme.muted, 1.0);
        let text = thousands(tick.round() as i64);
        let half = text_width(&text, size) / 2.0;
        let anchor = if x - half < scale.left {
            Anchor::Start
        } else if x + half > scale.left + scale.width {
            Anchor::End
        } else {
            Anchor::Middle
        };
        scene.text(x, y + 7.0, size, anchor, theme.muted, text);
        tick += step;
    }
}

/// 1, 2, 4 or 5 times a power of ten (of two below 16): the least at or above, at least 1.
fn round_step(step: f64) -> f64 {
    if step <= 1.0 {
        return 1.0;
    }
    let mut power = 1.0;
    while power < 1e15 && power * 10.0 <= step {
        power *= 10.0;
    }
    [1.0, 2.0, 4.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|&s| s >= step - 1e-9)
        .unwrap_or(power * 10.0)
}

/// Thousands apart by thin spaces, for reading.
pub(crate) fn thousands(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    if n < 0 { format!("−{out}") } else { out }
}
