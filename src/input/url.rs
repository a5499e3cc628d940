//! What an address holds: JSON, deflated, in base64 that needs no escaping.

use super::json::{key_of, scenario_statements};
use super::literal::{Kind, Node, parse};
use crate::scenario::Scenario;
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::Serialize;

/// The largest state an address unfolds to, bytes.
const MAX_STATE: usize = 16 << 20;

/// What an address keeps of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kept {
    pub text: String,
    /// A Scenario without its params.
    pub settings: Scenario,
    /// Which case of the text is shown.
    pub case: usize,
}

impl Kept {
    /// Folds it for an address. In a page JavaScript does it, with the browser's own deflate.
    ///
    /// ```
    /// use packscope::{Scenario, input::url::Kept};
    /// let kept = Kept { text: "[0, 5, 7]".into(), settings: Scenario::default(), case: 0 };
    /// assert_eq!(Kept::unfold(&kept.fold()), Some(kept));
    /// assert_eq!(Kept::unfold("not a state"), None);
    /// ```
    #[cfg(not(target_arch = "wasm32"))]
    pub fn fold(&self) -> String {
        let json = crate::output::json(self);
        let bytes = miniz_oxide::deflate::compress_to_vec(json.as_bytes(), 8);
        Base64UrlUnpadded::encode_string(&bytes)
    }

    /// What was folded; none where this is not one.
    pub fn unfold(folded: &str) -> Option<Self> {
        let bytes = Base64UrlUnpadded::decode_vec(folded).ok()?;
        let json = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, MAX_STATE).ok()?;
        Kept::of_json(str::from_utf8(&json).ok()?)
    }

    /// What was written as JSON; none where this is not one.
    pub fn of_json(json: &str) -> Option<Self> {
        let (node, _) = parse(json, 0).ok()?;
        let Kind::Dict(entries) = node.kind else { return None };
        let (mut text, mut settings, mut case) = (None, None, 0);
        for (key, value) in entries {
            match (key_of(&key), value.kind) {
                ("text", Kind::Str(kept)) => text = Some(kept),
                ("settings", Kind::Dict(fields)) => settings = Some(scenario(&fields)?),
                ("case", Kind::Int(kept)) => case = usize::try_from(kept).ok()?,
                _ => {}
            }
        }
        Some(Kept { text: text?, settings: settings?, case })
    }
}

fn scenario(fields: &[(Node, Node)]) -> Option<Scenario> {
    let mut scenario = Scenario::default();
    for statement in scenario_statements(fields).ok()? {
        scenario.set(&statement.field, statement.value).ok()?;
    }
    Some(scenario)
}
