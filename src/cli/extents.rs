//! `zinspect extents`: every extent of a file.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::io::Errno;
use zinspect_exporters::{Field, write_csv, write_json, write_table};

use super::args::{Cli, ExtentsArgs, ExtentsFormat};
use super::{Exit, RunError, exit_of, files, output, report_failures};
use crate::facts::file;
use crate::facts::target::TargetError;
use crate::model::text;
use crate::source::errno;
use crate::source::inode::{self, NodeType, View};
use crate::view::extents::{FIELDS, FileExtents, Report, Row};

/// Prints them.
pub(super) fn run(cli: &Cli, args: &ExtentsArgs) -> Result<Exit, RunError> {
    if cli.host.snapshot.is_some() || cli.host.sysroot.is_some() {
        let why = "extents are those of this host's files: a capture has none";
        return Err(RunError::Usage(why.into()));
    }
    let view = files::view(args.pid);
    let mut found = Vec::new();
    let mut failures = Vec::new();
    for path in &args.paths {
        match extents(view, path) {
            Ok(extents) => found.push(extents),
            Err(why) => {
                let word = text::clean(path.as_bytes());
                failures.push(TargetError::NoDevice { word, why });
            }
        }
    }
    report_failures(&failures);
    let mut out = output::stdout();
    match args.output {
        // The headings of nothing would look like a file without extents.
        ExtentsFormat::Csv | ExtentsFormat::Table if found.is_empty() => {}
        ExtentsFormat::Json => write_json(&mut out, &Report::new(&found), true)?,
        ExtentsFormat::Csv => {
            let columns: Vec<&Field<Row>> = FIELDS.iter().collect();
            let rows = found.iter().flat_map(FileExtents::rows);
            write_csv(&mut out, &columns, rows, !cli.out.no_headings)?;
        }
        ExtentsFormat::Table => {
            let several = args.paths.len() > 1;
            let columns: Vec<&Field<Row>> = FIELDS
                .iter()
                .filter(|field| several || field.key != "path")
                .collect();
            let rows: Vec<Row> = found.iter().flat_map(FileExtents::rows).collect();
            write_table(&mut out, &columns, &rows, &output::options(&cli.out))?;
        }
    }
    output::finish(out)?;
    Ok(exit_of(args.paths.len(), failures.len()))
}

fn extents(view: View, path: &OsStr) -> Result<FileExtents, String> {
    let path = Path::new(path);
    let inode =
        inode::look(view, path).map_err(|error| file::unreachable_path(view, path, error))?;
    if inode.stat.node != NodeType::Regular {
        return Err(format!(
            "is a {}; extents are those of regular files",
            inode.stat.node.word()
        ));
    }
    if let Some(error) = inode.closed() {
        return Err(format!(
            "cannot open it for reading: {}; {}",
            errno::describe(error),
            to_open(error)
        ));
    }
    let name = text::clean(path.as_os_str().as_bytes());
    match inode.extents() {
        Ok(extents) => Ok(FileExtents::mapped(name, &inode.stat, extents)),
        Err(Errno::OPNOTSUPP | Errno::NOTTY) => match inode.segments() {
            Ok(segments) => Ok(FileExtents::sought(name, &inode.stat, segments)),
            Err(error) => Err(format!(
                "cannot seek for data and holes: {}",
                errno::describe(error)
            )),
        },
        Err(error) => Err(format!(
            "cannot map its extents (FIEMAP): {}",
            errno::describe(error)
        )),
    }
}

/// What to do about a file that may not be opened.
fn to_open(error: Errno) -> &'static str {
    match error {
        Errno::NOKEY => "it is encrypted: to see its extents, add its key to the filesystem",
        Errno::ACCESS | Errno::PERM => {
            "to see its extents, run as root or as a user who may read it"
        }
        _ => "the filesystem or what lies below it refuses: dmesg may tell more",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_fits_the_error() {
        assert!(to_open(Errno::NOKEY).contains("add its key"));
        assert!(to_open(Errno::ACCESS).contains("run as root"));
        assert!(!to_open(Errno::IO).contains("root"));
    }
}
