//! Colours. Sequences have hues a golden angle apart in OKLCH, at two lightnesses in turn.

/// A colour and how much of it. Red, green, blue; 255 is opaque.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    pub rgb: (u8, u8, u8),
    pub alpha: u8,
}

impl Paint {
    const fn of(hex: u32) -> Self {
        Paint { rgb: ((hex >> 16) as u8, (hex >> 8) as u8, hex as u8), alpha: 255 }
    }

    /// As much fainter.
    pub fn faint(self, alpha: f64) -> Self {
        Paint { alpha: (f64::from(self.alpha) * alpha).round() as u8, ..self }
    }
}

/// The colours of one theme.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: &'static str,
    pub background: Paint,
    pub text: Paint,
    pub muted: Paint,
    pub line: Paint,
    /// Text on a sequence's colour.
    pub ink: Paint,
    pub accent: Paint,
    pub tail: Paint,
    pub error: Paint,
    /// What is drawn where many sequences fall on one place.
    pub merged: Paint,
    /// Far enough apart that neighbours differ where hues look alike.
    lightness: [f64; 2],
    chroma: f64,
    /// How strong the hatch of padding is.
    pub hatch: f64,
    /// How strong the hue of padding is under its hatch.
    pub padding: f64,
}

pub const LIGHT: Theme = Theme {
    name: "light",
    background: Paint::of(0xffffff),
    text: Paint::of(0x1c1f24),
    muted: Paint::of(0x5d6470),
    line: Paint::of(0xc6cad1),
    ink: Paint::of(0x15171a),
    accent: Paint::of(0x1d5fd0),
    tail: Paint::of(0x9aa1ac),
    error: Paint::of(0xc22f2f),
    merged: Paint::of(0x8792a5),
    lightness: [0.87, 0.69],
    chroma: 0.1,
    hatch: 0.75,
    padding: 0.28,
};

pub const DARK: Theme = Theme {
    name: "dark",
    background: Paint::of(0x16181c),
    text: Paint::of(0xe7e9ed),
    muted: Paint::of(0x9aa2af),
    line: Paint::of(0x3d434d),
    ink: Paint::of(0x0d0e10),
    accent: Paint::of(0x7db0ff),
    tail: Paint::of(0x6c7480),
    error: Paint::of(0xff7b72),
    merged: Paint::of(0x7f8aa0),
    lightness: [0.8, 0.63],
    chroma: 0.1,
    hatch: 0.8,
    padding: 0.22,
};

pub const PRINT: Theme = Theme {
    name: "print",
    background: Paint::of(0xffffff),
    text: Paint::of(0x000000),
    muted: Paint::of(0x333333),
    line: Paint::of(0x777777),
    ink: Paint::of(0x000000),
    accent: Paint::of(0x000000),
    tail: Paint::of(0x555555),
    error: Paint::of(0x000000),
    merged: Paint::of(0xaaaaaa),
    lightness: [0.95, 0.8],
    chroma: 0.05,
    hatch: 1.0,
    padding: 0.15,
};

impl Theme {
    /// Their names on the command line and in the page.
    pub const NAMES: [&str; 3] = ["light", "dark", "print"];

    /// The theme of a name; light for any other.
    pub fn of_name(name: &str) -> &'static Theme {
        match name {
            "dark" => &DARK,
            "print" => &PRINT,
            _ => &LIGHT,
        }
    }

    /// A sequence's colour: by its index alone, so that edits elsewhere leave it as it is.
    pub fn sequence(&self, index: usize) -> Paint {
        Paint { rgb: oklch(self.lightness[index % 2], self.chroma, hue(index)), alpha: 255 }
    }

    /// The colour of a group of ranks.
    pub fn group(&self, index: usize) -> Paint {
        self.sequence(index)
    }
}

/// Cosine and sine of 25°, the first hue, and of the golden angle, 137.508°, from hue to hue.
const FIRST: (f64, f64) = (0.906_307_787_036_650, 0.422_618_261_740_699_4);
const GOLDEN: (f64, f64) = (-0.737_368_878_078_319_7, 0.675_490_294_261_523_8);

/// The direction of a hue: the first one turned `index` times.
fn hue(mut index: usize) -> (f64, f64) {
    let turned = |(a, b): (f64, f64), (c, d): (f64, f64)| (a * c - b * d, a * d + b * c);
    let (mut hue, mut turn) = (FIRST, GOLDEN);
    while index > 0 {
        if index % 2 == 1 {
            hue = turned(hue, turn);
        }
        turn = turned(turn, turn);
        index /= 2;
    }
    hue
}

/// sRGB of an OKLCH colour, its chroma lowered until it is one. The hue is its cosine and sine.
fn oklch(lightness: f64, chroma: f64, (cos, sin): (f64, f64)) -> (u8, u8, u8) {
    let mut chroma = chroma;
    loop {
        let linear = oklab_to_linear(lightness, chroma * cos, chroma * sin);
        let inside = linear.iter().all(|c| (-0.0005..=1.0005).contains(c));
        if inside || chroma < 0.01 {
            let [r, g, b] = linear.map(|c| {
                let c = c.clamp(0.0, 1.0);
                // c^(1/2.4) as c^(1/4) · c^(1/6).
                let root = c.sqrt();
                let encoded = if c <= 0.003_130_8 {
                    12.92 * c
                } else {
                    1.055 * root.sqrt() * cube_root(root) - 0.055
                };
                (encoded * 255.0).round() as u8
            });
            return (r, g, b);
        }
        chroma *= 0.96;
    }
}

/// The cube root of a number from 0.05 to 1, by Newton's method: the library's own is a kilobyte.
fn cube_root(c: f64) -> f64 {
    (0..8).fold(1.0, |root, _| root - (root - c / (root * root)) / 3.0)
}

/// Linear sRGB of an OKLab colour (Björn Ottosson, "A perceptual color space", 2020).
fn oklab_to_linear(l: f64, a: f64, b: f64) -> [f64; 3] {
    let long = (l + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let medium = (l - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let short = (l - 0.089_484_177_5 * a - 1.291_485_548 * b).powi(3);
    [
        4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701 * short,
    ]
}
