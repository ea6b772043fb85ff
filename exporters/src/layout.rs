//! Columns: what tables and trees share. comfy-table lays them out; colours come after it.

use std::io::{self, Write};

use comfy_table::{CellAlignment, ColumnConstraint, Table, Width, presets};

use crate::field::Tone;
use crate::style::{HEADING, paint};
use crate::table::TableOptions;
use crate::text::{buffered, fit, width};

/// Spaces between two columns.
const GAP: usize = 2;
/// The narrowest that a text column is made.
const MIN_TEXT: usize = 8;
/// The narrowest that the first column is made: it names the row.
const MIN_FIRST: usize = 16;
/// The widest that any column gets; comfy-table counts in 16 bits.
const MAX_COLUMN: usize = 60_000;
/// Rows laid out at a time.
const CHUNK: usize = 256;

/// One cell, clean and ready.
pub(crate) struct GridCell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
    /// Bytes at the beginning of the text (branches of a tree) that take no colour.
    pub(crate) lead: usize,
}

/// A whole table as text.
pub(crate) struct Grid {
    pub(crate) headings: Vec<String>,
    /// For each column, whether its cells stand at the right; such cells are never cut.
    pub(crate) right: Vec<bool>,
    /// Every row has a cell for each column.
    pub(crate) rows: Vec<Vec<GridCell>>,
    pub(crate) ellipsis: &'static str,
}

impl Grid {
    /// Lays the grid out within `options.width` and writes it.
    pub(crate) fn write(mut self, out: &mut dyn Write, options: &TableOptions) -> io::Result<()> {
        if self.right.is_empty() {
            return Ok(());
        }
        if !options.headings {
            self.headings.clear();
        }
        let widths = self.widths();
        let columns = self.narrowed(&widths, options.width);
        for (column, &allowed) in columns.iter().enumerate() {
            if allowed < widths[column] {
                self.cut(column, allowed);
            }
        }
        buffered(out, |out| {
            self.write_lines(out, &columns, &[], true, options.color)?;
            // The widths are fixed, so a part at a time gives the same lines from less memory.
            self.rows
                .chunks(CHUNK)
                .try_for_each(|rows| self.write_lines(out, &columns, rows, false, options.color))
        })
    }

    /// Writes the line of headings or a part of the rows.
    fn write_lines(
        &self,
        out: &mut dyn Write,
        columns: &[usize],
        rows: &[Vec<GridCell>],
        headings: bool,
        color: bool,
    ) -> io::Result<()> {
        for (at, line) in self.table(columns, rows, headings).lines().enumerate() {
            let line = match rows.get(at) {
                _ if !color => line,
                Some(cells) => self.colored(&line, cells, columns),
                None => self.colored_headings(&line, columns),
            };
            out.write_all(line.trim_end_matches(' ').as_bytes())?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// The width of each column's widest text, headings included; at least 1.
    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![1; self.right.len()];
        for (widest, heading) in widths.iter_mut().zip(&self.headings) {
            *widest = width(heading).max(1);
        }
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = width(&cell.text).max(*widest);
            }
        }
        widths
    }

    /// Takes what is too much from the text columns, the last one first, as far as each can give.
    fn narrowed(&self, widths: &[usize], limit: Option<usize>) -> Vec<usize> {
        let mut columns: Vec<usize> = widths.iter().map(|&width| width.min(MAX_COLUMN)).collect();
        let gaps = GAP * (columns.len() - 1);
        let Some(limit) = limit else { return columns };
        for column in (0..columns.len()).rev() {
            let excess = (columns.iter().sum::<usize>() + gaps).saturating_sub(limit);
            if excess == 0 {
                break;
            }
            if self.right[column] {
                continue;
            }
            let least = if column == 0 { MIN_FIRST } else { MIN_TEXT };
            let heading = self
                .headings
                .get(column)
                .map_or(0, |heading| width(heading));
            let least = least.max(heading).min(columns[column]);
            columns[column] = (columns[column] - excess.min(columns[column])).max(least);
        }
        columns
    }

    /// Cuts the texts of one column to a width.
    fn cut(&mut self, column: usize, allowed: usize) {
        if let Some(heading) = self.headings.get_mut(column) {
            *heading = fit(heading, allowed, self.ellipsis).into_owned();
        }
        for row in &mut self.rows {
            let cell = &mut row[column];
            if width(&cell.text) > allowed {
                cell.text = fit(&cell.text, allowed, self.ellipsis).into_owned();
                cell.lead = cell.lead.min(cell.text.len());
                while !cell.text.is_char_boundary(cell.lead) {
                    cell.lead -= 1;
                }
            }
        }
    }

    fn table(&self, columns: &[usize], rows: &[Vec<GridCell>], headings: bool) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        if headings && !self.headings.is_empty() {
            table.set_header(self.headings.iter().map(String::as_str));
        }
        for row in rows {
            table.add_row(row.iter().map(|cell| cell.text.as_str()));
        }
        for (at, column) in table.column_iter_mut().enumerate() {
            let gap = if at + 1 == columns.len() { 0 } else { GAP };
            let fixed = u16::try_from(columns[at] + gap).unwrap_or(u16::MAX);
            column.set_padding((0, u16::try_from(gap).unwrap_or(u16::MAX)));
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(fixed)));
            if self.right[at] {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    fn colored(&self, line: &str, cells: &[GridCell], columns: &[usize]) -> String {
        let mut painted = String::with_capacity(line.len() + 16 * cells.len());
        let mut rest = line;
        for (column, cell) in cells.iter().enumerate() {
            let (before, after) = self.around(column, width(&cell.text), columns);
            painted.push_str(&rest[..before + cell.lead]);
            paint(&mut painted, cell.tone.style(), &cell.text[cell.lead..]);
            rest = &rest[before + cell.text.len()..];
            painted.push_str(&rest[..after]);
            rest = &rest[after..];
        }
        painted
    }

    fn colored_headings(&self, line: &str, columns: &[usize]) -> String {
        let mut painted = String::with_capacity(line.len() + 16 * columns.len());
        let mut rest = line;
        for (column, heading) in self.headings.iter().enumerate() {
            let (before, after) = self.around(column, width(heading), columns);
            painted.push_str(&rest[..before]);
            paint(&mut painted, HEADING, heading);
            rest = &rest[before + heading.len()..];
            painted.push_str(&rest[..after]);
            rest = &rest[after..];
        }
        painted
    }

    /// The spaces before and after a text of some width in a column.
    fn around(&self, column: usize, width: usize, columns: &[usize]) -> (usize, usize) {
        let gap = if column + 1 == columns.len() { 0 } else { GAP };
        let space = columns[column].saturating_sub(width);
        if self.right[column] {
            (space, gap)
        } else {
            (0, space + gap)
        }
    }
}
