//! Every test: native, wasm in a headless browser, end to end.

use crate::{browser, command, dist, embeds, has, root, run, site};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

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
    for entry in fs::read_dir(root().join("tests/browser"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".test.mjs") {
            arguments.push(format!("tests/browser/{name}"));
        }
    }
    arguments.sort();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    browser::with_page(site::build()?, &arguments)?;
    python()?;
    dist::dist()?;
    embeds::test()
}

/// What is exported to Python, run under torch on a CPU, in an environment of its own.
fn python() -> Result<()> {
    let environment = root().join("target/python");
    let python = environment.join("bin/python");
    let torch = |python: &Path| {
        Command::new(python).args(["-c", "import torch"]).output().is_ok_and(|o| o.status.success())
    };
    if !torch(&python) {
        let made =
            run(Command::new("python3").args(["-m", "venv"]).arg(&environment)).and_then(|()| {
                run(Command::new(&python)
                    .args(["-m", "pip", "install", "--quiet", "numpy", "torch"]))
            });
        if made.is_err() || !torch(&python) {
            println!("torch cannot be installed here, so the exports to Python were not run");
            return Ok(());
        }
    }
    run(Command::new(&python)
        .arg(root().join("tests/python/exports.py"))
        .arg(root().join("target/debug/packscope")))
}
