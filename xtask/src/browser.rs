//! The headless browser that tests and pictures run in.

use crate::{command, has, run, serve, site};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Installs Chromium and its driver where they are missing and can be.
pub fn ensure_chromium() -> Result<()> {
    if chromium().is_some() && has("chromedriver") {
        return Ok(());
    }
    let apt =
        has("apt-get") && Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !apt {
        bail!(
            "the tests need Chromium and chromedriver: install them (Debian: apt-get install chromium chromium-driver)"
        );
    }
    run(Command::new("apt-get").args(["update", "-qq"]))?;
    run(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args([
        "install",
        "-y",
        "-qq",
        "chromium",
        "chromium-driver",
    ]))
}

/// Chromium's program.
pub fn chromium() -> Option<PathBuf> {
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].into_iter().find_map(
        |name| {
            let found = Command::new("which")
                .arg(name)
                .output()
                .ok()
                .filter(|output| output.status.success())?;
            Some(PathBuf::from(String::from_utf8_lossy(&found.stdout).trim()))
        },
    )
}

/// Runs node with the built page served on loopback.
pub fn with_page(site: PathBuf, arguments: &[&str]) -> Result<()> {
    site::ensure_node_modules()?;
    ensure_chromium()?;
    let server = serve::listen(0)?;
    let address = format!("http://{}/", server.local_addr()?);
    std::thread::spawn(move || serve::answer(&server, &site));
    let browser = chromium().unwrap_or_default();
    run(command("node").args(arguments).env("PACKSCOPE_URL", address).env("CHROMIUM", browser))
}

/// The picture in the README.
pub fn screenshot() -> Result<()> {
    with_page(site::build()?, &["tests/browser/screenshot.mjs"])
}
