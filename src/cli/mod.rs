//! Subcommands and exit codes: 0 clean, 1 an error-level finding, 2 unreadable.

mod check;
mod report;

use crate::input::{self, Reading};
use crate::scene::View;
use crate::scene::theme::Theme;
use crate::{analyze, inspect, rules};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Shows how packed sequences land on GPUs, and says what is wrong with the metadata.
#[derive(Parser)]
#[command(name = "packscope", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Say what is wrong with the metadata in these files.
    Check {
        /// Printed PackedSeqParams, Scenario JSON, offsets or lengths; `-` is standard input.
        /// `.jsonl` is checked line by line.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
        /// Apply every fix that is offered: show the change, then rewrite a Scenario file, or
        /// print the fixed Scenario where the input was something else.
        #[arg(long)]
        fix: bool,
    },
    /// Print everything that was worked out, as JSON.
    Inspect {
        /// As for check.
        file: PathBuf,
    },
    /// Draw a view.
    Render {
        /// As for check.
        file: PathBuf,
        #[arg(long, default_value = "pack", value_parser = one_of(View::ALL.map(View::name), View::of_name))]
        view: View,
        /// Where to write it: a .svg, or a .png at two pixels a point. SVG to standard output where
        /// absent.
        #[arg(short, long)]
        output: Option<PathBuf>,
        /// Pixels.
        #[arg(long, default_value_t = 1200)]
        width: u32,
        #[arg(long, default_value = "light", value_parser = one_of(Theme::NAMES, |name| Some(Theme::of_name(name))))]
        theme: &'static Theme,
    },
    /// Print the scenario in another form.
    Export {
        /// As for check.
        file: PathBuf,
        #[arg(long = "as", value_enum)]
        form: Form,
    },
    /// Print 15 lines of Python that dump each microbatch of a training loop to a .jsonl.
    Snippet,
    /// Print the JSON Schema of a Scenario, for editors.
    Schema,
    /// Print the page of a rule; of all rules, one line each, without a code.
    Rule {
        /// PSP201, or slot-not-divisible.
        code: Option<String>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Github,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    Json,
    /// PackedSeqParams as Python prints it.
    Repr,
    /// A script that builds the params and asserts their contract.
    Python,
    /// An issue report.
    Markdown,
}

/// A choice among names.
fn one_of<const N: usize, T: Clone + Send + Sync + 'static>(
    names: [&'static str; N],
    of_name: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names)
        .try_map(move |name| of_name(&name).ok_or("there is no such name"))
}

const CLEAN: u8 = 0;
const FINDINGS: u8 = 1;
const UNREADABLE: u8 = 2;

/// Every command's name and help, the program's own first.
///
/// ```
/// let help = packscope::cli::help();
/// assert!(help.iter().any(|(name, text)| name == "check" && text.contains("--fix")));
/// ```
pub fn help() -> Vec<(String, String)> {
    let mut program = Arguments::command().term_width(92);
    program.build();
    let own = (program.get_name().to_owned(), program.render_long_help().to_string());
    let commands = program.get_subcommands_mut().filter(|command| command.get_name() != "help");
    std::iter::once(own)
        .chain(
            commands.map(|command| {
                (command.get_name().to_owned(), command.render_long_help().to_string())
            }),
        )
        .collect()
}

/// Reads the arguments, does what they ask, and gives the exit code.
pub fn main() -> ExitCode {
    let code = match Arguments::parse().command {
        Command::Check { files, format, fix } => check::check(&files, format, fix),
        Command::Inspect { file } => inspect_file(&file),
        Command::Render { file, view, output, width, theme } => {
            render(&file, view, output.as_deref(), width, theme)
        }
        Command::Export { file, form } => export(&file, form),
        Command::Snippet => {
            print(crate::output::DUMP_SNIPPET);
            CLEAN
        }
        Command::Schema => {
            print(&format!("{:#}\n", crate::schema::scenario_schema()));
            CLEAN
        }
        Command::Rule { code } => print_rule(code.as_deref()),
    };
    ExitCode::from(code)
}

/// A text and its name for messages.
struct Source {
    name: String,
    text: String,
}

/// Reads a file, or standard input for `-`. Says on standard error why it cannot.
fn open(path: &Path) -> Option<Source> {
    let name =
        if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() };
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(path).map(|read| bytes = read)
    };
    if let Err(error) = read {
        eprintln!("packscope: {name}: {error}");
        return None;
    }
    match input::text_of_file(&bytes) {
        Ok(text) => Some(Source { name, text }),
        Err(error) => {
            eprintln!("packscope: {name}: {error}");
            if let Some(suggestion) = error.suggestion {
                eprintln!("  {suggestion}");
            }
            None
        }
    }
}

/// Reads what a text states. Says on standard error, at the place, why it cannot.
fn read(source: &Source) -> Option<Reading> {
    match input::read(&source.text) {
        Ok(reading) => Some(reading),
        Err(error) => {
            report::unreadable(source, &error);
            None
        }
    }
}

fn inspect_file(path: &Path) -> u8 {
    let Some(source) = open(path) else { return UNREADABLE };
    let Some(reading) = read(&source) else { return UNREADABLE };
    let scenario = reading.scenario();
    let analysis = analyze(&scenario);
    let findings = rules::check(&analysis);
    let inspection = inspect::inspection(&analysis, &findings);
    print(&format!("{}\n", serde_json::to_string_pretty(&inspection).unwrap_or_default()));
    CLEAN
}

fn export(path: &Path, form: Form) -> u8 {
    use crate::output;
    let Some(source) = open(path) else { return UNREADABLE };
    let Some(reading) = read(&source) else { return UNREADABLE };
    let scenario = reading.scenario();
    print(&match form {
        Form::Json => output::scenario_json(&scenario),
        Form::Repr => output::params_repr(&scenario.params),
        Form::Python => output::python_script(&scenario),
        Form::Markdown => {
            let analysis = analyze(&scenario);
            output::markdown(&analysis, &rules::check_among(&analysis, &reading.peers(0)))
        }
    });
    CLEAN
}

fn render(path: &Path, view: View, output: Option<&Path>, width: u32, theme: &Theme) -> u8 {
    let Some(source) = open(path) else { return UNREADABLE };
    let Some(reading) = read(&source) else { return UNREADABLE };
    let scenario = reading.scenario();
    let svg =
        crate::draw::svg(&analyze(&scenario), view, f64::from(width.clamp(200, 16_000)), theme);
    match output {
        Some(output) => {
            let png = output.extension().is_some_and(|extension| extension == "png");
            let written = if png {
                rasterized(&svg).and_then(|png| std::fs::write(output, png))
            } else {
                std::fs::write(output, svg)
            };
            if let Err(error) = written {
                eprintln!("packscope: {}: {error}", output.display());
                return UNREADABLE;
            }
        }
        None => print(&svg),
    }
    CLEAN
}

/// An SVG as a PNG, two pixels a point.
fn rasterized(svg: &str) -> std::io::Result<Vec<u8>> {
    use resvg::{tiny_skia, usvg};
    let mut options = usvg::Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    // The generic family means Courier New unless it is told otherwise.
    let monospace =
        fonts.faces().find(|face| face.monospaced).and_then(|face| face.families.first());
    let family = monospace.map(|(name, _)| name.clone());
    if let Some(family) = family {
        fonts.set_monospace_family(family);
    }
    let tree = usvg::Tree::from_str(svg, &options).map_err(std::io::Error::other)?;
    let size = tree.size().to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width() * 2, size.height() * 2)
        .ok_or_else(|| std::io::Error::other("the picture is too large"))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(2.0, 2.0), &mut pixels.as_mut());
    pixels.encode_png().map_err(std::io::Error::other)
}

fn print_rule(code: Option<&str>) -> u8 {
    let Some(code) = code else {
        for rule in rules::RULES {
            print(&format!("{}  {:7}  {}\n", rule.code, rule.severity.word(), rule.name));
        }
        return CLEAN;
    };
    match rules::rule(code) {
        Some(rule) => {
            print(rule.page);
            CLEAN
        }
        None => {
            eprintln!("packscope: there is no rule {code}; packscope rule lists them");
            UNREADABLE
        }
    }
}

/// Prints, and leaves quietly where the reader has gone (`packscope … | head`).
fn print(text: &str) {
    if std::io::stdout().lock().write_all(text.as_bytes()).is_err() {
        std::process::exit(i32::from(CLEAN));
    }
}

fn on_terminal() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
