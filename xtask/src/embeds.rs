//! Documentation sites and projects under `tests/embeds`: each is built by its own tool with the
//! package that `dist` made, then opened in a browser and found drawn.

use crate::{browser, has, root, run, serve, site};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A site, where the package goes in it, and how it is built.
struct Host {
    name: &'static str,
    /// The folder for the package's files; none where npm installs them.
    files: Option<&'static str>,
    build: &'static [&'static [&'static str]],
}

const NPM_LOCKED: &[&str] = &["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"];

/// The package that was just made has no place in a lock.
const NPM_INSTALL: &[&str] =
    &["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--no-package-lock"];

const HOSTS: &[Host] = &[
    Host {
        name: "sphinx",
        files: Some("_static/packscope"),
        build: &[&["PYTHON", "-m", "sphinx", "-q", "-W", "-b", "html", ".", "out"]],
    },
    Host {
        name: "mkdocs",
        files: Some("docs/packscope"),
        build: &[&["PYTHON", "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", "out"]],
    },
    Host {
        name: "mdbook",
        files: Some("src/packscope"),
        build: &[&["mdbook", "build", "--dest-dir", "out"]],
    },
    Host {
        name: "docusaurus",
        files: Some("static/packscope"),
        build: &[NPM_LOCKED, &["npx", "--no", "--", "docusaurus", "build", "--out-dir", "out"]],
    },
    Host {
        name: "jupyter",
        files: Some("out/packscope"),
        build: &[&[
            "PYTHON",
            "-m",
            "nbconvert",
            "--to",
            "html",
            "--execute",
            "--output-dir",
            "out",
            "--output",
            "index",
            "notebook.ipynb",
        ]],
    },
    Host { name: "vite", files: None, build: &[NPM_INSTALL, &["npm", "run", "build"]] },
    Host { name: "plain", files: None, build: &[NPM_INSTALL] },
];

/// Builds every host and looks at it; `dist` has been made.
pub fn test() -> Result<()> {
    let work = root().join("target/embeds");
    fs::create_dir_all(&work)?;
    let python = python()?;
    if !has("mdbook") {
        run(Command::new("cargo").args(["install", "mdbook", "--locked"]))
            .context("mdbook is missing: cargo install mdbook")?;
    }
    let package = root().join("dist/npm");
    run(Command::new("npm")
        .current_dir(&work)
        .args(["pack", "--silent"])
        .arg(package.canonicalize()?))?;
    let packed = format!("packscope-{}.tgz", packscope::VERSION);
    fs::rename(work.join(&packed), work.join("packscope.tgz"))?;
    for host in HOSTS {
        println!("building tests/embeds/{}", host.name);
        let folder = work.join(host.name);
        site::copy_folder(&root().join("tests/embeds").join(host.name), &folder)?;
        if let Some(files) = host.files {
            site::copy_folder(&package, &folder.join(files))?;
        } else {
            // npm would keep the package of an earlier run.
            let _ = fs::remove_dir_all(folder.join("node_modules/packscope"));
        }
        for line in host.build {
            let program = if line[0] == "PYTHON" { python.as_os_str() } else { line[0].as_ref() };
            run(Command::new(program).args(&line[1..]).current_dir(&folder))
                .with_context(|| format!("tests/embeds/{}", host.name))?;
        }
    }
    unpacked_site(&work.join("site/some/deep/path"))?;
    let server = serve::listen(0)?;
    let address = format!("http://{}/", server.local_addr()?);
    std::thread::spawn(move || serve::answer(&server, &work));
    run(Command::new("node")
        .current_dir(root())
        .args(["--test", "tests/embeds/embeds.test.mjs"])
        .env("PACKSCOPE_URL", address)
        .env("CHROMIUM", browser::chromium().unwrap_or_default()))
}

/// The zip of the site, unpacked anywhere.
fn unpacked_site(target: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(target);
    let file = fs::File::open(root().join("dist/packscope-site.zip"))?;
    Ok(zip::ZipArchive::new(file)?.extract(target)?)
}

/// An environment with the documentation tools.
fn python() -> Result<PathBuf> {
    let environment = root().canonicalize()?.join("target/python-docs");
    let python = environment.join("bin/python");
    let wanted = root().join("tests/embeds/requirements.txt");
    let installed = environment.join("requirements.txt");
    if fs::read(&wanted)? != fs::read(&installed).unwrap_or_default() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&environment)).context(
            "the documentation sites need Python 3 with venv (Debian: apt-get install python3-venv)",
        )?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(&wanted))
            .context("the documentation tools cannot be installed")?;
        fs::copy(wanted, installed)?;
    }
    Ok(python)
}
