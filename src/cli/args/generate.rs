//! Arguments of what makes packages' files.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Generating.
#[derive(Debug, Args)]
pub struct GenArgs {
    /// What to make.
    #[command(subcommand)]
    pub what: Generated,
}

/// What packages are made of.
#[derive(Debug, Subcommand)]
pub enum Generated {
    /// The JSON Schema of what `-o json` prints
    Schema {
        /// Of which command
        #[arg(value_enum, default_value_t = Document::Report)]
        document: Document,
    },
    /// Completions for a shell
    Completions {
        /// Which shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Man pages, one for each subcommand
    Man {
        /// Directory to write them to
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Words for completions
    Words {
        /// Which words
        #[arg(value_enum)]
        kind: Words,
    },
}

/// Shells with completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

/// Words that completions ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Words {
    /// Kernel names of the devices that are listed
    Devices,
    /// Names of columns
    Columns,
}

/// Documents in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// Devices and files.
    Report,
    /// `zinspect probe`
    Probe,
    /// `zinspect bench`
    Bench,
    /// `zinspect doctor`
    Doctor,
    /// `zinspect extents`
    Extents,
}
