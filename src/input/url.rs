//! What an address holds: JSON, deflated, in base64 that needs no escaping.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The largest state an address unfolds to, bytes.
const MAX_STATE: usize = 16 << 20;

/// Folds a text for an address.
///
/// ```
/// use packscope::input::url::{fold, unfold};
/// assert_eq!(unfold(&fold("[0, 5, 7, 11]")).as_deref(), Some("[0, 5, 7, 11]"));
/// assert_eq!(unfold("not a state"), None);
/// ```
pub fn fold(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 8))
}

/// The text that was folded; none where this is not one.
pub fn unfold(folded: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(folded).ok()?;
    let text = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes, MAX_STATE).ok()?;
    String::from_utf8(text).ok()
}
