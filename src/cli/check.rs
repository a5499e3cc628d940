//! `packscope check`: files, standard input and long `.jsonl` files.

use super::{CLEAN, FINDINGS, Format, Source, UNREADABLE, open, print, read, report};
use crate::input::{self, Format as Read, Reading};
use crate::rules::{self, Finding, Severity};
use crate::{Scenario, analyze};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};

/// What was found so far, over all files.
struct Tally {
    format: Format,
    errors: usize,
    warnings: usize,
    infos: usize,
    unreadable: bool,
    printed: usize,
    /// Cases that could be read.
    read: usize,
}

pub fn check(files: &[PathBuf], format: Format, fix: bool) -> u8 {
    let mut tally =
        Tally { format, errors: 0, warnings: 0, infos: 0, unreadable: false, printed: 0, read: 0 };
    if format == Format::Json && !fix {
        print("{\"findings\": [");
    }
    for path in files {
        if path.extension().is_some_and(|extension| extension == "jsonl") && !fix {
            check_lines(path, &mut tally);
        } else if let Some(source) = open(path)
            && let Some(reading) = read(&source)
        {
            if fix {
                fix_file(path, &source, &reading, &mut tally);
            } else {
                check_text(&source, &reading, 1, None, &mut tally);
            }
        } else {
            tally.unreadable = true;
        }
    }
    if !fix {
        match format {
            Format::Json => print("]}\n"),
            Format::Text if tally.read > 0 => print(&summary(&tally)),
            Format::Text | Format::Github => {}
        }
    }
    match tally {
        Tally { unreadable: true, .. } => UNREADABLE,
        Tally { errors: 1.., .. } => FINDINGS,
        _ => CLEAN,
    }
}

fn summary(tally: &Tally) -> String {
    let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    format!(
        "{}, {}, {}\n",
        count(tally.errors, "error"),
        count(tally.warnings, "warning"),
        count(tally.infos, "note"),
    )
}

impl Tally {
    fn count(&mut self, finding: &Finding) {
        match finding.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
    }
}

fn check_text(
    source: &Source,
    reading: &Reading,
    first_line: usize,
    line: Option<usize>,
    tally: &mut Tally,
) {
    if tally.format == Format::Text {
        for note in &reading.notes {
            print(&format!("note: {}: {note}\n", source.name));
        }
    }
    for case in 0..reading.cases.len() {
        tally.read += 1;
        let scenario = reading.scenario_of(case);
        let findings = rules::check_among(&analyze(&scenario), &reading.peers(case));
        for finding in &findings {
            tally.count(finding);
            match tally.format {
                Format::Text => print(&report::text(source, reading, case, finding)),
                Format::Github => {
                    print(&report::github(source, first_line, reading, case, finding))
                }
                Format::Json => print_json(source, reading, case, line, finding, tally),
            }
            tally.printed += 1;
        }
        if let (Format::Text, Some(first)) = (tally.format, findings.first())
            && findings.len() > 1
            && first.severity == Severity::Error
        {
            print(&format!("Fix {} first: {}\n\n", first.code, first.message));
        }
    }
}

fn print_json(
    source: &Source,
    reading: &Reading,
    case: usize,
    line: Option<usize>,
    finding: &Finding,
    tally: &Tally,
) {
    let mut json = serde_json::to_value(finding).unwrap_or_default();
    json["file"] = source.name.clone().into();
    if let Some(line) = line {
        json["line"] = line.into();
    }
    if reading.cases.len() > 1 {
        json["case"] = case.into();
    }
    let comma = if tally.printed == 0 { "" } else { ",\n" };
    print(&format!("{comma}{json}"));
}

/// A `.jsonl` file, a line at a time: nothing of a line is kept.
fn check_lines(path: &Path, tally: &mut Tally) {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) => {
            eprintln!("packscope: {}: {error}", path.display());
            tally.unreadable = true;
            return;
        }
    };
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let on_terminal = std::io::stderr().is_terminal() && size >= 1 << 20;
    let bar = on_terminal.then(|| indicatif::ProgressBar::new(size));
    let name = path.display().to_string();
    let (mut lines, mut with_errors) = (0, 0);
    let mut reader = BufReader::new(file);
    let mut text = String::new();
    loop {
        text.clear();
        match reader.read_line(&mut text) {
            Ok(0) => break,
            Ok(bytes) => bar.iter().for_each(|bar| bar.inc(bytes as u64)),
            Err(error) => {
                eprintln!("packscope: {name}: line {}: {error}", lines + 1);
                tally.unreadable = true;
                return;
            }
        }
        lines += 1;
        if text.trim().is_empty() {
            continue;
        }
        let source = Source { name: format!("{name}:{lines}"), text: std::mem::take(&mut text) };
        match input::read(&source.text) {
            Ok(reading) => {
                let before = tally.errors;
                // Annotations name the file; text names the line beside it.
                let named = match tally.format {
                    Format::Text => source,
                    _ => Source { name: name.clone(), text: source.text },
                };
                check_text(&named, &reading, lines, Some(lines), tally);
                with_errors += usize::from(tally.errors > before);
                text = named.text;
            }
            Err(error) => {
                report::unreadable(&source, &error);
                tally.unreadable = true;
                text = source.text;
            }
        }
    }
    bar.iter().for_each(|bar| bar.finish_and_clear());
    if tally.format == Format::Text {
        print(&format!("{name}: {lines} lines, {with_errors} with errors\n"));
    }
}

/// Applies what fixes there are, one after the other, until nothing changes.
fn fix_all(scenario: Scenario, changes: &mut Vec<String>) -> Scenario {
    let mut scenario = scenario;
    let mut seen = HashSet::from([scenario.to_json().to_string()]);
    loop {
        let findings = rules::check(&analyze(&scenario));
        let next = findings.iter().find_map(|finding| {
            let fix = finding.fix.as_ref()?;
            let fixed = fix.apply(&scenario);
            seen.insert(fixed.to_json().to_string()).then_some((finding, fix, fixed))
        });
        let Some((finding, fix, fixed)) = next else { return scenario };
        changes.push(format!("{} {}: {}", finding.code, finding.name, fix.title));
        for (field, value) in &fix.set {
            let value = serde_json::to_string(value).unwrap_or_default();
            changes.push(format!("    {field} = {value}"));
        }
        scenario = fixed;
    }
}

fn fix_file(path: &Path, source: &Source, reading: &Reading, tally: &mut Tally) {
    let mut changes = Vec::new();
    let fixed: Vec<Scenario> = (0..reading.cases.len())
        .map(|case| fix_all(reading.scenario_of(case), &mut changes))
        .collect();
    for change in &changes {
        eprintln!("{change}");
    }
    for finding in fixed.iter().flat_map(|scenario| rules::check(&analyze(scenario))) {
        tally.count(&finding);
    }
    let text = match &fixed[..] {
        [one] => format!("{:#}\n", one.to_json()),
        several => several.iter().map(|scenario| format!("{}\n", scenario.to_json())).collect(),
    };
    if path == Path::new("-") || reading.format != Read::Json {
        print(&text);
    } else if changes.is_empty() {
        eprintln!("{}: nothing to fix", source.name);
    } else if let Err(error) = std::fs::write(path, text) {
        eprintln!("packscope: {}: {error}", source.name);
        tally.unreadable = true;
    }
}
