//! Real reports as inputs: the codes that have to appear, and those that must not.
#![cfg(not(target_arch = "wasm32"))]

use packscope::{analyze, input, rules};
use serde_json::Value;

#[test]
fn every_report_is_told_apart() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/reports.json");
    let file: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 12);
    for case in cases {
        let scenario = input::read(&case["scenario"].to_string()).unwrap().scenario();
        let found = rules::check(&analyze(&scenario));
        let found: Vec<&str> = found.iter().map(|finding| finding.code).collect();
        println!("{}: {found:?}", case["id"]);
        for code in case["must_report"].as_array().unwrap() {
            assert!(found.contains(&code.as_str().unwrap()), "{}: {code} is missing", case["id"]);
        }
        for code in case["must_not_report"].as_array().unwrap() {
            assert!(!found.contains(&code.as_str().unwrap()), "{}: {code} is there", case["id"]);
        }
    }
}
