//! Packscope shows how packed sequences land on GPUs, and says what is wrong with the metadata
//! before a training run does.
//!
//! One way through; each arrow is one public function and nothing flows back:
//!
//! ```text
//! text, file, URL ──input──▶ Scenario ──analyze──▶ Analysis ──┬─ rules ─▶ Findings
//!                                                            └─ scene ─▶ Scene ─ draw ─▶ canvas │ SVG
//! ```
//!
//! ```
//! let reading = packscope::input::read("[0, 5, 7, 11]").unwrap();
//! let scenario = reading.scenario();
//! let analysis = packscope::analyze(&scenario);
//! let findings = packscope::rules::check(&analysis);
//! assert!(findings.iter().all(|finding| finding.severity != packscope::rules::Severity::Error));
//! ```

/// This version of Packscope.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub mod analysis;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod draw;
pub mod field;
pub mod input;
pub mod inspect;
pub mod offsets;
pub mod output;
pub mod packed_seq_params;
pub mod partition;
pub mod rules;
pub mod scenario;
pub mod scene;
pub mod schedule;
#[cfg(not(target_arch = "wasm32"))]
pub mod schema;
pub mod session;
pub mod topology;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
pub mod words;

pub use analysis::{Analysis, analyze};
pub use offsets::{CheckedOffsets, Slot};
pub use packed_seq_params::{
    PackedSeqParams, ResolveError, Runs, resolve_cp_group, resolve_tp_cp_group,
};
pub use scenario::{Group, ParallelSizes, PartitionMode, Profile, Scenario, Tensor};
pub use topology::{Axis, GroupKind, Topology};
