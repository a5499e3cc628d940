//! Every test: native, wasm in a headless browser, end to end.

use crate::{browser, command, has, run, site};
use anyhow::{Context, Result};
use std::fs;

pub fn test() -> Result<()> {
    site::ensure_wasm_target()?;
    browser::ensure_chromium()?;
    if !has("wasm-pack") {
        run(command("cargo").args(["install", "wasm-pack", "--locked"]))
            .context("wasm-pack is missing: cargo install wasm-pack")?;
    }
    run(command("cargo").args(["test", "--workspace"]))?;
    run(command("wasm-pack")
        .args(["test", "--headless", "--chrome", "--", "--lib", "--test", "web"])
        .env("CHROMEDRIVER", "/usr/bin/chromedriver"))?;
    let mut arguments = vec!["--test".to_owned()];
    for entry in fs::read_dir(crate::root().join("tests/browser"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".test.mjs") {
            arguments.push(format!("tests/browser/{name}"));
        }
    }
    arguments.sort();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    browser::with_page(site::build()?, &arguments)
}
