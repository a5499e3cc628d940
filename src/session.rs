//! What a page holds while someone works on it: a text, the settings beside it, and what follows.
//! It knows no JavaScript; `wasm` only converts.

use crate::analysis::{Analysis, analyze};
use crate::field::Value;
use crate::input::url::Kept;
use crate::input::{self, InputError, Reading};
use crate::offsets::slot_at;
use crate::rules::{self, Finding, Fix};
use crate::scenario::Scenario;
use crate::scene::Target;
use crate::topology::{Axis, GroupKind, Topology};

/// The text that a page opens with: the published example.
pub const EXAMPLE: &str = "cu_seqlens_q = [0, 5, 7, 11]\ntotal_tokens = 16\n";

/// A text and its settings, with everything that follows from them.
pub struct Session {
    text: String,
    case: usize,
    reading: Option<Reading>,
    error: Option<InputError>,
    /// The last scenario that could be read, with the settings as they are now.
    analysis: Analysis<'static>,
    findings: Vec<Finding>,
}

/// The first sight: the published example on 8 ranks at TP 2, CP 2.
fn opening() -> Scenario {
    let mut scenario = Scenario::default();
    scenario.topology.world_size = Some(8);
    scenario.topology.tensor_model_parallel_size = 2;
    scenario.topology.context_parallel_size = 2;
    scenario
}

impl Default for Session {
    fn default() -> Self {
        let mut session = Session {
            text: String::new(),
            case: 0,
            reading: None,
            error: None,
            analysis: analyze(opening()),
            findings: Vec::new(),
        };
        session.set_text(EXAMPLE);
        session
    }
}

impl Session {
    /// Reads a text. What it states of sizes and settings takes effect; the rest stays. What cannot
    /// be read leaves the last picture as it was.
    pub fn set_text(&mut self, text: &str) {
        self.read(text, true);
    }

    fn read(&mut self, text: &str, with_settings: bool) {
        self.text = text.to_owned();
        match input::read(text) {
            Ok(reading) => {
                self.error = None;
                self.case = self.case.min(reading.cases.len() - 1);
                let mut scenario = reading.onto(self.case, &self.analysis.scenario);
                if !with_settings {
                    let params = scenario.params;
                    scenario = Scenario { params, ..self.analysis.scenario.clone().into_owned() };
                }
                if scenario.topology.world_size.is_none() {
                    scenario.topology.world_size = Some(scenario.topology.world());
                }
                // A pasted pack without sizes keeps the sizes; a world too small for new ones grows.
                if !reading.states("topology.world_size") && with_settings {
                    fit_world(&mut scenario);
                }
                if reading.format == input::Format::Launch {
                    scenario.params = self.analysis.scenario.params.clone();
                }
                self.reading = Some(reading);
                self.follow(scenario);
            }
            Err(error) => {
                self.error = Some(error);
            }
        }
    }

    fn follow(&mut self, scenario: Scenario) {
        self.analysis = analyze(scenario);
        let peers = self.reading.as_ref().map_or(Vec::new(), |reading| {
            let sizes = &self.analysis.scenario.topology;
            let mut peers = reading.peers(self.case);
            for peer in &mut peers {
                peer.topology = sizes.clone();
            }
            peers
        });
        self.findings = rules::check_among(&self.analysis, &peers);
    }

    /// Shows another case of the text: another rank of a paste, another line.
    pub fn set_case(&mut self, case: usize) {
        self.case = case;
        let text = std::mem::take(&mut self.text);
        self.read(&text, true);
    }

    /// Sets one field outside the params, `topology.context_parallel_size`; false where it cannot
    /// hold the value.
    pub fn set(&mut self, field: &str, value: Value) -> bool {
        let mut scenario = self.analysis.scenario.clone().into_owned();
        if scenario.set(field, value).is_err() {
            return false;
        }
        self.follow(scenario);
        // Scenario JSON says the settings itself, so it is kept true.
        if self.error.is_none()
            && self
                .reading
                .as_ref()
                .is_some_and(|r| r.format == input::Format::Json && r.cases.len() == 1)
        {
            self.rewrite();
        }
        true
    }

    /// The text that says the scenario as it is now: JSON where the text was JSON, else params.
    fn rewrite(&mut self) {
        let json = self.reading.as_ref().is_some_and(|r| r.format == input::Format::Json);
        let scenario = &self.analysis.scenario;
        let text = if json {
            crate::output::scenario_json(scenario)
        } else {
            crate::output::params_repr(&scenario.params)
        };
        self.read(&text, false);
    }

    /// The fix of finding `index`.
    pub fn fix(&self, index: usize) -> Option<&Fix> {
        self.findings.get(index)?.fix.as_ref()
    }

    /// Puts a fix in, and rewrites the text to say so. False where there is none.
    pub fn apply_fix(&mut self, index: usize) -> bool {
        let Some(fix) = self.fix(index) else { return false };
        let scenario = fix.apply(&self.analysis.scenario);
        let params_changed = scenario.params != self.analysis.scenario.params;
        self.follow(scenario);
        if params_changed || self.reading.as_ref().is_some_and(|r| r.format == input::Format::Json)
        {
            self.case = 0;
            self.rewrite();
        }
        true
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn case(&self) -> usize {
        self.case
    }

    pub fn reading(&self) -> Option<&Reading> {
        self.reading.as_ref().filter(|_| self.error.is_none())
    }

    /// What the reader passed over, and how the ranks of one text differ; a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let Some(reading) = self.reading() else { return Vec::new() };
        let scenario = &self.analysis.scenario;
        let differing = reading.peers(self.case).into_iter().find_map(|peer| {
            let field = rules::first_difference(&scenario.params, &peer.params)?;
            let name = field.trim_start_matches("params.");
            Some(format!("Rank {} differs from rank {} in {name}.", peer.rank, scenario.rank))
        });
        reading.notes.iter().cloned().chain(differing).collect()
    }

    pub fn error(&self) -> Option<&InputError> {
        self.error.as_ref()
    }

    pub fn analysis(&self) -> &Analysis<'static> {
        &self.analysis
    }

    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Everything, for an address.
    pub fn kept(&self) -> Kept {
        let settings = self.analysis.scenario.without_params();
        Kept { text: self.text.clone(), settings, case: self.case }
    }

    /// Takes up what an address kept.
    pub fn restore(&mut self, kept: Kept) {
        self.case = kept.case;
        self.follow(kept.settings);
        self.read(&kept.text, false);
    }

    /// The next size down and up that divides, for a stepper; none where there is none.
    pub fn steps(&self, size: Size) -> (Option<i64>, Option<i64>) {
        let sizes = &self.analysis.scenario.topology;
        let now = size.of(&self.analysis.scenario);
        let world = sizes.world();
        let fits = |value: i64| {
            let mut sizes = sizes.clone();
            size.put(&mut sizes, value);
            Topology::new(&sizes).is_ok()
        };
        if size == Size::World {
            let (dense, expert) =
                (sizes.dense_model_size().max(1), sizes.expert_model_size().max(1));
            let step = (dense / crate::topology::gcd(dense, expert)).saturating_mul(expert);
            let down = (world - 1).div_euclid(step).saturating_mul(step);
            let up = (world.div_euclid(step) + 1).saturating_mul(step);
            return (Some(down).filter(|&w| w > 0 && fits(w)), Some(up).filter(|&w| fits(w)));
        }
        if !(1..=crate::topology::MAX_WORLD).contains(&world) {
            return (Some(now - 1).filter(|&n| n > 0), None);
        }
        let divisors = divisors(world);
        let down =
            divisors.iter().rev().copied().filter(|&value| value < now).find(|&value| fits(value));
        let up = divisors.into_iter().filter(|&value| value > now).find(|&value| fits(value));
        (down, up)
    }

    /// The global rank that holds a place of the cut in the replica of the selected rank.
    pub fn holder(&self, cp_rank: i64, tp_rank: Option<i64>) -> Option<usize> {
        let topology = self.analysis.topology.as_ref().ok()?;
        let selected = usize::try_from(self.analysis.scenario.rank).ok()?;
        if self.analysis.cp_size != self.analysis.scenario.topology.context_parallel_size {
            let cp = self.analysis.cp_group.as_ref().ok()?.as_ref()?;
            return usize::try_from(*cp.ranks()?.get(usize::try_from(cp_rank).ok()?)?).ok();
        }
        let dense = topology.dense();
        let tp_rank = tp_rank.unwrap_or(dense.coordinate(selected, Axis::Tp) as i64);
        let group = topology.group_of(selected, GroupKind::TP_CP)?;
        group.into_iter().map(|rank| rank as usize).find(|&rank| {
            dense.coordinate(rank, Axis::Cp) as i64 == cp_rank
                && dense.coordinate(rank, Axis::Tp) as i64 == tp_rank
        })
    }

    /// Everything that a target lights in the views.
    pub fn lights(&self, target: Target) -> Lights {
        match target {
            Target::Token(token) => {
                let cut = self.analysis.cut.as_ref().ok();
                let place = cut.and_then(|cut| cut.locate(token));
                let tp = self.analysis.scenario.topology.tensor_model_parallel_size;
                let tp_rank = match (cut, place) {
                    (Some(cut), Some(place))
                        if self.analysis.scenario.sequence_parallel
                            && tp > 1
                            && cut.local_tokens() % tp == 0 =>
                    {
                        Some(place.local_index / (cut.local_tokens() / tp))
                    }
                    _ => None,
                };
                let slots = self.analysis.usable_slots().unwrap_or_default();
                Lights {
                    token: Some(token),
                    slot: slot_at(slots, token).map(|slot| slot.index),
                    cp_rank: place.map(|place| place.cp_rank),
                    rank: place.and_then(|place| self.holder(place.cp_rank, tp_rank)),
                }
            }
            Target::Rank(rank) => {
                let topology = self.analysis.topology.as_ref().ok();
                let cp_rank =
                    topology.map(|topology| topology.dense().coordinate(rank, Axis::Cp) as i64);
                Lights { rank: Some(rank), cp_rank, ..Lights::default() }
            }
            Target::Step { cp_rank, .. } => Lights {
                cp_rank: Some(cp_rank),
                rank: self.holder(cp_rank, None),
                ..Lights::default()
            },
        }
    }
}

/// The divisors of a positive number, ascending.
fn divisors(number: i64) -> Vec<i64> {
    let low: Vec<i64> = (1..).take_while(|n| n * n <= number).filter(|n| number % n == 0).collect();
    let high = low.iter().rev().map(|n| number / n).filter(|n| n * n > number);
    low.iter().copied().chain(high).collect()
}

/// What one thing lights in all views.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lights {
    pub token: Option<i64>,
    pub slot: Option<usize>,
    pub cp_rank: Option<i64>,
    pub rank: Option<usize>,
}

/// Grows a world that the sizes do not divide to the nearest one that they do.
fn fit_world(scenario: &mut Scenario) {
    let sizes = &mut scenario.topology;
    let (dense, expert) = (sizes.dense_model_size(), sizes.expert_model_size());
    let world = sizes.world();
    if dense < 1 || expert < 1 || world < 1 || world % dense == 0 && world % expert == 0 {
        return;
    }
    let both = (dense / crate::topology::gcd(dense, expert)).saturating_mul(expert);
    sizes.world_size = Some((world / both + 1).saturating_mul(both));
}

/// A size with a stepper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Tp,
    Cp,
    Ep,
    Pp,
    World,
}

impl Size {
    pub const ALL: [Size; 5] = [Size::Tp, Size::Cp, Size::Ep, Size::Pp, Size::World];

    /// Its field in the file format.
    pub fn field(self) -> &'static str {
        match self {
            Size::Tp => "topology.tensor_model_parallel_size",
            Size::Cp => "topology.context_parallel_size",
            Size::Ep => "topology.expert_model_parallel_size",
            Size::Pp => "topology.pipeline_model_parallel_size",
            Size::World => "topology.world_size",
        }
    }

    pub fn of(self, scenario: &Scenario) -> i64 {
        let sizes = &scenario.topology;
        match self {
            Size::Tp => sizes.tensor_model_parallel_size,
            Size::Cp => sizes.context_parallel_size,
            Size::Ep => sizes.expert_model_parallel_size,
            Size::Pp => sizes.pipeline_model_parallel_size,
            Size::World => sizes.world(),
        }
    }

    fn put(self, sizes: &mut crate::scenario::ParallelSizes, value: i64) {
        match self {
            Size::Tp => sizes.tensor_model_parallel_size = value,
            Size::Cp => sizes.context_parallel_size = value,
            Size::Ep => sizes.expert_model_parallel_size = value,
            Size::Pp => sizes.pipeline_model_parallel_size = value,
            Size::World => sizes.world_size = Some(value),
        }
    }
}
