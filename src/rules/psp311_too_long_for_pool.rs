//! A sequence is longer than all ranks of the pool hold together.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::offsets::Slot;

pub(super) const RULE: Rule = Rule {
    code: "PSP311",
    name: "too-long-for-pool",
    severity: Severity::Error,
    run: "Out of memory, or an assertion in the scheduler.",
    advice: "Raise max_seqlen_per_dp_cp_rank, or use a larger pool.",
    page: page!("psp311_too_long_for_pool.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (Some(limit), Some(topology), Some(slots)) =
        (case.sizes().max_seqlen_per_dp_cp_rank, case.laid_out(), case.sound_slots())
    else {
        return;
    };
    let room = limit.saturating_mul(topology.pool_size() as i64);
    let long: Vec<&Slot> = slots.iter().filter(|slot| slot.length > room).collect();
    let Some(first) = long.first() else { return };
    let needed = first.length.div_euclid(topology.pool_size() as i64) + 1;
    findings
        .report(
            case.physical_field(),
            format!(
                "sequence {} has {} tokens, {} ranks hold {room}",
                first.index,
                first.length,
                topology.pool_size()
            ),
        )
        .entries(long.iter().map(|slot| (slot.index + 1, slot.end())))
        .slots(long.iter().map(|slot| slot.index))
        .fix(
            Fix::new(format!("raise the limit to {needed}"))
                .set("topology.max_seqlen_per_dp_cp_rank", needed),
        );
}
