//! The validator: every rule, one small file and one page each.

/// A rule's page. The WebAssembly does without: the site has every page at an address of its own.
macro_rules! page {
    ($file:literal) => {
        if cfg!(target_arch = "wasm32") { "" } else { include_str!($file) }
    };
}

mod case;
mod psp001_missing_offsets;
mod psp002_offsets_not_1d;
mod psp003_offsets_dtype;
mod psp004_first_offset_not_zero;
mod psp005_offsets_decrease;
mod psp006_too_few_offsets;
mod psp007_empty_sequence;
mod psp008_placeholder_tail;
mod psp009_offset_overflow;
mod psp010_lengths_not_offsets;
mod psp011_q_kv_count;
mod psp012_q_kv_differ;
mod psp013_marker_entries;
mod psp014_kv_offsets_missing;
mod psp101_padded_count;
mod psp102_slot_too_small;
mod psp103_padded_one_side;
mod psp104_pad_flag_false;
mod psp105_pad_flag_true_unneeded;
mod psp106_pad_flag_unset;
mod psp107_padding_treated_as_valid;
mod psp108_padding_waste;
mod psp109_ghost_sequence;
mod psp120_total_below_offsets;
mod psp121_tail_padding;
mod psp122_ssm_needs_total;
mod psp123_max_seqlen_small;
mod psp124_max_seqlen_loose;
mod psp125_max_seqlen_missing;
mod psp126_tokens_per_sample;
mod psp201_slot_not_divisible;
mod psp202_total_not_divisible;
mod psp203_cp_needs_padded_offsets;
mod psp204_rank_without_real_tokens;
mod psp205_contiguous_not_divisible;
mod psp206_per_sequence_cut_on_pack;
mod psp207_offsets_already_local;
mod psp208_uneven_work;
mod psp209_roll_needs_padded;
mod psp210_tail_outside_the_cut;
mod psp211_cut_too_large;
mod psp212_no_tokens;
mod psp220_sp_not_divisible;
mod psp221_sp_without_tp;
mod psp222_fp8_alignment;
mod psp230_a2a_heads;
mod psp231_window_needs_a2a;
mod psp232_hierarchy_missing;
mod psp240_backend_ruled_out;
mod psp301_local_cp_without_group;
mod psp302_local_cp_size_mismatch;
mod psp303_group_ignored;
mod psp304_not_a_runtime_size;
mod psp305_tp_cp_group_missing;
mod psp306_tp_cp_size_mismatch;
mod psp307_tp_cp_not_product;
mod psp308_rank_not_member;
mod psp309_odd_pool;
mod psp310_hybrid_restrictions;
mod psp311_too_long_for_pool;
mod psp312_singleton_under_legacy;
mod psp320_ranks_disagree;
mod psp401_world_not_divisible;
mod psp402_expert_not_divisible;
mod psp403_order_lacks_axis;
mod psp404_pp_not_last;
mod psp405_pipelines_differ;
mod psp406_tp_spans_nodes;
mod psp407_cp_spans_nodes;
mod psp408_optimizer_instances;
mod psp409_hierarchy_product;
mod psp410_bad_order;
mod psp411_size_not_positive;
mod psp412_world_too_large;
mod psp413_rank_outside_world;
mod psp501_format_with_offsets;
mod psp502_micro_batch;
mod psp601_seq_idx_length;
mod psp602_seq_idx_dtype;
mod psp603_seq_idx_differs;
mod psp604_seq_idx_from_valid;
mod psp605_graph_capacity;
mod registry;

pub(crate) use psp320_ranks_disagree::first_difference;
pub use registry::RULES;

use crate::analysis::Analysis;
use crate::field::Value;
use crate::scenario::Scenario;
use case::Case;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It crashes, hangs or trains wrong.
    Error,
    /// It works and costs something, or works by luck.
    Warning,
    /// Worth knowing, never a fault.
    Info,
}

impl Severity {
    /// In a sentence.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// One rule. Its code never changes its meaning.
pub struct Rule {
    pub code: &'static str,
    pub name: &'static str,
    pub severity: Severity,
    /// What happens in a real run.
    pub run: &'static str,
    /// What to do.
    pub advice: &'static str,
    /// The page, Markdown; its `bad` and `good` examples are the rule's test.
    pub page: &'static str,
    check: fn(&Case, &mut Findings),
}

/// One entry of an offsets field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    pub index: usize,
    pub value: i64,
}

/// Entries that a finding names one by one; of the rest it says how many.
const NAMED_ENTRIES: usize = 8;

/// One thing that a rule found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub code: &'static str,
    pub name: &'static str,
    pub severity: Severity,
    /// The field it is about, as in the file format: `params.cu_seqlens_q`.
    pub field: String,
    /// The entries that cause it, the first few.
    pub entries: Vec<Entry>,
    /// How many more entries cause it.
    pub more_entries: usize,
    /// The sequences it is about, by index, the first few; to be outlined in the views.
    pub slots: Vec<usize>,
    /// What is wrong, one sentence.
    pub message: String,
    /// What happens in a real run.
    pub run: &'static str,
    /// What to do.
    pub advice: &'static str,
    pub fix: Option<Fix>,
}

/// A change to the Scenario after which the finding is gone. It never changes valid lengths or the
/// order of tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// What it does, in a few words.
    pub title: String,
    /// Fields and their new values, null to leave one out.
    pub set: Vec<(String, Value)>,
}

impl Fix {
    fn new(title: impl Into<String>) -> Self {
        Fix { title: title.into(), set: Vec::new() }
    }

    fn set(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.set.push((field.to_owned(), value.into()));
        self
    }

    /// The scenario with the fix in it.
    ///
    /// ```
    /// use packscope::{analyze, input, rules};
    /// let scenario = input::read("cu_seqlens_q = [5, 7]").unwrap().scenario();
    /// let found = rules::check(&analyze(&scenario));
    /// let fixed = found[0].fix.as_ref().unwrap().apply(&scenario);
    /// assert_eq!(fixed.params.cu_seqlens_q.unwrap().data, [0, 5, 7]);
    /// ```
    pub fn apply(&self, scenario: &Scenario) -> Scenario {
        let mut fixed = scenario.clone();
        let fits = self.set.iter().all(|(field, value)| fixed.set(field, value.clone()).is_ok());
        if fits { fixed } else { scenario.clone() }
    }
}

impl Serialize for Fix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Set<'a>(&'a [(String, Value)]);
        impl Serialize for Set<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(field, value)| (field, value)))
            }
        }
        let mut fix = serializer.serialize_struct("Fix", 2)?;
        fix.serialize_field("title", &self.title)?;
        fix.serialize_field("set", &Set(&self.set))?;
        fix.end()
    }
}

/// What one rule has found so far.
struct Findings<'a> {
    rule: &'a Rule,
    found: Vec<Finding>,
}

impl Findings<'_> {
    /// Reports something about a field.
    fn report(&mut self, field: &str, message: impl Into<String>) -> &mut Finding {
        self.found.push(Finding {
            code: self.rule.code,
            name: self.rule.name,
            severity: self.rule.severity,
            field: field.to_owned(),
            entries: Vec::new(),
            more_entries: 0,
            slots: Vec::new(),
            message: message.into(),
            run: self.rule.run,
            advice: self.rule.advice,
            fix: None,
        });
        let last = self.found.len() - 1;
        &mut self.found[last]
    }
}

impl Finding {
    fn entries(&mut self, entries: impl IntoIterator<Item = (usize, i64)>) -> &mut Self {
        for (index, value) in entries {
            if self.entries.len() < NAMED_ENTRIES {
                self.entries.push(Entry { index, value });
            } else {
                self.more_entries += 1;
            }
        }
        self
    }

    fn slots(&mut self, slots: impl IntoIterator<Item = usize>) -> &mut Self {
        self.slots.extend(slots.into_iter().take(NAMED_ENTRIES));
        self
    }

    fn fix(&mut self, fix: impl Into<Option<Fix>>) -> &mut Self {
        self.fix = fix.into();
        self
    }
}

/// The rule of a code, any case.
///
/// ```
/// assert_eq!(packscope::rules::rule("psp201").unwrap().name, "slot-not-divisible");
/// ```
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code.eq_ignore_ascii_case(code) || rule.name == code)
}

/// Everything the rules find, errors first, causes before their consequences.
///
/// ```
/// use packscope::{analyze, input, rules};
/// let scenario = input::read("cu_seqlens_q = [0, 7, 5]").unwrap().scenario();
/// assert_eq!(rules::check(&analyze(&scenario))[0].code, "PSP005");
/// ```
pub fn check(analysis: &Analysis) -> Vec<Finding> {
    check_among(analysis, &[])
}

/// Everything the rules find, also between this rank and others of the same job.
///
/// ```
/// use packscope::{analyze, input, rules};
/// let text = "[rank0]: PackedSeqParams(cu_seqlens_q=[0, 8])\n[rank1]: PackedSeqParams(cu_seqlens_q=[0, 4])\n--tensor-model-parallel-size 2";
/// let reading = input::read(text).unwrap();
/// let found = rules::check_among(&analyze(reading.scenario()), &reading.peers(0));
/// assert!(found.iter().any(|finding| finding.code == "PSP320"));
/// ```
pub fn check_among(analysis: &Analysis, peers: &[Scenario]) -> Vec<Finding> {
    let case = Case::new(analysis, peers);
    let mut found: Vec<Finding> = RULES
        .iter()
        .flat_map(|rule| {
            let mut findings = Findings { rule, found: Vec::new() };
            (rule.check)(&case, &mut findings);
            findings.found
        })
        .collect();
    found.sort_by_key(|finding| (finding.severity, cause_first(finding.code)));
    found
}

/// Offsets before padding, padding before sizes, sizes before cuts and groups.
fn cause_first(code: &str) -> (u8, &str) {
    let family = match code.as_bytes().get(3) {
        Some(b'0') => 0,
        Some(b'1') => 1,
        Some(b'4') => 2,
        Some(b'5') => 3,
        _ => 4,
    };
    (family, code)
}
