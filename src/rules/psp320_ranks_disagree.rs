//! Ranks of one TP or CP group hold different metadata for the same microbatch.

use super::case::Case;
use super::case::{KV, KV_PADDED, Q, Q_PADDED, short};
use super::{Findings, Rule, Severity};
use crate::packed_seq_params::PackedSeqParams;
use crate::topology::GroupKind;

pub(super) const RULE: Rule = Rule {
    code: "PSP320",
    name: "ranks-disagree",
    severity: Severity::Error,
    run: "A hang: the ranks wait in collectives of different sizes; or wrong results, without one.",
    advice: "Broadcast the metadata from one rank of the group.",
    page: page!("psp320_ranks_disagree.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (Some(topology), Some(rank)) = (case.laid_out(), case.rank()) else { return };
    let runtime =
        case.params().cp_group.as_ref().and_then(|group| group.ranks()).unwrap_or_default();
    let mut groups: Vec<(&str, Vec<i64>)> = Vec::new();
    for (name, kind) in [("TP", GroupKind::TP), ("CP", GroupKind::CP)] {
        let members = topology.group_of(rank, kind).unwrap_or_default();
        groups.push((name, members.into_iter().map(i64::from).collect()));
    }
    if case.params().local_cp_size.is_some() && !runtime.is_empty() {
        groups[1] = ("CP", runtime.to_vec());
    }
    for (name, members) in groups {
        let others = case.peers().iter().filter(|peer| members.contains(&peer.rank));
        let Some((peer, field)) = others
            .filter_map(|peer| Some((peer, first_difference(case.params(), &peer.params)?)))
            .next()
        else {
            continue;
        };
        findings.report(
            field,
            format!(
                "ranks {rank} and {} are in one {name} group and differ in {}",
                peer.rank,
                short(field)
            ),
        );
        return;
    }
}

/// The first field in which two ranks' params differ that their collectives depend on.
pub(crate) fn first_difference(a: &PackedSeqParams, b: &PackedSeqParams) -> Option<&'static str> {
    [
        (Q, a.cu_seqlens_q != b.cu_seqlens_q),
        (KV, a.cu_seqlens_kv != b.cu_seqlens_kv),
        (Q_PADDED, a.cu_seqlens_q_padded != b.cu_seqlens_q_padded),
        (KV_PADDED, a.cu_seqlens_kv_padded != b.cu_seqlens_kv_padded),
        ("params.local_cp_size", a.local_cp_size != b.local_cp_size),
        ("params.max_seqlen_q", a.max_seqlen_q != b.max_seqlen_q),
        ("params.total_tokens", a.total_tokens != b.total_tokens),
    ]
    .into_iter()
    .find_map(|(field, differs)| differs.then_some(field))
}
