//! Every rule's page is its test: `bad` fires it, `good` does not; its fix makes the finding go.
#![cfg(not(target_arch = "wasm32"))]

use packscope::rules::{Finding, RULES, Severity, check, check_among};
use packscope::{Scenario, analyze, input};

fn example<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, after) = page.split_once(&format!("## {heading}\n")).expect(heading);
    let (_, code) = after.split_once("```json\n").expect("an example");
    code.split_once("```").expect("an end").0
}

fn reading(page: &str, heading: &str) -> input::Reading {
    input::read(example(page, heading)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

fn scenario(page: &str, heading: &str) -> Scenario {
    reading(page, heading).scenario()
}

fn findings_of(reading: &input::Reading) -> Vec<Finding> {
    check_among(&analyze(reading.scenario()), &reading.peers(0))
}

fn findings(scenario: &Scenario) -> Vec<Finding> {
    check(&analyze(scenario))
}

#[test]
fn every_page_is_true() {
    let mut wrong = Vec::new();
    for rule in RULES {
        for part in ["Why it matters", "In a run", "What to do", "Bad", "Good", "Source"] {
            assert!(rule.page.contains(&format!("## {part}\n")), "{}: {part}", rule.code);
        }
        let bad = findings_of(&reading(rule.page, "Bad"));
        let good = findings_of(&reading(rule.page, "Good"));
        if !bad.iter().any(|finding| finding.code == rule.code) {
            wrong.push(format!("{} is silent on its bad example: {:?}", rule.code, codes(&bad)));
        }
        if good.iter().any(|finding| finding.code == rule.code) {
            wrong.push(format!("{} fires on its good example", rule.code));
        }
        let errors: Vec<_> = good.iter().filter(|f| f.severity == Severity::Error).collect();
        if !errors.is_empty() && rule.code != "PSP011" {
            wrong.push(format!("{}'s good example has errors: {errors:#?}", rule.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_fix_makes_its_finding_go() {
    let mut wrong = Vec::new();
    for rule in RULES {
        let before = scenario(rule.page, "Bad");
        for finding in findings(&before) {
            let Some(fix) = &finding.fix else { continue };
            let after = fix.apply(&before);
            if after == before {
                wrong.push(format!("{}: {} changes nothing", rule.code, fix.title));
            }
            let left = findings(&after);
            if left.iter().any(|f| f.code == finding.code && f.field == finding.field) {
                wrong.push(format!("{}: {} stays after {:?}", rule.code, finding.code, fix));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn codes_are_unique_and_in_order() {
    assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {} {}\n", rule.code, rule.name)));
        assert_eq!(packscope::rules::rule(rule.code).map(|found| found.name), Some(rule.name));
    }
}

#[test]
fn errors_come_first_and_causes_before_consequences() {
    let text = r#"{"params": {"qkv_format": "thd", "cu_seqlens_q": [0, 6, 10], "cu_seqlens_kv": [0, 6, 10], "total_tokens": 10},
        "topology": {"context_parallel_size": 2}}"#;
    let found = findings(&input::read(text).unwrap().scenario());
    assert!(found.is_sorted_by_key(|finding| finding.severity));
    expect_test::expect!["PSP201 PSP202 PSP203 PSP125 PSP125"].assert_eq(&codes(&found).join(" "));
}

#[test]
fn an_offset_that_decreases_is_one_finding() {
    let text = r#"{"params": {"qkv_format": "thd", "cu_seqlens_q": [0, 8, 4, 16], "cu_seqlens_kv": [0, 8, 4, 16],
        "cu_seqlens_q_padded": [0, 8, 4, 16], "cu_seqlens_kv_padded": [0, 8, 4, 16], "max_seqlen_q": 8, "max_seqlen_kv": 8,
        "total_tokens": 16}, "topology": {"context_parallel_size": 2}}"#;
    let found = findings(&input::read(text).unwrap().scenario());
    assert_eq!(codes(&found), ["PSP005"]);
}

fn codes(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.code).collect()
}
