//! What the fuzzer has seen stays as it is: its corpus, and every input that once failed.
#![cfg(not(target_arch = "wasm32"))]

#[path = "../fuzz/fuzz_targets/check.rs"]
mod check;

#[test]
fn the_corpus_passes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/readers");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let outcome = std::panic::catch_unwind(|| check::check(&bytes));
        assert!(outcome.is_ok(), "{}", path.display());
        files += 1;
    }
    assert!(files >= 800, "{files} files");
}
