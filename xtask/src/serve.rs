//! A server on loopback for the built page.

use crate::site;
use anyhow::{Result, anyhow};
use std::path::{Component, Path, PathBuf};
use tiny_http::{Header, Response, Server};

/// Builds the page, serves it, and prints its address.
pub fn serve(port: u16) -> Result<()> {
    let site = site::build()?;
    let server = listen(port)?;
    println!("http://{}/", server.server_addr());
    answer(&server, &site);
    Ok(())
}

/// Listens on the port, or on a free one where it is taken.
pub fn listen(port: u16) -> Result<Server> {
    Server::http(("127.0.0.1", port))
        .or_else(|_| Server::http(("127.0.0.1", 0)))
        .map_err(|error| anyhow!("{error}"))
}

/// Answers until the process ends.
pub fn answer(server: &Server, site: &Path) {
    for request in server.incoming_requests() {
        let path = request.url().split(['?', '#']).next().unwrap_or("/").to_owned();
        let response =
            match file(site, &path).and_then(|path| Some((std::fs::read(&path).ok()?, path))) {
                Some((bytes, path)) => Response::from_data(bytes)
                    .with_header(header("Content-Type", kind(&path)))
                    .with_header(header("Cache-Control", "no-cache")),
                None => Response::from_data(b"not here".to_vec()).with_status_code(404),
            };
        // A reader who has gone needs no answer.
        let _ = request.respond(response);
    }
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).unwrap_or_else(|()| unreachable!("{name} is a header"))
}

/// The file of a path; none outside the site.
fn file(site: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path.trim_start_matches('/'));
    if path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return None;
    }
    let file = site.join(path);
    Some(if file.is_dir() { file.join("index.html") } else { file })
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
