//! The published schema takes what the reader takes, and refuses what it refuses.
#![cfg(not(target_arch = "wasm32"))]

use packscope::{input, rules::RULES, schema::scenario_schema};
use serde_json::{Value, json};

fn valid(scenario: &Value) -> bool {
    jsonschema::validator_for(&scenario_schema()).unwrap().is_valid(scenario)
}

#[test]
fn every_example_of_a_rule_is_valid_as_it_is_written_out() {
    for rule in RULES {
        for example in rule.page.split("```json\n").skip(1) {
            let text = example.split("```").next().unwrap();
            let reading = input::read(text).unwrap();
            for index in 0..reading.cases.len() {
                assert!(valid(&reading.scenario_of(index).to_json()), "{}: {text}", rule.code);
            }
        }
    }
}

#[test]
fn a_file_may_name_its_schema() {
    let text = r#"{"$schema": "scenario.schema.json", "params": {"cu_seqlens_q": [0, 8]}}"#;
    assert!(valid(&serde_json::from_str(text).unwrap()));
    assert_eq!(input::read(text).unwrap().scenario().params.cu_seqlens_q.unwrap().data, [0, 8]);
}

#[test]
fn both_refuse_what_is_not_a_scenario() {
    for wrong in [
        json!({"params": {"cu_seqlens_q": "0, 8"}}),
        json!({"params": {"cu_seqlens_q": [0, 8], "cu_seqlen": [0]}}),
        json!({"params": {}, "topology": {"world_size": "eight"}}),
        json!({"params": {}, "partition": "zigzag"}),
    ] {
        assert!(!valid(&wrong), "the schema takes {wrong}");
        assert!(input::read(&wrong.to_string()).is_err(), "the reader takes {wrong}");
    }
}
