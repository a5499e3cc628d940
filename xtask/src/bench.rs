//! Measurements, as ratios within one run.

use crate::{browser, command, root, run, site};
use anyhow::{Context, Result};
use std::collections::HashMap;
use std::process::Command;

pub fn bench() -> Result<()> {
    let ours = lines(command("cargo").args(["bench", "--quiet", "--bench", "peers"]))?;
    // numpy is slowed by settings that some machines need for other programs.
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let peers = lines(
        Command::new(python)
            .arg(root().join("tests/bench/peers.py"))
            .env_remove("OPENBLAS_CORETYPE")
            .env_remove("OPENBLAS_L2_SIZE"),
    )?;
    println!("16,000,000 tokens in 10,000 sequences; medians in milliseconds");
    for (name, time) in ours.iter().chain(&peers) {
        println!("  {name:24} {time}");
    }
    let get =
        |name: &str| ours.get(name).or(peers.get(name)).and_then(|time| time.parse::<f64>().ok());
    for (what, a, b) in [
        ("seq_idx against a plain fill", "seq_idx", "fill"),
        ("numpy.repeat against seq_idx", "numpy.repeat", "seq_idx"),
        ("torch.repeat_interleave against seq_idx", "torch.repeat_interleave", "seq_idx"),
        ("numpy's indices of CP 8 against ours", "numpy indices", "indices"),
        ("indices of CP 8 against a plain fill", "indices", "fill"),
    ] {
        match (get(a), get(b)) {
            (Some(a), Some(b)) => println!("{what:44} {:.2}×", a / b),
            _ => println!("{what:44} not measured: {a} is not there"),
        }
    }
    run(command("cargo").args(["bench", "--quiet", "--bench", "core"]))?;
    browser::with_page(site::build()?, &["tests/browser/bench.mjs"])
}

/// `name<tab>value` lines of a program.
fn lines(command: &mut Command) -> Result<HashMap<String, String>> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect())
}
