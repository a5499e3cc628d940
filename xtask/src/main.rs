//! The only build scripts: `cargo xtask serve`, `test`, `dist`, `bench`.

mod bench;
mod browser;
mod dist;
mod embeds;
mod links;
mod pages;
mod serve;
mod site;
mod test;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const HELP: &str = "cargo xtask serve [--port N]   build the page and serve it on this machine
cargo xtask test               every test: native, wasm in a headless browser, end to end
cargo xtask dist               the site, its zip and the npm package, under dist/
cargo xtask embeds             documentation sites that embed what dist made
cargo xtask bench              measurements, as ratios within one run
cargo xtask screenshot         the README's picture";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let port = arguments.iter().skip_while(|word| *word != "--port").nth(1);
    match arguments.first().map(String::as_str) {
        Some("serve") => serve::serve(port.map_or(Ok(8642), |port| port.parse())?),
        Some("test") => test::test(),
        Some("dist") => dist::dist(),
        Some("embeds") => embeds::test(),
        Some("bench") => bench::bench(),
        Some("screenshot") => browser::screenshot(),
        _ => {
            println!("{HELP}");
            Ok(())
        }
    }
}

/// The project's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A command in the project's folder.
fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs it, and fails where it fails.
fn run(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}");
    let status = command.status().with_context(|| format!("{shown} could not be started"))?;
    if !status.success() {
        bail!("{shown} failed");
    }
    Ok(())
}

/// Whether a program answers to `--version`.
fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
