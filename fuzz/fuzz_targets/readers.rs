//! Every reader, and all that follows from what it reads.
//!
//! `cargo install cargo-fuzz`, then `RUSTC_BOOTSTRAP=1 cargo fuzz run readers` (or a nightly toolchain).
#![no_main]

use libfuzzer_sys::fuzz_target;

mod check;

fuzz_target!(|bytes: &[u8]| check::check(bytes));
