//! What people have, read: each form, its errors, and back again.
#![cfg(not(target_arch = "wasm32"))]

use expect_test::{Expect, expect};
use packscope::input::{self, Format, read, text_of_file};
use packscope::rules::check_among;
use packscope::{Group, PackedSeqParams, Scenario, Tensor, analyze, output};
use proptest::prelude::*;

/// What is read: the format, the offsets, and whatever differs from a default.
fn check(text: &str, expected: Expect) {
    let shown = match read(text) {
        Err(error) => {
            let place = text.get(error.span.clone()).unwrap_or("?");
            format!(
                "error at {place:?}: {}\n  {}",
                error.message,
                error.suggestion.unwrap_or_default()
            )
        }
        Ok(reading) => {
            let mut lines =
                vec![format!("{} ({} case)", reading.format.words(), reading.cases.len())];
            for index in 0..reading.cases.len() {
                let default = Scenario::default().to_json();
                let json = reading.scenario_of(index).to_json();
                let mut shown = Vec::new();
                for (name, value) in json.as_object().unwrap() {
                    match value.as_object() {
                        Some(fields) => shown.extend(
                            fields
                                .iter()
                                .filter(|(field, value)| {
                                    default[name].get(field.as_str()) != Some(value)
                                })
                                .map(|(field, value)| format!("{field}={value}")),
                        ),
                        None if default[name] != *value => shown.push(format!("{name}={value}")),
                        None => {}
                    }
                }
                lines.push(shown.join(" "));
            }
            lines.extend(reading.notes);
            lines.join("\n")
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn printed_params() {
    check(
        "PackedSeqParams(qkv_format='thd',\n    cu_seqlens_q=tensor([0, 5, 7], dtype=torch.int32,\n        device='cuda:0'), max_seqlen_q=5, new_field=3, cp_group=<torch.distributed.distributed_c10d.ProcessGroup object at 0x7f>)",
        expect![[r#"
            a printed PackedSeqParams (1 case)
            qkv_format="thd" cu_seqlens_q={"data":[0,5,7],"dtype":"int32"} max_seqlen_q=5 cp_group="<torch.distributed.distributed_c10d.ProcessGroup object at 0x7f>"
            cp_group is a process group whose ranks are not printed; print(torch.distributed.get_process_group_ranks(cp_group)) says them.
            new_field is not a field that Packscope reads; it was passed over."#]],
    );
    check(
        "PackedSeqParams(cu_seqlens_q=array([0, 5, 7], dtype=int32), cu_seqlens_kv=tensor([[0, 5]]))",
        expect![[r#"
            a printed PackedSeqParams (1 case)
            cu_seqlens_q={"data":[0,5,7],"dtype":"int32"} cu_seqlens_kv={"data":[0,5],"shape":[1,2]}"#]],
    );
    check(
        "{'cu_seqlens': tensor([[0, 5, 7]], dtype=torch.int32), 'max_seqlen': tensor(5), 'tokens': tensor([1, 2])}",
        expect![[r#"
            named tensors (1 case)
            cu_seqlens_q={"data":[0,5,7],"dtype":"int32","shape":[1,3]} max_seqlen_q=5
            tokens is not a field that Packscope reads; it was passed over."#]],
    );
}

#[test]
fn truncated_and_unfinished() {
    check(
        "tensor([   0,  512,  ..., 8192])",
        expect![[r#"
        error at "...": the tensor was shortened when it was printed, and what is missing is not guessed
          print it whole: print(cu_seqlens.tolist())"#]],
    );
    check(
        "cu_seqlens_q = tensor([0, 5",
        expect![[r#"
        error at "[": this bracket is never closed
          paste the rest of it"#]],
    );
    check(
        "cu_seqlens = list(itertools.accumulate(lengths))",
        expect![[r#"
        error at "list": list(...) is code that has not run, and Packscope does not run code
          run it and paste what it prints: print(cu_seqlens.tolist())"#]],
    );
    check(
        "[0, 5.5]",
        expect![[r#"
        error at "5.5": offsets are whole numbers
          print the int32 tensor, not a float one"#]],
    );
    check(
        "cu_seqlens_q = [0, 5, 99999999999999999999]",
        expect![[r#"
        error at "99999999999999999999": 99999999999999999999 is too large: numbers go up to 2^53
          offsets are int32, so at most 2147483647"#]],
    );
    check(
        "",
        expect![[r#"
        error at "": there is nothing here to read
          paste a printed PackedSeqParams, offsets like [0, 5, 7, 11], or lengths"#]],
    );
}

#[test]
fn log_lines_of_several_ranks() {
    check(
        "2026-08-01 12:00:00,123 INFO [rank0]: PackedSeqParams(cu_seqlens_q=[0, 8, 16])\n2026-08-01 12:00:00,125 INFO [rank1]: PackedSeqParams(cu_seqlens_q=[0, 4, 16])\n",
        expect![[r#"
            a printed PackedSeqParams (2 case)
            cu_seqlens_q=[0,8,16]
            cu_seqlens_q=[0,4,16] rank=1"#]],
    );
    check(
        "0: cu_seqlens_q = [0, 8]\n1: cu_seqlens_q = [0, 8]\n",
        expect![[r#"
            named tensors (2 case)
            cu_seqlens_q=[0,8] cu_seqlens_kv=[0,8]
            cu_seqlens_q=[0,8] cu_seqlens_kv=[0,8] rank=1"#]],
    );
}

#[test]
fn ranks_of_one_group_that_disagree_are_reported() {
    let text = "[rank0]: PackedSeqParams(cu_seqlens_q=[0, 8, 16])\n[rank1]: PackedSeqParams(cu_seqlens_q=[0, 4, 16])\n--tensor-model-parallel-size 2";
    let reading = read(text).unwrap();
    let scenario = reading.scenario_of(1);
    let found = check_among(&analyze(&scenario), &reading.peers(1));
    assert!(found.iter().any(|finding| finding.code == "PSP320"), "{found:?}");
    // Data-parallel ranks hold other samples.
    let apart = read(&text.replace("--tensor-model-parallel-size 2", "WORLD_SIZE=2")).unwrap();
    let scenario = apart.scenario_of(1);
    assert!(
        check_among(&analyze(&scenario), &apart.peers(1))
            .iter()
            .all(|finding| finding.code != "PSP320")
    );
}

#[test]
fn python_source() {
    check(
        "cu_seqlens = torch.tensor([0, 5, 7, 11], dtype=torch.int32)",
        expect![[r#"
            named tensors (1 case)
            cu_seqlens_q={"data":[0,5,7,11],"dtype":"int32"} cu_seqlens_kv={"data":[0,5,7,11],"dtype":"int32"}"#]],
    );
    check(
        "cu_seqlens_q = np.array([0, 5, 7])  # valid\ncu_seqlens_q_padded = [0, 8, 12]\ntotal_tokens: 12",
        expect![[r#"
            named tensors (1 case)
            cu_seqlens_q=[0,5,7] cu_seqlens_kv=[0,5,7] cu_seqlens_q_padded=[0,8,12] cu_seqlens_kv_padded=[0,8,12] total_tokens=12"#]],
    );
    check(
        "cu_seqlens_q = torch.tensor([0, 5]).cumsum(0).to(torch.int32).cuda()",
        expect![[r#"
            error at "torch.tensor([0, 5]).cumsum": torch.tensor([0, 5]).cumsum(...) is code that has not run, and Packscope does not run code
              run it and paste what it prints: print(cu_seqlens.tolist())"#]],
    );
    check(
        "cu_seqlens_q: 0 5 7",
        expect![[r#"
            named tensors (1 case)
            cu_seqlens_q=[0,5,7] cu_seqlens_kv=[0,5,7]"#]],
    );
}

#[test]
fn launch_scripts_and_configuration() {
    check(
        "torchrun --nproc_per_node=8 --nnodes 4 pretrain.py \\\n  --tensor-model-parallel-size 2 --context-parallel-size 4 \\\n  --sequence-parallel --hierarchical-context-parallel-sizes 2 2 --num-attention-heads 32",
        expect![[r#"
            launch arguments (1 case)
            world_size=32 tensor_model_parallel_size=2 context_parallel_size=4 hierarchical_context_parallel_sizes=[2,2] sequence_parallel=true num_attention_heads=32
            These are sizes without a pack: add a printed PackedSeqParams, or offsets like [0, 5, 7, 11]."#]],
    );
    check(
        "actor_rollout_ref:\n  actor:\n    megatron:\n      tensor_model_parallel_size: 2\n      context_parallel_size: 2  # cp\n      sequence_parallel: true\ntrainer:\n  n_gpus_per_node: 8\n  nnodes: 2\n",
        expect![[r#"
            launch arguments (1 case)
            world_size=16 tensor_model_parallel_size=2 context_parallel_size=2 sequence_parallel=true
            These are sizes without a pack: add a printed PackedSeqParams, or offsets like [0, 5, 7, 11]."#]],
    );
    check(
        "python -m verl.trainer actor_rollout_ref.actor.megatron.context_parallel_size=4 trainer.nnodes=2",
        expect![[r#"
            launch arguments (1 case)
            context_parallel_size=4
            These are sizes without a pack: add a printed PackedSeqParams, or offsets like [0, 5, 7, 11]."#]],
    );
    check(
        "#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\n[0, 8, 16]\n",
        expect![[r#"
            cumulative offsets (1 case)
            qkv_format="thd" cu_seqlens_q=[0,8,16] cu_seqlens_kv=[0,8,16] max_seqlen_q=8 max_seqlen_kv=8 world_size=32"#]],
    );
    check(
        "PackedSeqParams(cu_seqlens_q=[0, 8])\n--context-parallel-size 2",
        expect![[r#"
        a printed PackedSeqParams (1 case)
        cu_seqlens_q=[0,8] context_parallel_size=2"#]],
    );
}

#[test]
fn rows_of_numbers() {
    for text in [
        "5 2 4",
        "5, 2, 4",
        "5\n2\n4",
        "lengths: 5 2 4",
        "[5, 2, 4]",
        "0 1 2 3 4 0 1 0 1 2 3",
        "1 1 1 1 1 2 2 3 3 3 3",
        "0 0 0 0 0 1 1 2 2 2 2",
        "[0, 5, 7, 11]",
        "0 5 7 11",
    ] {
        let offsets = read(text).unwrap().scenario().params.cu_seqlens_q.unwrap();
        assert_eq!(offsets.data, [0, 5, 7, 11], "{text}");
    }
    check(
        "1 1 1 2 2 0 0",
        expect![[r#"
        a mask row of sequence numbers, 0 for padding (1 case)
        qkv_format="thd" cu_seqlens_q=[0,3,5] cu_seqlens_kv=[0,3,5] max_seqlen_q=3 max_seqlen_kv=3 total_tokens=7"#]],
    );
    check(
        "[2, 5, 7]",
        expect![[r#"
        cumulative offsets (1 case)
        qkv_format="thd" cu_seqlens_q=[2,5,7] cu_seqlens_kv=[2,5,7] max_seqlen_q=3 max_seqlen_kv=3"#]],
    );
}

#[test]
fn a_list_holds_the_place_of_its_entries() {
    let text = "[rank1]: cu_seqlens_q = tensor([ 0,  70, -3])";
    let reading = read(text).unwrap();
    let span = reading.span(text, 0, "params.cu_seqlens_q", Some(2)).unwrap();
    assert_eq!(&text[span], "-3");
}

fn npy(descr: &str, shape: &str, body: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(body);
    file
}

#[test]
fn arrays_in_files() {
    let body: Vec<u8> = [0i32, 5, 7, 11].iter().flat_map(|n| n.to_le_bytes()).collect();
    expect![[r#"
        cu_seqlens_q = tensor([0, 5, 7, 11], dtype=torch.int32)
    "#]]
    .assert_eq(&text_of_file(&npy("<i4", "(4,)", &body)).unwrap());
    let wide: Vec<u8> = [0i64, 5].iter().flat_map(|n| n.to_be_bytes()).collect();
    expect![[r#"
        cu_seqlens_q = tensor([[0, 5]], dtype=torch.int64)
    "#]]
    .assert_eq(&text_of_file(&npy(">i8", "(1, 2)", &wide)).unwrap());
    let ids: Vec<u8> = [0u8, 1, 2, 0, 1].to_vec();
    expect![[r#"
        # read as position ids that restart with each sequence
        cu_seqlens_q = [0, 3, 5]
        total_tokens = 5
    "#]]
    .assert_eq(&text_of_file(&npy("|u1", "(5,)", &ids)).unwrap());
    let header = r#"{"cu_seqlens_q":{"dtype":"I32","shape":[4],"data_offsets":[0,16]},"weights":{"dtype":"F32","shape":[1],"data_offsets":[16,20]}}"#;
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(&body);
    file.extend([0; 4]);
    expect![[r#"
        cu_seqlens_q = tensor([0, 5, 7, 11], dtype=torch.int32)
    "#]]
    .assert_eq(&text_of_file(&file).unwrap());
    for (file, what) in [
        (npy("<f4", "(1,)", &[0; 4]), "dtype"),
        (npy("<i4", "(9,)", &body), "ends before"),
        (vec![0xff, 0xfe], "not text"),
    ] {
        let message = text_of_file(&file).unwrap_err().message;
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn numpy_s_own_files() {
    // Made by numpy 2.4: savez and savez_compressed of cu_seqlens_q and total_tokens.
    for file in ["plain.npz", "packed.npz"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(file);
        let text = text_of_file(&std::fs::read(path).unwrap()).unwrap();
        let scenario = read(&text).unwrap().scenario();
        assert_eq!(scenario.params.cu_seqlens_q.unwrap().data, [0, 5, 7, 11], "{file}");
        assert_eq!(scenario.params.total_tokens, Some(16), "{file}");
    }
}

/// Scenarios of every shape, right or wrong.
fn scenario() -> impl Strategy<Value = Scenario> {
    let tensor = || {
        (
            prop::collection::vec(-3..2000i64, 0..6),
            prop::option::of(prop::sample::select(vec!["int32", "int64"])),
            any::<bool>(),
        )
            .prop_map(|(data, dtype, nested)| Tensor {
                shape: (nested && !data.is_empty()).then(|| vec![1, data.len() as i64]),
                data,
                dtype: dtype.map(str::to_owned),
            })
    };
    let group = prop_oneof![
        prop::collection::vec(0..64i64, 0..5).prop_map(Group::Ranks),
        Just(Group::Opaque(
            "<torch.distributed.distributed_c10d.ProcessGroup object at 0x7f>".to_owned()
        ))
    ];
    let params = (
        prop::option::of(tensor()),
        prop::option::of(tensor()),
        prop::option::of(tensor()),
        prop::option::of(group),
        prop::option::of(-1..4096i64),
        prop::option::of(any::<bool>()),
        prop::option::of(prop::sample::select(vec!["thd", "sbhd"])),
    );
    (params, 1..5i64, 1..5i64, 0..16i64, any::<bool>(), prop::option::of("[0-9]\\.[0-9]{1,2}"))
        .prop_map(|((q, padded, seq_idx, group, total, flag, format), tp, cp, rank, sp, te)| {
            let mut scenario = Scenario::of(PackedSeqParams {
                cu_seqlens_q: q.clone(),
                cu_seqlens_kv: q,
                cu_seqlens_q_padded: padded,
                seq_idx,
                cp_group: group,
                local_cp_size: total,
                total_tokens: total,
                pad_between_seqs: flag,
                qkv_format: format.map(str::to_owned),
                ..Default::default()
            });
            scenario.topology.tensor_model_parallel_size = tp;
            scenario.topology.context_parallel_size = cp;
            scenario.topology.hierarchical_context_parallel_sizes = sp.then(|| vec![cp, 1]);
            scenario.rank = rank;
            scenario.sequence_parallel = sp;
            scenario.model.te_version = te;
            scenario
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_export_reads_back(scenario in scenario()) {
        let back = |text: &str| match read(text) {
            Ok(reading) => reading.scenario(),
            Err(error) => panic!("{error} in\n{text}"),
        };
        prop_assert_eq!(&back(&output::scenario_json(&scenario)), &scenario);
        prop_assert_eq!(&back(&output::params_repr(&scenario.params)).params, &scenario.params);
        prop_assert_eq!(&back(&output::python_script(&scenario)), &scenario);
        prop_assert_eq!(&back(&output::markdown(&analyze(&scenario), &[])), &scenario);
        let mut session = packscope::session::Session::default();
        session.set_text(&output::scenario_json(&scenario));
        let link = format!("https://example.org/packscope/#{}", session.kept().fold());
        let there = &session.analysis().scenario;
        prop_assert_eq!(&back(&link), &**there);
    }

    #[test]
    fn no_text_panics(text in "[\\x00-\\x7f\u{2009}é]{0,120}") {
        let _ = read(&text);
        let mut session = packscope::session::Session::default();
        session.set_text(&text);
        prop_assert_eq!(session.text(), text);
    }

    #[test]
    fn no_bytes_panic(kind in 0..4usize, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let head: &[u8] = [b"\x93NUMPY\x01\x00" as &[u8], b"PK\x03\x04", b"\x08\0\0\0\0\0\0\0{", b""][kind];
        let _ = text_of_file(&[head, &bytes].concat());
    }

    #[test]
    fn a_damaged_text_is_read_or_refused(scenario in scenario(), at in 0..4000usize, with in "\\PC") {
        let mut text = output::python_script(&scenario);
        let mut at = at % text.len();
        while !text.is_char_boundary(at) { at -= 1; }
        text.insert_str(at, &with);
        if let Err(error) = read(&text) {
            prop_assert!(error.span.end <= text.len());
        }
    }
}

#[test]
fn the_format_is_told_by_content() {
    for (text, format) in [
        ("[0, 5]", Format::Row(input::Row::Offsets)),
        ("{\"params\": {}}", Format::Json),
        ("PackedSeqParams()", Format::Repr),
        ("--tensor-model-parallel-size 2", Format::Launch),
        ("cu_seqlens_q = [0, 5]", Format::Named),
    ] {
        assert_eq!(read(text).unwrap().format, format, "{text}");
    }
}

#[test]
fn a_value_of_the_wrong_kind_is_quoted_with_what_is_expected() {
    for (field, value, message) in [
        (
            "world_size",
            "\"eight\"",
            "topology.world_size: this is \"eight\", where a whole number is expected",
        ),
        ("order", "3", "topology.order: this is the number 3, where a word is expected"),
        (
            "hybrid_context_parallel",
            "[1]",
            "topology.hybrid_context_parallel: this is a list of numbers, where true or false is expected",
        ),
    ] {
        let text = format!(
            r#"{{"params": {{"cu_seqlens_q": [0, 8]}}, "topology": {{"{field}": {value}}}}}"#
        );
        let error = input::read(&text).unwrap_err();
        assert_eq!(error.message, message);
        assert_eq!(&text[error.span], value);
    }
}
