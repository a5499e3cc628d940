//! What views look like: SVG snapshots, and colours that can be told apart.
#![cfg(not(target_arch = "wasm32"))]

use expect_test::expect_file;
use packscope::scene::{Frame, Mark, View, scene, theme};
use packscope::{GroupKind, analyze, draw, input};

#[test]
fn views_look_as_they_did() {
    let text = "cu_seqlens_q = [0, 14, 22, 30, 30]\ncu_seqlens_q_padded = [0, 16, 24, 32, 32]\ntotal_tokens = 40\n\
                --tensor-model-parallel-size 2 --context-parallel-size 2 --sequence-parallel\nWORLD_SIZE=8";
    let scenario = input::read(text).unwrap().scenario();
    let analysis = analyze(&scenario);
    for view in View::ALL {
        let svg = draw::svg(&analysis, view, 720.0, &theme::LIGHT);
        expect_file![format!("snapshots/{}.svg", view.name())].assert_eq(&svg);
    }
    for (name, theme) in [("dark", &theme::DARK), ("print", &theme::PRINT)] {
        let svg = draw::svg(&analysis, View::Pack, 720.0, theme);
        expect_file![format!("snapshots/pack-{name}.svg")].assert_eq(&svg);
    }
}

fn linear((r, g, b): (u8, u8, u8)) -> [f64; 3] {
    [r, g, b].map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

fn luminance(rgb: (u8, u8, u8)) -> f64 {
    let [r, g, b] = linear(rgb);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

/// Linear RGB as a dichromat sees it, at full strength (Machado, Oliveira and Fernandes, 2009).
const SIGHTS: [(&str, [[f64; 3]; 3]); 4] = [
    ("usual", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

/// OKLab of linear RGB.
fn oklab([r, g, b]: [f64; 3]) -> [f64; 3] {
    let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).max(0.0).cbrt();
    let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).max(0.0).cbrt();
    let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).max(0.0).cbrt();
    [
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    ]
}

#[test]
fn neighbours_are_told_apart_by_every_sight() {
    for theme in [&theme::LIGHT, &theme::DARK, &theme::PRINT] {
        for (sight, matrix) in SIGHTS {
            let seen = |index: usize| {
                let rgb = linear(theme.sequence(index).rgb);
                oklab(std::array::from_fn(|row| (0..3).map(|k| matrix[row][k] * rgb[k]).sum()))
            };
            for index in 0..500 {
                let (a, b) = (seen(index), seen(index + 1));
                let distance = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
                assert!(
                    distance > 0.06,
                    "{} {sight}: {index} and {} are {distance:.3} apart",
                    theme.name,
                    index + 1
                );
            }
        }
    }
}

#[test]
fn text_on_a_sequence_is_read() {
    for theme in [&theme::LIGHT, &theme::DARK, &theme::PRINT] {
        for index in 0..500 {
            let ratio = contrast(theme.ink.rgb, theme.sequence(index).rgb);
            assert!(ratio >= 4.5, "{}: {index} has {ratio:.2}", theme.name);
        }
        for paint in [theme.text, theme.muted, theme.accent] {
            assert!(contrast(paint.rgb, theme.background.rgb) >= 4.5, "{}: {paint:?}", theme.name);
        }
    }
}

#[test]
fn a_colour_depends_on_its_index_alone() {
    let colour_of_seq_2 = |text: &str| {
        let scenario = input::read(text).unwrap().scenario();
        let svg = draw::svg(&analyze(&scenario), View::Pack, 600.0, &theme::LIGHT);
        let (r, g, b) = theme::LIGHT.sequence(2).rgb;
        svg.contains(&format!("#{r:02X}{g:02X}{b:02X}"))
    };
    assert!(colour_of_seq_2("[0, 500, 700, 1100]") && colour_of_seq_2("[0, 50, 70, 3100, 4000]"));
}

#[test]
fn a_square_of_many_ranks_wears_the_colour_of_its_group_or_none() {
    let mut scenario = input::read("[0, 8]").unwrap().scenario();
    scenario.topology.world_size = Some(16_384);
    scenario.topology.context_parallel_size = 16;
    let analysis = analyze(&scenario);
    let topology = analysis.topology.as_ref().unwrap();
    let kind = |wanted| topology.kinds().iter().position(|&kind| kind == wanted).unwrap();
    let grey = |group| {
        let frame = Frame { group, ..Frame::whole(980.0, &theme::LIGHT) };
        let paints: Vec<_> = scene(&analysis, View::Ranks, &frame)
            .marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Fill(_, paint) => Some(*paint),
                _ => None,
            })
            .take(1024)
            .collect();
        paints.iter().filter(|&&paint| paint == theme::LIGHT.merged.faint(0.35)).count()
    };
    // 2,048 nodes in racks of two: 16 ranks a square, one cp group each, 16 groups of tp.
    assert_eq!(grey(kind(GroupKind::CP)), 0);
    assert_eq!(grey(kind(GroupKind::TP)), 1024);
    let sentence = packscope::words::ranks_sentence(&analysis, kind(GroupKind::CP));
    assert!(sentence.contains("a square is a rack of 2 nodes"), "{sentence}");
}

/// Left and right of everything that is filled at a height, in order. Whole CSS pixels.
fn filled_at(scene: &packscope::scene::Scene, y: f64) -> Vec<(f64, f64)> {
    let mut areas: Vec<_> = scene
        .marks
        .iter()
        .filter_map(|mark| match mark {
            Mark::Fill(area, _) if area.y == y => Some((area.x.round(), area.right().round())),
            _ => None,
        })
        .collect();
    areas.sort_by(|a, b| a.0.total_cmp(&b.0));
    areas
}

#[test]
fn chunks_move_from_their_places_in_the_stream_to_their_ranks() {
    let text =
        "cu_seqlens_q = [0, 32, 80]\ntotal_tokens = 80\n--context-parallel-size 2\nWORLD_SIZE=2";
    let scenario = input::read(text).unwrap().scenario();
    let analysis = analyze(&scenario);
    let lanes = |settled| {
        let frame = Frame { settled, ..Frame::whole(800.0, &theme::LIGHT) };
        scene(&analysis, View::Lanes, &frame)
    };
    // Ten pixels a token: 8 tokens a chunk of the first slot, 12 of the second.
    let chunks = [0, 8, 16, 24, 32, 44, 56, 68, 80];
    let stream: Vec<_> =
        chunks.windows(2).map(|ends| (f64::from(ends[0] * 10), f64::from(ends[1] * 10))).collect();
    assert_eq!(filled_at(&lanes(0.0), 0.0), stream);
    // As they arrive they are where they are drawn at rest.
    let (arriving, resting) = (lanes(1.0 - 1e-12), lanes(1.0));
    let fills = |scene: &packscope::scene::Scene| {
        let whole = |area: &packscope::scene::Area| {
            [area.x, area.y, area.right(), area.bottom()].map(f64::round)
        };
        let fill = |mark: &Mark| match mark {
            Mark::Fill(area, paint) => Some((whole(area), *paint)),
            _ => None,
        };
        scene.marks.iter().filter_map(fill).collect::<Vec<_>>()
    };
    assert_eq!(fills(&arriving), fills(&resting));
    assert_eq!(fills(&resting).len(), 8);
    // With a tail behind the slots they begin where the pack above has them: eight pixels a token.
    let scenario = input::read(&text.replace("= 80", "= 100")).unwrap().scenario();
    let frame = Frame { settled: 0.0, ..Frame::whole(800.0, &theme::LIGHT) };
    let behind_a_tail = scene(&analyze(&scenario), View::Lanes, &frame);
    let stream: Vec<_> = stream.iter().map(|(left, right)| (left * 0.8, right * 0.8)).collect();
    assert_eq!(filled_at(&behind_a_tail, 0.0), stream);
}

#[test]
fn of_many_lanes_those_are_drawn_that_are_asked_for() {
    let text = "cu_seqlens_q = [0, 4096]\ntotal_tokens = 4096\n--context-parallel-size 256\nWORLD_SIZE=256";
    let scenario = input::read(text).unwrap().scenario();
    let analysis = analyze(&scenario);
    let shown = |first_lane| {
        let frame = Frame { first_lane, ..Frame::whole(800.0, &theme::LIGHT) };
        let svg = draw::svg_of(&analysis, View::Lanes, &frame);
        (0..=192).find(|first| svg.contains(&format!("cp {first} to {} of 256", first + 63)))
    };
    assert_eq!([-5, 0, 96, 192, 9999].map(shown), [0, 0, 96, 192, 192].map(Some));
    let first = |first, cp_rank| packscope::scene::first_lane(&analysis, first, cp_rank);
    // What is in sight stays where it is; what is not comes into the middle.
    assert_eq!([first(96, None), first(96, Some(96)), first(96, Some(159))], [96, 96, 96]);
    assert_eq!([first(96, Some(95)), first(96, Some(160)), first(96, Some(255))], [63, 128, 192]);
    let scenario = input::read("[0, 8]").unwrap().scenario();
    assert_eq!(packscope::scene::first_lane(&analyze(&scenario), i64::MAX, Some(3)), 0);
}
