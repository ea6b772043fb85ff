//! clap's completions, with what clap does not know: devices, columns, lists.

use std::fmt::Write;

use clap::CommandFactory;

use crate::cli::RunError;
use crate::cli::args::{Cli, Shell};

/// A subcommand, and what bash and fish have to know of it.
struct Place {
    /// Its words, none for the program itself.
    path: Vec<String>,
    /// Whether its words are devices.
    devices: bool,
    /// Options that take a value, as they are typed.
    valued: Vec<String>,
    /// Names of its subcommands.
    below: Vec<String>,
}

/// A whole script.
pub(super) fn script(shell: Shell) -> Result<String, RunError> {
    let full = Cli::command();
    // zsh counts words by clap's specifications: with targets before the subcommand it would take the one for the
    // other, so it is told of targets below.
    let arguments = full
        .get_arguments()
        .filter(|one| shell != Shell::Zsh || !one.is_positional());
    let shown = full.get_subcommands().filter(|one| !one.is_hide_set());
    let mut command = clap::Command::new("zinspect")
        .version(env!("CARGO_PKG_VERSION"))
        .args(arguments)
        .subcommands(shown);
    command.build();
    let mut places = Vec::new();
    walk(&command, &mut Vec::new(), &mut places);
    let mut script = Vec::new();
    let generator = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    clap_complete::generate(generator, &mut command, "zinspect", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => Ok(bash(&script, &places)),
        Shell::Zsh => zsh(&script, &places),
        Shell::Fish => fish(&script, &places),
    }
}

fn walk(command: &clap::Command, path: &mut Vec<String>, places: &mut Vec<Place>) {
    let is_device = |one: &clap::Arg| {
        let names = one.get_value_names().unwrap_or_default();
        names
            .iter()
            .any(|name| name == "TARGET" || name == "DEVNODE")
    };
    let mut valued = Vec::new();
    for option in command.get_opts() {
        valued.extend(option.get_short().map(|short| format!("-{short}")));
        valued.extend(option.get_long().map(|long| format!("--{long}")));
    }
    let below = command.get_subcommands();
    places.push(Place {
        path: path.clone(),
        devices: path.is_empty() || command.get_positionals().any(is_device),
        valued,
        below: below.map(|one| one.get_name().to_owned()).collect(),
    });
    for below in command.get_subcommands() {
        path.push(below.get_name().to_owned());
        walk(below, path, places);
        path.pop();
    }
}

/// The text with its one `old` changed; clap_complete changed if there is none, or more.
fn replaced(text: &str, old: &str, new: &str) -> Result<String, RunError> {
    match text.matches(old).count() {
        1 => Ok(text.replacen(old, new, 1)),
        found => Err(unknown_text(old, found, 1)),
    }
}

fn unknown_text(text: &str, found: usize, expected: usize) -> RunError {
    RunError::Usage(format!(
        "the completions that clap_complete made have {text:?} {found} times instead of {expected}: \
         zinspect does not know this version of it; build with the one of Cargo.lock"
    ))
}

fn bash(script: &str, places: &[Place]) -> String {
    let mut text = script.to_owned();
    text.push_str("\n# Of each subcommand: whether its words are devices, options with a value, subcommands.\n");
    text.push_str("_zinspect_place() {\n    case \"$1\" in\n");
    for place in places {
        let _ = writeln!(
            text,
            "        {:?}) devices={} valued={:?} below={:?} ;;",
            place.path.join(" "),
            u8::from(place.devices),
            format!(" {} ", place.valued.join(" ")),
            format!(" {} ", place.below.join(" ")),
        );
    }
    text.push_str("    esac\n}\n");
    text + include_str!("words.bash")
}

fn fish(script: &str, places: &[Place]) -> Result<String, RunError> {
    let below = places.first().map_or(&[][..], |top| &top.below);
    let parse = "    argparse -s (__fish_zinspect_global_optspecs) -- $cmd 2>/dev/null\n";
    // An option whose value is just being typed has none yet, and argparse refuses it.
    let again = "    or argparse -s (__fish_zinspect_global_optspecs) -- $cmd '' 2>/dev/null\n";
    let mut text = replaced(script, parse, &format!("{parse}{again}"))?;
    // The first word may be a target as well.
    text = replaced(
        &text,
        "    if set -q argv[1]\n",
        &format!("    if contains -- \"$argv[1]\" {}\n", below.join(" ")),
    )?;
    text.push_str(include_str!("words.fish"));
    for place in places.iter().filter(|place| place.devices) {
        let condition = match place.path.as_slice() {
            [] => "__fish_zinspect_needs_command".to_owned(),
            [one] => format!("__fish_zinspect_using_subcommand {one}"),
            [one, rest @ ..] => format!(
                "__fish_zinspect_using_subcommand {one}; and __fish_seen_subcommand_from {}",
                rest.join(" ")
            ),
        };
        let _ = writeln!(
            text,
            "complete -c zinspect -n \"{condition}\" -f -a \"(__zinspect_devices)\""
        );
    }
    Ok(text)
}

fn zsh(script: &str, places: &[Place]) -> Result<String, RunError> {
    let mut columns = 0;
    let mut devices = 0;
    let mut lists = 0;
    let mut text = String::with_capacity(script.len());
    for line in script.lines() {
        let mut line = line.to_owned();
        if line.contains(":LIST:_default'") || line.contains(":COLUMN:_default'") {
            line = line.replace(":_default'", ":_zinspect_columns'");
            columns += 1;
        } else if [":targets -- ", ":target -- ", ":node -- "]
            .iter()
            .any(|one| line.contains(one))
        {
            line = line.replace(":_default'", ":_zinspect_devices'");
            devices += usize::from(line.contains(":_zinspect_devices'"));
        } else if (line.contains(":KIND:(") || line.contains(":VERDICT:(")) && !line.contains(":((")
        {
            // Several, separated by commas.
            line = line
                .replace(":KIND:(", ":KIND: _sequence compadd - ")
                .replace(":VERDICT:(", ":VERDICT: _sequence compadd - ")
                .replace(")' \\", "' \\");
            lists += 1;
        }
        text.push_str(&line);
        text.push('\n');
    }
    // Short and long of two; of the program itself there is no line.
    let below = places.iter().filter(|place| place.devices).count() - 1;
    for (what, found, expected) in [
        ("a list of columns", columns, 4),
        ("a target", devices, below),
        ("--kind and --verdict", lists, 3),
    ] {
        if found != expected {
            return Err(unknown_text(what, found, expected));
        }
    }
    let start = "    _arguments \"${_arguments_options[@]}\" : \\\n";
    let first = "\":: :_zinspect_commands\" \\\n";
    let options = text
        .split_once(start)
        .and_then(|(_, rest)| rest.split_once(first))
        .map(|(options, _)| options.to_owned())
        .ok_or_else(|| unknown_text(start, 0, 1))?;
    let mut text = replaced(&text, first, "\":: :_zinspect_first\" \\\n")?;
    // A first word that is no subcommand is a target: options and more targets follow.
    let end = "        esac\n    ;;\nesac\n}\n";
    let other = format!(
        "(*)\n_arguments \"${{_arguments_options[@]}}\" : \\\n{options}'*:target:_zinspect_devices' \\\n&& ret=0\n;;\n{end}"
    );
    text = replaced(&text, end, &other)?;
    // `#compdef zinspect` has to stay the first line.
    replaced(
        &text,
        "#compdef zinspect\n",
        &format!("#compdef zinspect\n{}", include_str!("words.zsh")),
    )
}
