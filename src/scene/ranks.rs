//! The ranks: the world as nodes of GPUs, coloured by one kind of group.

use super::ruler::thousands;
use super::{Anchor, Area, Frame, Mark, Scene, Target};
use crate::analysis::Analysis;
use crate::topology::{GroupKind, Topology};
use std::ops::Range;

const TITLE: f64 = 14.0;
/// Nodes drawn GPU by GPU; of more, nodes are one shape each.
const NODES_BY_GPU: usize = 300;
/// Nodes drawn one by one; of more, racks of several nodes are one shape.
const NODES_BY_ONE: usize = 1400;

/// How nodes lie on the page.
struct Grid {
    /// GPUs across and down a node.
    across: usize,
    cell: (f64, f64),
    node: (f64, f64),
    per_row: usize,
    /// Nodes that one shape stands for.
    nodes_per_shape: usize,
    title: f64,
    rows: usize,
}

impl Grid {
    fn new(topology: &Topology, width: f64) -> Grid {
        let gpus = topology.gpus_per_node().min(topology.world());
        let nodes = topology.node_count();
        let across = if gpus <= 8 { gpus } else { gpus.div_ceil((gpus as f64).sqrt() as usize) };
        let down = gpus.div_ceil(across);
        if nodes <= NODES_BY_GPU {
            let cell: (f64, f64) = match topology.world() {
                ..65 => (40.0, 30.0),
                65..257 => (26.0, 18.0),
                _ => (10.0, 9.0),
            };
            let fit = (width - 14.0) / across as f64;
            let cell = (cell.0.min(fit), cell.1);
            let title = if cell.1 >= 18.0 { TITLE } else { 0.0 };
            let node = (cell.0 * across as f64 + 10.0, cell.1 * down as f64 + title + 10.0);
            let per_row = ((width / node.0) as usize).clamp(1, nodes);
            let rows = nodes.div_ceil(per_row);
            return Grid { across, cell, node, per_row, nodes_per_shape: 1, title, rows };
        }
        let nodes_per_shape = nodes_per_shape(nodes);
        let shapes = nodes.div_ceil(nodes_per_shape);
        let side = ((width * 320.0 / shapes as f64).sqrt()).clamp(5.0, 16.0);
        let per_row = ((width / side) as usize).clamp(1, shapes);
        let rows = shapes.div_ceil(per_row);
        Grid {
            across,
            cell: (side, side),
            node: (side, side),
            per_row,
            nodes_per_shape,
            title: 0.0,
            rows,
        }
    }

    fn by_gpu(&self) -> bool {
        self.node != self.cell
    }

    fn height(&self) -> f64 {
        self.rows as f64 * self.node.1 + 4.0
    }

    /// The top left of a node, or of the shape that stands for it.
    fn corner(&self, node: usize) -> (f64, f64) {
        let shape = node / self.nodes_per_shape;
        (
            (shape % self.per_row) as f64 * self.node.0,
            (shape / self.per_row) as f64 * self.node.1 + 2.0,
        )
    }

    fn cell_of(&self, topology: &Topology, rank: usize) -> Area {
        let node = rank / topology.gpus_per_node();
        let (x, y) = self.corner(node);
        if !self.by_gpu() {
            return Area { x, y, width: self.node.0 - 1.0, height: self.node.1 - 1.0 };
        }
        let gpu = rank % topology.gpus_per_node();
        Area {
            x: x + 4.0 + (gpu % self.across) as f64 * self.cell.0,
            y: y + self.title + 3.0 + (gpu / self.across) as f64 * self.cell.1,
            width: self.cell.0 - 1.5,
            height: self.cell.1 - 1.5,
        }
    }
}

/// Nodes that one shape stands for.
fn nodes_per_shape(nodes: usize) -> usize {
    if nodes <= NODES_BY_GPU { 1 } else { nodes.div_ceil(NODES_BY_ONE) }
}

/// The kind that ranks are coloured by: as asked, else the cp groups, else the tp groups.
pub(crate) fn shown_kind(topology: &Topology, frame_group: usize) -> GroupKind {
    topology.kinds().get(frame_group).copied().unwrap_or(
        if topology.group_size(GroupKind::CP) > 1 { GroupKind::CP } else { GroupKind::TP },
    )
}

/// The index of the group that holds a rank, for its colour.
fn group_index(topology: &Topology, kind: GroupKind, rank: usize) -> Option<usize> {
    match kind {
        GroupKind::Dense(_, mask) => Some(topology.dense().group_index(rank, mask)),
        GroupKind::Expert(_, mask) => Some(topology.expert().group_index(rank, mask)),
        // The smallest member tells groups of one kind apart.
        _ => {
            topology.group_of(rank, kind).and_then(|group| group.iter().min().map(|&r| r as usize))
        }
    }
}

pub(super) fn scene(analysis: &Analysis, frame: &Frame) -> Scene {
    let theme = frame.theme;
    let topology = match &analysis.topology {
        Ok(topology) => topology,
        Err(error) => {
            let mut scene = Scene::new(frame.width, 84.0, theme);
            let area = Area { x: 0.0, y: 6.0, width: frame.width, height: 70.0 };
            scene.marks.push(Mark::Outline { area, paint: theme.line, width: 1.0 });
            let message = error.to_string();
            let fits = ((frame.width - 20.0) / 7.3) as usize;
            let short: String = message.chars().take(fits.max(10)).collect();
            scene.label(area, 12.0, theme.muted, &short);
            return scene;
        }
    };
    let grid = Grid::new(topology, frame.width);
    let mut scene = Scene::new(frame.width, grid.height(), theme);
    let kind = shown_kind(topology, frame.group);
    let rank = frame.lit.rank.or(usize::try_from(analysis.scenario.rank).ok());
    let group = rank
        .filter(|&rank| rank < topology.world())
        .and_then(|rank| topology.group_of(rank, kind))
        .unwrap_or_default();
    if grid.by_gpu() {
        by_gpu(&mut scene, frame, topology, &grid, kind, &group);
    } else {
        by_node(&mut scene, frame, topology, &grid, kind, &group);
    }
    let selected = usize::try_from(analysis.scenario.rank).ok();
    for (rank, paint) in [(selected, theme.text), (frame.lit.rank, theme.accent)] {
        if let Some(rank) = rank.filter(|&rank| rank < topology.world()) {
            let area = grid.cell_of(topology, rank);
            let area = Area {
                x: area.x - 1.0,
                y: area.y - 1.0,
                width: area.width + 2.0,
                height: area.height + 2.0,
            };
            scene.marks.push(Mark::Outline { area, paint, width: 2.5 });
        }
    }
    scene
}

fn by_gpu(
    scene: &mut Scene,
    frame: &Frame,
    topology: &Topology,
    grid: &Grid,
    kind: GroupKind,
    group: &[u32],
) {
    let theme = frame.theme;
    if grid.title > 0.0 {
        for node in 0..topology.node_count() {
            let (x, y) = grid.corner(node);
            let area = Area {
                x: x + 0.5,
                y: y + 0.5,
                width: grid.node.0 - 4.0,
                height: grid.node.1 - 4.0,
            };
            scene.marks.push(Mark::Outline { area, paint: theme.line, width: 1.0 });
            scene.text(x + 5.0, y + 9.0, 10.0, Anchor::Start, theme.muted, format!("node {node}"));
        }
    }
    let mut members = group.to_vec();
    members.sort_unstable();
    for rank in 0..topology.world() {
        let area = grid.cell_of(topology, rank);
        let member = members.binary_search(&(rank as u32)).is_ok();
        let paint = match group_index(topology, kind, rank) {
            Some(index) => {
                theme.group(index).faint(if member || group.is_empty() { 1.0 } else { 0.45 })
            }
            None => theme.line.faint(0.4),
        };
        scene.fill(area, paint);
        if member && area.height > 12.0 {
            scene.marks.push(Mark::Outline { area, paint: theme.text.faint(0.75), width: 1.5 });
        }
        let ink = if member { theme.ink } else { theme.text };
        scene.label(area, if area.height > 20.0 { 12.0 } else { 10.0 }, ink, &rank.to_string());
    }
}

/// Each node, or rack of nodes, as one shape: the colour of its group where it lies in one, and how
/// many of the selected group's ranks it holds.
fn by_node(
    scene: &mut Scene,
    frame: &Frame,
    topology: &Topology,
    grid: &Grid,
    kind: GroupKind,
    group: &[u32],
) {
    let theme = frame.theme;
    let ranks_per_shape = topology.gpus_per_node() * grid.nodes_per_shape;
    let shapes = topology.node_count().div_ceil(grid.nodes_per_shape);
    for shape in 0..shapes {
        let (x, y) = grid.corner(shape * grid.nodes_per_shape);
        let area = Area { x, y, width: grid.node.0 - 1.0, height: grid.node.1 - 1.0 };
        let first = shape * ranks_per_shape;
        let ranks = first..(first + ranks_per_shape).min(topology.world());
        let paint = match one_group(topology, kind, ranks) {
            Some(index) => theme.group(index).faint(0.45),
            None => theme.merged.faint(0.35),
        };
        scene.fill(area, paint);
    }
    let mut touched: Vec<usize> =
        group.iter().map(|&rank| rank as usize / ranks_per_shape).collect();
    touched.sort_unstable();
    for run in touched.chunk_by(|a, b| a == b) {
        let (x, y) = grid.corner(run[0] * grid.nodes_per_shape);
        let share = run.len() as f64 / ranks_per_shape as f64;
        let height = ((grid.node.1 - 1.0) * share).max(2.0);
        scene.fill(Area { x, y, width: grid.node.0 - 1.0, height }, theme.accent);
    }
}

/// The index of the group that all of these ranks lie in.
fn one_group(topology: &Topology, kind: GroupKind, mut ranks: Range<usize>) -> Option<usize> {
    let (generator, mask) = match kind {
        GroupKind::Dense(_, mask) => (topology.dense(), mask),
        GroupKind::Expert(_, mask) => (topology.expert(), mask),
        _ => return None,
    };
    let first = generator.group_index(ranks.next()?, mask);
    ranks.all(|rank| generator.group_index(rank, mask) == first).then_some(first)
}

pub(super) fn hit(analysis: &Analysis, frame: &Frame, x: f64, y: f64) -> Option<Target> {
    let topology = analysis.topology.as_ref().ok()?;
    let grid = Grid::new(topology, frame.width);
    let (column, row) = ((x / grid.node.0) as usize, ((y - 2.0).max(0.0) / grid.node.1) as usize);
    if x < 0.0 || column >= grid.per_row {
        return None;
    }
    let node = (row * grid.per_row + column) * grid.nodes_per_shape;
    let first = node * topology.gpus_per_node();
    let last = (first + topology.gpus_per_node()).min(topology.world());
    if !grid.by_gpu() {
        return (first < topology.world()).then_some(Target::Rank(first));
    }
    (first..last).find(|&rank| grid.cell_of(topology, rank).holds(x, y)).map(Target::Rank)
}

/// What the view shows, in a sentence.
pub(crate) fn sentence(topology: &Topology, frame_group: usize) -> String {
    let kind = shown_kind(topology, frame_group);
    let size = topology.group_size(kind);
    let shapes = match nodes_per_shape(topology.node_count()) {
        _ if topology.node_count() <= NODES_BY_GPU => String::new(),
        1 => "; a square is a node, grey where it lies in several groups".to_owned(),
        nodes => {
            format!("; a square is a rack of {nodes} nodes, grey where it lies in several groups")
        }
    };
    format!(
        "{} ranks on {} of {} GPUs, coloured by {} ({} each){shapes}",
        thousands(topology.world() as i64),
        if topology.node_count() == 1 {
            "1 node".to_owned()
        } else {
            format!("{} nodes", thousands(topology.node_count() as i64))
        },
        topology.gpus_per_node(),
        kind.name(),
        if size == 1 { "1 rank".to_owned() } else { format!("{} ranks", thousands(size as i64)) },
    )
}
