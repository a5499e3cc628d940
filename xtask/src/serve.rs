//! A server on loopback for the built page: a thread a connection, and every connection closed
//! after its answer. (Pooled servers queue a browser's next connection behind an idle one.)

use crate::site;
use anyhow::Result;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};

/// Builds the page, serves it, and prints its address.
pub fn serve(port: u16) -> Result<()> {
    let site = site::build()?;
    let server = listen(port)?;
    println!("http://{}/", server.local_addr()?);
    answer(&server, &site);
    Ok(())
}

/// Listens on the port, or on a free one where it is taken.
pub fn listen(port: u16) -> Result<TcpListener> {
    Ok(TcpListener::bind(("127.0.0.1", port)).or_else(|_| TcpListener::bind(("127.0.0.1", 0)))?)
}

/// Answers until the process ends.
pub fn answer(server: &TcpListener, site: &Path) {
    for connection in server.incoming().flatten() {
        let site = site.to_path_buf();
        // A reader who has gone needs no answer.
        std::thread::spawn(move || respond(connection, &site).ok());
    }
}

fn respond(mut connection: TcpStream, site: &Path) -> std::io::Result<()> {
    let mut lines = BufReader::new(connection.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split(' ').nth(1).unwrap_or("/").split(['?', '#']).next().unwrap_or("/");
    let found = file(site, path).and_then(|path| Some((std::fs::read(&path).ok()?, kind(&path))));
    let (status, kind, body) = match found {
        Some((body, kind)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain", b"not here".to_vec()),
    };
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    connection.write_all(&body)
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
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
