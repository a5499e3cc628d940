//! The session in a real browser: types, canvases, and that nothing panics into JavaScript.
#![cfg(target_arch = "wasm32")]

use js_sys::{Reflect, eval};
use packscope::wasm::Session;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn state(session: &Session) -> JsValue {
    session.state().into()
}

fn get(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap_or_default()
}

fn options(code: &str) -> packscope::wasm::FrameOptions {
    eval(&format!("({code})")).unwrap().unchecked_into()
}

#[wasm_bindgen_test]
fn the_published_example_is_there_at_once() {
    let state = state(&Session::new());
    assert_eq!(get(&state, "seq_idx").as_string().as_deref(), Some("0×5 1×2 2×4 3×5"));
    assert!(get(&state, "error").is_undefined() || get(&state, "error").is_null());
}

#[wasm_bindgen_test]
fn what_cannot_be_read_leaves_the_last_picture() {
    let mut session = Session::new();
    session.set_text("[0, 5, oops]");
    let state = state(&session);
    assert!(get(&get(&state, "error"), "message").as_string().is_some());
    assert_eq!(get(&state, "seq_idx").as_string().as_deref(), Some("0×5 1×2 2×4 3×5"));
    assert_eq!(session.text(), "[0, 5, oops]");
}

#[wasm_bindgen_test]
fn every_view_draws_on_a_canvas() {
    let mut session = Session::new();
    session.set_text("cu_seqlens_q = [0, 8, 16]\ncu_seqlens_q_padded = [0, 8, 16]");
    for view in ["pack", "lanes", "ranks", "matrix", "ring"] {
        let canvas: web_sys::HtmlCanvasElement =
            eval("document.createElement('canvas')").unwrap().unchecked_into();
        let options = options("{width: 640, from: 0, to: 1, theme: 'light', flagged: [0]}");
        let height =
            session.draw(view, canvas.clone().unchecked_into(), 2.0, &options).unwrap_or(0.0);
        assert!(height > 20.0, "{view}");
        assert_eq!(canvas.width(), 1280, "{view}");
        assert_eq!(canvas.height(), (height * 2.0).round() as u32, "{view}");
    }
}

#[wasm_bindgen_test]
fn nothing_that_is_set_panics() {
    let mut session = Session::new();
    for value in [0.0, -3.0, 1e9, 4_294_967_296.0, 9e15, f64::NAN, 0.5] {
        for field in [
            "topology.world_size",
            "topology.context_parallel_size",
            "topology.tensor_model_parallel_size",
            "rank",
            "micro_batch_size",
            "nowhere",
        ] {
            session.set_number(field, value);
            state(&session);
            for view in ["pack", "lanes", "ranks", "matrix", "ring"] {
                let _ = session.hover(view, 10.0, 30.0, &options("{width: 300, theme: 'dark'}"));
                let _ = session.svg(view, &options("{width: 300, theme: 'print', group: 99}"));
            }
        }
    }
    session.set_text("[0, 9007199254740992]");
    state(&session);
    assert!(session.seq_idx().is_none() || session.total_tokens() < 1e9);
}

#[wasm_bindgen_test]
fn bulk_is_a_typed_array() {
    let mut session = Session::new();
    session.set_text("cu_seqlens_q = [0, 2, 3]\ntotal_tokens = 4");
    assert_eq!(session.seq_idx(), Some(vec![0, 0, 1, 2]));
}

#[wasm_bindgen_test]
fn an_address_gives_the_same_state() {
    let mut session = Session::new();
    session.set_number("topology.context_parallel_size", 4.0);
    session.set_text("[0, 16]");
    let kept = session.keep();
    let mut other = Session::new();
    assert!(other.restore(&kept));
    assert_eq!(other.keep(), kept);
    assert!(!other.restore("nonsense"));
}
