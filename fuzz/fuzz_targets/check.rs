// What holds for every file that anybody can open: nothing panics, places lie in the text, fixes
// apply, views draw, and exports read back. Shared by the fuzz target and the test of its corpus.

use packscope::scene::{Frame, View, theme};

pub fn check(bytes: &[u8]) {
    let Ok(text) = packscope::input::text_of_file(bytes) else { return };
    let mut session = packscope::session::Session::default();
    session.set_text(&text);
    assert_eq!(session.text(), text);
    let reading = match packscope::input::read(&text) {
        Ok(reading) => reading,
        Err(error) => {
            assert!(error.span.end <= text.len());
            return;
        }
    };
    let scenario = reading.scenario();
    let analysis = packscope::analyze(&scenario);
    for finding in packscope::rules::check_among(&analysis, &reading.peers(0)) {
        let entry = finding.entries.first().map(|entry| entry.index);
        if let Some(span) = reading.span(&text, 0, &finding.field, entry) {
            assert!(span.end <= text.len());
        }
        if let Some(fix) = &finding.fix {
            fix.apply(&scenario);
        }
    }
    for view in View::ALL {
        packscope::scene::scene(&analysis, view, &Frame::whole(400.0, &theme::LIGHT));
    }
    for text in
        [packscope::output::scenario_json(&scenario), packscope::output::python_script(&scenario)]
    {
        let back =
            packscope::input::read(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
        assert_eq!(back.scenario(), scenario);
    }
}
