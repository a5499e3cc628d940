//! The built command line: exit codes, places, formats, fixes, long files.
#![cfg(not(target_arch = "wasm32"))]

use expect_test::{Expect, expect};
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn packscope(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_packscope"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn file(name: &str, content: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("packscope-{}-{name}", std::process::id()));
    std::fs::write(&path, content).unwrap();
    path
}

fn check(arguments: &[&str], input: &str, code: i32, expected: Expect) {
    let output = packscope(arguments, input);
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let trimmed: Vec<&str> = text.lines().map(str::trim_end).collect();
    expected.assert_eq(&(trimmed.join("\n") + "\n"));
    assert_eq!(output.status.code(), Some(code));
}

const RAGGED: &str = "cu_seqlens_q = [0, 6, 12]\ncu_seqlens_q_padded = [0, 6, 12]\nmax_seqlen_q = 6\n--context-parallel-size 2\n";

#[test]
fn the_input_s_own_lines_are_underlined() {
    check(
        &["check", "-"],
        RAGGED,
        1,
        expect![[r#"
            error[PSP201]: slot-not-divisible: slot 0 has 6 tokens; 4 chunks (2·cp) need a multiple of 4
             --> <stdin>:2:27
              |
            2 | cu_seqlens_q_padded = [0, 6, 12]
              |                           ^  ^^
              |                           |
              |                           params.cu_seqlens_q_padded
              |
              = note: A kernel assertion, or in release builds silence: some tokens land on two ranks and others on none.
              = help: Pad each sequence to a multiple of 2·cp (2·cp·tp with sequence parallelism). (--fix: pad each sequence to a multiple of 4)

            1 error, 0 warnings, 0 notes
        "#]],
    );
}

#[test]
fn a_clean_pack_exits_with_0() {
    check(
        &["check", "-"],
        "[0, 8, 16]",
        0,
        expect![[r#"
        0 errors, 0 warnings, 0 notes
    "#]],
    );
}

#[test]
fn what_cannot_be_read_exits_with_2() {
    check(
        &["check", "-"],
        "tensor([0, 512, 1024,  ..., 8192])",
        2,
        expect![[r#"
        error: the tensor was shortened when it was printed, and what is missing is not guessed
         --> <stdin>:1:24
          |
        1 | tensor([0, 512, 1024,  ..., 8192])
          |                        ^^^ here
          |
          = help: print it whole: print(cu_seqlens.tolist())
    "#]],
    );
    check(
        &["check", "-"],
        r#"{"params": {"cu_seqlen_q": [0, 5]}}"#,
        2,
        expect![[r#"
        error: cu_seqlen_q is not a field of PackedSeqParams
         --> <stdin>:1:13
          |
        1 | {"params": {"cu_seqlen_q": [0, 5]}}
          |             ^^^^^^^^^^^^^ here
          |
          = help: the nearest is cu_seqlens_q
    "#]],
    );
    assert_eq!(packscope(&["check", "/no/such/file"], "").status.code(), Some(2));
}

#[test]
fn github_annotations_have_a_line_and_a_column() {
    let output = packscope(&["check", "--format", "github", "-"], RAGGED);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("::error file=<stdin>,line=2,col=27,title=PSP201 slot-not-divisible::slot 0 has 6 tokens"), "{text}");
}

#[test]
fn json_has_the_findings_as_inspect_has_them() {
    let checked = packscope(&["check", "--format", "json", "-"], RAGGED);
    let checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
    let inspected = packscope(&["inspect", "-"], RAGGED);
    assert_eq!(inspected.status.code(), Some(0));
    let inspected: Value = serde_json::from_slice(&inspected.stdout).unwrap();
    let keys = ["code", "name", "severity", "field", "message", "fix"];
    assert_eq!(checked["findings"].as_array().unwrap().len(), 1);
    for key in keys {
        assert_eq!(checked["findings"][0][key], inspected["findings"][0][key], "{key}");
    }
    assert_eq!(inspected["partition"], Value::Null);
}

#[test]
fn inspect_prints_the_analysis() {
    let input = r#"{"params": {"cu_seqlens_q": [0, 8, 16], "total_tokens": 16}, "topology": {"world_size": 8, "tp": 2, "cp": 2}}"#;
    let json: Value = serde_json::from_slice(&packscope(&["inspect", "-"], input).stdout).unwrap();
    expect![[r#"{"cp_rank":0,"segments":[[0,2],[6,2],[8,2],[14,2]],"tokens":8,"valid_tokens":8,"attention_pairs":36}"#]]
        .assert_eq(&json["partition"]["ranks"][0].to_string());
    expect![[r#"{"runs":[[0,8],[1,8]],"length":16}"#]].assert_eq(&json["seq_idx"].to_string());
    expect!["[[0,2],[1,3],[4,6],[5,7]]"]
        .assert_eq(&json["groups"]["CONTEXT_PARALLEL_GROUP"].to_string());
    expect![[r#"{"cp_group":[0,2],"tp_cp_group":[0,1,2,3]}"#]]
        .assert_eq(&json["resolved"].to_string());
    expect![[r#"{"world_size":8,"tensor_model_parallel_size":2,"context_parallel_size":2,"pipeline_model_parallel_size":1,"expert_model_parallel_size":1,"order":"tp-cp-ep-dp-pp","num_distributed_optimizer_instances":1,"gtp_remat_size":1,"expert_gtp_remat_size":1,"hybrid_context_parallel":false,"dynamic_context_parallel":false,"gpus_per_node":8}"#]]
        .assert_eq(&json["scenario"]["topology"].to_string());
}

#[test]
fn where_there_is_no_partition_or_no_groups_an_error_says_why() {
    for input in [
        r#"{"params": {}}"#,
        r#"{"params": {"cu_seqlens_q": [0, 6]}, "topology": {"cp": 2}}"#,
        r#"{"params": {"cu_seqlens_q": [3, 6]}}"#,
        r#"{"params": {"cu_seqlens_q": [0, 6]}, "topology": {"cp": 0}}"#,
        r#"{"params": {"cu_seqlens_q": [0, 6]}, "topology": {"cp": -2}}"#,
        r#"{"params": {"cu_seqlens_q": [0, 6]}, "topology": {"world_size": 1000000000}}"#,
        r#"{"params": {"cu_seqlens_q": [0, 6], "local_cp_size": 0, "cp_group": []}}"#,
        r#"{"params": {"cu_seqlens_q": [0, 4], "total_tokens": -5}}"#,
        r#"{"params": {"cu_seqlens_q": [0, 8]}, "topology": {"order": "xx"}}"#,
        r#"{"params": {"cu_seqlens_q": [0, 7], "total_tokens": 7}, "partition": "contiguous", "topology": {"cp": 2}}"#,
    ] {
        let json: Value =
            serde_json::from_slice(&packscope(&["inspect", "-"], input).stdout).unwrap();
        assert!(json["partition"].is_null() || json["groups"].is_null(), "{input}");
        let error = json["findings"].as_array().unwrap().iter().any(|f| f["severity"] == "error");
        assert!(error, "{input}: {}", json["findings"]);
    }
}

#[test]
fn the_real_reports_are_told_apart() {
    let reports = include_str!("cases/reports.json");
    let reports: Value = serde_json::from_str(reports).unwrap();
    for case in reports["cases"].as_array().unwrap() {
        let output = packscope(&["check", "--format", "json", "-"], &case["scenario"].to_string());
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found: Vec<&Value> =
            json["findings"].as_array().unwrap().iter().map(|f| &f["code"]).collect();
        let errors = json["findings"].as_array().unwrap().iter().any(|f| f["severity"] == "error");
        assert_eq!(output.status.code(), Some(i32::from(errors)));
        for code in case["must_report"].as_array().unwrap() {
            assert!(found.contains(&code), "{}: {code} is missing in {found:?}", case["id"]);
        }
        for code in case["must_not_report"].as_array().unwrap() {
            assert!(!found.contains(&code), "{}: {code} is there", case["id"]);
        }
    }
}

#[test]
fn fix_shows_the_change_and_rewrites_a_scenario() {
    let path = file(
        "fix.json",
        r#"{"params": {"qkv_format": "thd", "cu_seqlens_q": [0, 6, 10], "cu_seqlens_kv": [0, 6, 10], "total_tokens": 10}, "topology": {"cp": 2}}"#,
    );
    let output = packscope(&["check", "--fix", path.to_str().unwrap()], "");
    let changes = String::from_utf8(output.stderr).unwrap();
    assert!(
        changes.contains("PSP201 slot-not-divisible: pad each sequence to a multiple of 4"),
        "{changes}"
    );
    assert!(changes.contains("params.cu_seqlens_q_padded = [0,8,12]"), "{changes}");
    assert_eq!(output.status.code(), Some(0), "{changes}");
    let again = packscope(&["check", path.to_str().unwrap()], "");
    let again = String::from_utf8(again.stdout).unwrap();
    assert!(
        again.ends_with("0 errors, 1 warning, 0 notes\n") && again.contains("PSP208"),
        "{again}"
    );
    let fixed: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(fixed["params"]["cu_seqlens_q"], serde_json::json!([0, 6, 10]));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn every_rule_s_bad_example_is_fixed_by_the_command_line() {
    for rule in packscope::rules::RULES {
        let bad = rule
            .page
            .split("## Bad")
            .nth(1)
            .unwrap()
            .split("```json\n")
            .nth(1)
            .unwrap()
            .split("```")
            .next()
            .unwrap();
        let reading = packscope::input::read(bad).unwrap();
        let scenario = reading.scenario();
        let analysis = packscope::analyze(&scenario);
        let own = packscope::rules::check_among(&analysis, &reading.peers(0))
            .into_iter()
            .find(|finding| finding.code == rule.code)
            .unwrap();
        let output = packscope(&["check", "--fix", "--format", "json", "-"], bad);
        if own.fix.is_none() {
            continue;
        }
        let fixed = String::from_utf8(output.stdout).unwrap();
        let after = packscope::input::read(&fixed).unwrap().scenario();
        let left = packscope::rules::check(&packscope::analyze(&after));
        assert!(
            left.iter().all(|finding| finding.code != rule.code),
            "{} stays in {fixed}",
            rule.code
        );
    }
}

#[test]
fn a_long_file_is_checked_line_by_line() {
    let mut lines = String::new();
    for i in 0..100_000 {
        let last = if i % 1000 == 999 { 7 } else { 8 };
        lines += &format!("{{\"params\": {{\"cu_seqlens_q\": [0, 16, {last}]}}}}\n");
    }
    let lines = lines.replace("16, 8]", "16, 24]");
    let path = file("long.jsonl", &lines);
    let output = packscope(&["check", path.to_str().unwrap()], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.ends_with(
            "long.jsonl: 100000 lines, 100 with errors\n100 errors, 0 warnings, 0 notes\n"
        ),
        "{}",
        &text[text.len() - 200..]
    );
    assert!(text.contains("long.jsonl:1000:1:"), "the line is named");
    assert_eq!(output.status.code(), Some(1));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn rules_have_pages() {
    let page = packscope(&["rule", "psp201"], "");
    assert!(String::from_utf8(page.stdout).unwrap().starts_with("# PSP201 slot-not-divisible\n"));
    let list = String::from_utf8(packscope(&["rule"], "").stdout).unwrap();
    assert_eq!(list.lines().count(), packscope::rules::RULES.len());
    assert_eq!(packscope(&["rule", "PSP999"], "").status.code(), Some(2));
}

#[test]
fn views_render_to_svg() {
    for view in ["pack", "lanes", "ranks", "matrix", "ring"] {
        let output = packscope(
            &["render", "-", "--view", view],
            "cu_seqlens_q = [0, 8, 24]\n--context-parallel-size 2",
        );
        let svg = String::from_utf8(output.stdout).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{view}");
        assert!(svg.contains("24 tokens, 2 sequences, tp 1 cp 2"), "{view} has its caption");
    }
}
