//! Every reader, and all that follows from what it reads: nothing may panic, and nothing may hang.
#![no_main]

use libfuzzer_sys::fuzz_target;
use packscope::scene::{Frame, View, theme};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = packscope::input::text_of_file(bytes) else { return };
    let mut session = packscope::session::Session::default();
    session.set_text(&text);
    let Ok(reading) = packscope::input::read(&text) else { return };
    let scenario = reading.scenario();
    let analysis = packscope::analyze(&scenario);
    for finding in packscope::rules::check_among(&analysis, &reading.peers(0)) {
        if let Some(span) = reading.span(&text, 0, &finding.field, finding.entries.first().map(|e| e.index)) {
            assert!(span.end <= text.len());
        }
        if let Some(fix) = &finding.fix {
            fix.apply(&scenario);
        }
    }
    for view in View::ALL {
        packscope::scene::scene(&analysis, view, &Frame::whole(400.0, &theme::LIGHT));
    }
    for text in [packscope::output::scenario_json(&scenario), packscope::output::python_script(&scenario)] {
        assert_eq!(packscope::input::read(&text).expect("an export reads back").scenario(), scenario);
    }
});
