//! What vectors cannot hold: properties over random packs and worlds, 1,000 cases each.
#![cfg(not(target_arch = "wasm32"))]

use packscope::partition::{
    Cut, build_thd_cp_partition_route, cu_seqlens_on_cp_rank, pad_to_multiple, unpad, windows,
};
use packscope::scene::{self, Frame, View, Window, theme};
use packscope::{
    CheckedOffsets, Group, PackedSeqParams, ParallelSizes, PartitionMode, Profile, Scenario, Slot,
    Tensor, Topology, analyze, resolve_cp_group, resolve_tp_cp_group, schedule,
};
use proptest::prelude::*;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() }
}

/// Lengths, empty ones included.
fn lengths() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(0..40i64, 1..12)
        .prop_filter("a stream has tokens", |lengths| lengths.iter().any(|&n| n > 0))
}

fn offsets(lengths: &[i64], multiple: i64) -> Vec<i64> {
    let mut offsets = vec![0];
    offsets.extend(lengths.iter().scan(0, |sum, length| {
        *sum += length * multiple;
        Some(*sum)
    }));
    offsets
}

fn slots(offsets: &[i64]) -> Vec<Slot> {
    CheckedOffsets::new(offsets).unwrap().slots().collect()
}

fn mode() -> impl Strategy<Value = PartitionMode> {
    prop_oneof![
        Just(PartitionMode::PerDocument),
        Just(PartitionMode::PerSequence),
        Just(PartitionMode::Contiguous)
    ]
}

/// Sizes that fit together, in a random order that upstream takes.
fn sizes() -> impl Strategy<Value = ParallelSizes> {
    let order = Just(vec!["tp", "cp", "ep", "dp"]).prop_shuffle();
    (1..4i64, 1..5i64, 1..4i64, 1..4i64, 1..4i64, 1..3i64, 1..3i64, order).prop_map(
        |(tp, cp, pp, ep, dp, etp, gtp, order)| {
            let mut sizes = ParallelSizes {
                tensor_model_parallel_size: tp,
                context_parallel_size: cp,
                pipeline_model_parallel_size: pp,
                expert_model_parallel_size: ep,
                expert_tensor_parallel_size: Some(etp),
                gtp_remat_size: gtp,
                order: format!("{}-pp", order.join("-")),
                ..ParallelSizes::default()
            };
            sizes.world_size = Some(sizes.world() * dp);
            sizes
        },
    )
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_cut_covers_each_token_once(lengths in lengths(), cp in 1..7i64, mode in mode()) {
        let offsets = offsets(&lengths, 2 * cp);
        let total = *offsets.last().unwrap();
        let cut = Cut::new(slots(&offsets), total, mode, cp).unwrap();
        let mut seen = vec![0; total as usize];
        for rank in 0..cp {
            let indices: Vec<i64> = cut.indices(rank).collect();
            prop_assert_eq!(indices.len() as i64, cut.local_tokens());
            for (local, &token) in indices.iter().enumerate() {
                seen[token as usize] += 1;
                let place = cut.locate(token).unwrap();
                prop_assert_eq!((place.cp_rank, place.local_index), (rank, local as i64));
                prop_assert_eq!(cut.token_at(rank, local as i64), Some(token));
            }
            prop_assert_eq!(cut.token_at(rank, cut.local_tokens()), None);
        }
        prop_assert!(seen.iter().all(|&n| n == 1));
        prop_assert_eq!(cut.locate(total), None);
    }

    #[test]
    fn what_does_not_divide_is_refused(lengths in lengths(), cp in 2..7i64) {
        let offsets = offsets(&lengths, 1);
        let ragged = lengths.iter().any(|length| length % (2 * cp) != 0);
        let cut = Cut::new(slots(&offsets), *offsets.last().unwrap(), PartitionMode::PerDocument, cp);
        prop_assert_eq!(cut.is_err(), ragged);
    }

    #[test]
    fn a_stream_that_does_not_divide_is_refused(lengths in lengths(), cp in 2..7i64, more in 1..40i64, mode in mode()) {
        let offsets = offsets(&lengths, 2 * cp);
        let total = offsets.last().unwrap() + more;
        let divisor = if mode == PartitionMode::Contiguous { cp } else { 2 * cp };
        prop_assert_eq!(Cut::new(slots(&offsets), total, mode, cp).is_err(), more % divisor != 0);
        prop_assert!(Cut::new(slots(&[0, 0]), 0, PartitionMode::PerDocument, cp).is_err());
    }

    #[test]
    fn the_route_there_and_back_is_the_identity(lengths in lengths(), cp in 1..6i64) {
        let offsets = offsets(&lengths, 2 * cp);
        let total = *offsets.last().unwrap();
        let routes = build_thd_cp_partition_route(&offsets, cp).unwrap();
        let of = |mode| Cut::new(slots(&offsets), total, mode, cp).unwrap();
        let (zigzag, contiguous) = (of(PartitionMode::PerDocument), of(PartitionMode::Contiguous));
        let rows = |cut: &Cut| -> Vec<Vec<i64>> { (0..cp).map(|r| cut.indices(r).collect()).collect() };
        let there = exchange(&routes, rows(&zigzag), true);
        prop_assert_eq!(&there, &rows(&contiguous));
        prop_assert_eq!(exchange(&routes, there, false), rows(&zigzag));
    }

    #[test]
    fn every_kind_of_group_partitions_the_world(sizes in sizes()) {
        let topology = Topology::new(&sizes).unwrap();
        for kind in topology.kinds() {
            let groups = topology.groups(kind);
            let mut ranks: Vec<u32> = groups.concat();
            ranks.sort_unstable();
            let name = kind.name();
            // Middle stages have no embedding group; only first ranks have a position embedding.
            if !name.contains("EMBEDDING") {
                prop_assert_eq!(ranks, (0..topology.world() as u32).collect::<Vec<_>>(), "{}", name);
            }
            for group in groups {
                for &rank in &group {
                    prop_assert_eq!(topology.group_of(rank as usize, kind), Some(group.clone()));
                }
            }
        }
    }

    #[test]
    fn zigzag_shares_pairs_equally(lengths in lengths(), cp in 1..7i64) {
        let offsets = offsets(&lengths, 2 * cp);
        let cut = Cut::new(slots(&offsets), *offsets.last().unwrap(), PartitionMode::PerDocument, cp).unwrap();
        let loads = cut.loads();
        prop_assert!(loads.iter().all(|load| load == &loads[0]));
        let all: i64 = slots(&offsets).iter().map(|s| s.length * (s.length + 1) / 2).sum();
        prop_assert_eq!(loads.iter().map(|load| load.attention_pairs as i64).sum::<i64>(), all);
    }

    #[test]
    fn loads_are_what_counting_gives(lengths in lengths(), seed in any::<u64>(), cp in 1..5i64, mode in mode()) {
        let offsets = offsets(&lengths, 2 * cp);
        let total = *offsets.last().unwrap();
        let mut slots = slots(&offsets);
        for slot in &mut slots {
            slot.valid = (seed.wrapping_mul(slot.index as u64 + 7) % (slot.length as u64 + 1)) as i64;
        }
        let cut = Cut::new(slots.clone(), total, mode, cp).unwrap();
        for (rank, load) in cut.loads().into_iter().enumerate() {
            let valid = cut.indices(rank as i64).filter_map(|token| {
                let slot = slots.iter().find(|slot| (slot.start..slot.end()).contains(&token))?;
                (token - slot.start < slot.valid).then_some(token - slot.start + 1)
            });
            let seen: Vec<i64> = valid.collect();
            prop_assert_eq!(load.valid_tokens, seen.len() as i64);
            prop_assert_eq!(load.attention_pairs as i64, seen.iter().sum::<i64>());
        }
    }

    #[test]
    fn offsets_on_a_rank_count_its_valid_tokens(lengths in lengths(), seed in any::<u64>(), cp in 1..6i64) {
        let padded = offsets(&lengths, 2 * cp);
        let mut slots = slots(&padded);
        for slot in &mut slots {
            slot.valid = (seed.wrapping_mul(slot.index as u64 + 3) % (slot.length as u64 + 1)) as i64;
        }
        let valid = offsets_of(slots.iter().map(|slot| slot.valid));
        let cut = Cut::new(slots, *padded.last().unwrap(), PartitionMode::PerDocument, cp).unwrap();
        for (rank, load) in cut.loads().iter().enumerate() {
            let (local, on_rank) = cu_seqlens_on_cp_rank(&valid, &padded, cp, rank as i64);
            prop_assert_eq!(on_rank.both.last(), Some(&load.valid_tokens));
            prop_assert_eq!(local.last(), Some(&cut.local_tokens()));
        }
    }

    #[test]
    fn pad_then_unpad_is_the_identity(lengths in lengths(), multiple in 1..33i64) {
        let offsets = offsets(&lengths, 1);
        let pack = pad_to_multiple(CheckedOffsets::new(&offsets).unwrap(), multiple);
        prop_assert_eq!(unpad(&pack), (0..*offsets.last().unwrap()).collect::<Vec<_>>());
        prop_assert!(pack.offsets.iter().all(|offset| offset % multiple == 0));
        prop_assert_eq!(pack.source.len() as i64, *pack.offsets.last().unwrap());
    }

    #[test]
    fn runs_and_tokens_agree(entries in prop::collection::vec(0..60i64, 0..12), total in 0..80i64) {
        let params = PackedSeqParams {
            cu_seqlens_q: Some(Tensor::of(entries)),
            total_tokens: Some(total),
            ..Default::default()
        };
        let runs = params.seq_idx_clamped().unwrap();
        let tokens = runs.expand();
        prop_assert_eq!(tokens.len() as i64, runs.length());
        let mut buffer = vec![-1; tokens.len()];
        runs.expand_into(&mut buffer).unwrap();
        prop_assert_eq!(&buffer, &tokens);
        let wide: Vec<i64> = tokens.iter().map(|&i| i64::from(i)).collect();
        prop_assert_eq!(packscope::Runs::of_tokens(&wide), runs.clone());
        prop_assert!(runs.expand_into(&mut vec![0; tokens.len() + 1]).is_err());
        if let Ok(strict) = params.seq_idx_strict() {
            prop_assert_eq!(runs.length(), total);
            prop_assert_eq!(strict, Some(runs));
        }
    }

    #[test]
    fn a_resolved_group_has_the_right_size(sizes in sizes(), rank in 0..4096usize, choice in 0..16usize, wrong in 0..3usize) {
        let topology = Topology::new(&ParallelSizes { gtp_remat_size: 1, world_size: None, ..sizes }).unwrap();
        let rank = rank % topology.world();
        let valid = topology.runtime_sizes();
        let size = valid[choice % valid.len()];
        let known = |ranks: Vec<u32>| Some(Group::Ranks(ranks.into_iter().map(i64::from).collect()));
        let cp = topology.runtime_cp_group(rank, size).unwrap();
        let tp_cp = topology.runtime_tp_cp_group(rank, size).unwrap();
        prop_assert!(cp.contains(&(rank as u32)) && tp_cp.contains(&(rank as u32)));
        prop_assert_eq!(tp_cp.len(), cp.len() * topology.group_size(packscope::GroupKind::TP));
        let mut params = PackedSeqParams { local_cp_size: Some(size as i64), cp_group: known(cp), tp_cp_group: known(tp_cp), ..Default::default() };
        let tp = known(topology.group_of(rank, packscope::GroupKind::TP).unwrap());
        prop_assert_eq!(resolve_cp_group(None, &params, Profile::Strict), Ok(params.cp_group.clone()));
        prop_assert_eq!(resolve_tp_cp_group(None, &params, true, tp.as_ref()), Ok(params.tp_cp_group.clone()));
        // One rank too many, one too few, or none.
        for group in [&mut params.cp_group, &mut params.tp_cp_group] {
            match (wrong, group.as_mut()) {
                (0, Some(Group::Ranks(ranks))) => ranks.push(100_000),
                (1, Some(Group::Ranks(ranks))) => { ranks.pop(); }
                _ => *group = None,
            }
        }
        prop_assert!(resolve_cp_group(None, &params, Profile::Strict).is_err());
        prop_assert!(resolve_tp_cp_group(None, &params, true, tp.as_ref()).is_err());
    }

    #[test]
    fn every_sample_is_scheduled_once_on_enough_ranks(lengths in prop::collection::vec(1..4000i64, 1..24), power in 0..4u32) {
        let pool = 1usize << power;
        let limit = 4096;
        let Ok(groups) = schedule::hybrid_schedule(&lengths, limit, pool) else { return Ok(()) };
        let mut times = vec![0; lengths.len()];
        for ranks in &groups {
            prop_assert_eq!(ranks.len(), pool);
            for (id, &length) in lengths.iter().enumerate() {
                let on = ranks.iter().filter(|samples| samples.contains(&id)).count();
                if on > 0 {
                    times[id] += 1;
                    prop_assert!(on as i64 >= schedule::gpus_needed(length, limit));
                }
            }
        }
        prop_assert!(times.iter().all(|&n| n == 1));
    }

    #[test]
    fn windows_partition_the_local_tokens(local in 0..500i64, tp in 1..9i64) {
        match windows(local, tp) {
            Some(windows) => {
                let end = windows.fold(0, |at, window| {
                    assert_eq!(window.start, at);
                    at + window.length
                });
                prop_assert_eq!(end, local);
            }
            None => prop_assert!(local % tp != 0),
        }
    }

    #[test]
    fn no_view_draws_more_than_its_marks(lengths in prop::collection::vec(0..3000i64, 1..3000), cp in 1..65i64, from in 0.0..1.0f64, span in 0.0001..1.0f64) {
        let offsets = offsets(&lengths, 2 * cp);
        let mut scenario = Scenario::of(PackedSeqParams::of_offsets(offsets));
        scenario.topology.context_parallel_size = cp;
        scenario.topology.world_size = Some(cp * 512);
        let analysis = analyze(&scenario);
        for view in View::ALL {
            let frame = Frame { window: Window { from, to: from + span }, ..Frame::whole(900.0, &theme::LIGHT) };
            let scene = scene::scene(&analysis, view, &frame);
            prop_assert!(scene.marks.len() <= scene::MARKS + 400, "{} draws {}", view.name(), scene.marks.len());
        }
    }
}

fn offsets_of(lengths: impl Iterator<Item = i64>) -> Vec<i64> {
    let lengths: Vec<i64> = lengths.collect();
    offsets(&lengths, 1)
}

/// The all-to-all of a route: every rank sends its rows in order, peer by peer, and puts what it
/// gets in the other layout's order.
fn exchange(
    routes: &[packscope::partition::Route],
    rows: Vec<Vec<i64>>,
    to_contiguous: bool,
) -> Vec<Vec<i64>> {
    let cp = routes.len();
    let side = |rank: usize, source: bool| {
        let route = &routes[rank];
        let (index, sizes) = if source == to_contiguous {
            (&route.zigzag_index, &route.zigzag_split_sizes)
        } else {
            (&route.contiguous_index, &route.contiguous_split_sizes)
        };
        let identity = || (0..rows[rank].len() as i64).collect();
        (index.clone().unwrap_or_else(identity), sizes.clone())
    };
    let sent: Vec<Vec<Vec<i64>>> = (0..cp)
        .map(|rank| {
            let (index, sizes) = side(rank, true);
            let ordered: Vec<i64> = index.iter().map(|&row| rows[rank][row as usize]).collect();
            let mut at = 0;
            sizes
                .iter()
                .map(|&n| {
                    let part = ordered[at..at + n as usize].to_vec();
                    at += n as usize;
                    part
                })
                .collect()
        })
        .collect();
    (0..cp)
        .map(|rank| {
            let (index, sizes) = side(rank, false);
            let received: Vec<i64> = (0..cp).flat_map(|peer| sent[peer][rank].clone()).collect();
            assert!((0..cp).all(|peer| sent[peer][rank].len() as i64 == sizes[peer]));
            let mut placed = vec![-1; received.len()];
            for (row, value) in index.iter().zip(received) {
                placed[*row as usize] = value;
            }
            placed
        })
        .collect()
}
