//! Records described once: what a column is called, what it means and where its value comes from.

use std::borrow::Cow;
use std::fmt;

use crate::bytes::{ByteStyle, format_bytes};
use crate::text::printable;

/// One value of a record, ready to be shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value, and why in a word: `absent`, `denied`; `""` if the field does not apply here.
    ///
    /// People see `?absent`, or `-` where it does not apply; data formats hold nothing.
    Missing(&'static str),
    /// Text.
    Text(Cow<'static, str>),
    /// A plain number.
    UInt(u64),
    /// A number of bytes.
    Bytes(u64),
    /// Yes or no.
    Bool(bool),
    /// Several texts, in the order given.
    List(Vec<String>),
}

impl Cell {
    /// The value for people, in one line that holds no control character (see [`printable`]).
    ///
    /// A missing value is `?` and its reason, or `-` without a reason, so that it can be told from
    /// `0`; so is an empty list. `Bool` is `yes` or `no`, a list is joined by commas.
    #[must_use]
    pub fn to_text(&self, bytes: ByteStyle) -> String {
        match self {
            Self::Missing("") => "-".to_owned(),
            Self::Missing(why) => format!("?{}", printable(why)),
            Self::Text(text) => printable(text).into_owned(),
            Self::UInt(number) => number.to_string(),
            Self::Bytes(number) => format_bytes(*number, bytes),
            Self::Bool(true) => "yes".to_owned(),
            Self::Bool(false) => "no".to_owned(),
            Self::List(items) if items.is_empty() => "-".to_owned(),
            Self::List(items) => printable(&items.join(",")).into_owned(),
        }
    }

    /// Whether this is a number of any kind.
    pub(crate) const fn is_number(&self) -> bool {
        matches!(self, Self::UInt(_) | Self::Bytes(_))
    }

    /// Whether there is no value.
    pub(crate) const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing(_))
    }
}

impl From<&'static str> for Cell {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// How a value is to be taken; shown in colour where there is colour, see [`Tone::style`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Nothing to remark.
    #[default]
    Plain,
    /// As one would wish.
    Good,
    /// Works, with a drawback.
    Fair,
    /// Wrong or missing.
    Bad,
    /// Of less interest.
    Dim,
}

/// What the numbers of a field count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// The field holds text, lists, yes or no.
    #[default]
    None,
    /// Bytes.
    Bytes,
    /// Plain numbers.
    Count,
}

/// One column of a kind of record.
pub struct Field<R: ?Sized> {
    /// Its name in data formats and on the command line: lower case, for good.
    pub key: &'static str,
    /// Its heading in tables; also taken on the command line.
    pub header: &'static str,
    /// One line for the list of columns.
    pub help: &'static str,
    /// What its numbers count; anything but [`Unit::None`] stands at the right of its column.
    pub unit: Unit,
    /// How its value in a record is to be taken; `None` if it says nothing.
    pub tone: Option<fn(&R) -> Tone>,
    /// Its value in a record.
    pub get: fn(&R) -> Cell,
}

impl<R: ?Sized> Field<R> {
    /// The tone of a value got from `record`: the field's own, else faint for a missing value.
    pub(crate) fn tone_of(&self, record: &R, value: &Cell) -> Tone {
        match self.tone.map_or(Tone::Plain, |tone| tone(record)) {
            Tone::Plain if value.is_missing() => Tone::Dim,
            tone => tone,
        }
    }

    fn is_named(&self, name: &str) -> bool {
        self.key.eq_ignore_ascii_case(name) || self.header.eq_ignore_ascii_case(name)
    }
}

impl<R: ?Sized> fmt::Debug for Field<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// A name that no field has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown column {name:?}{}; --list-columns shows them all", suggestion(*nearest))]
pub struct UnknownField {
    /// The name as it was given.
    pub name: String,
    /// The key that was perhaps meant.
    pub nearest: Option<&'static str>,
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |key| format!(" (did you mean {key:?}?)"))
}

/// Chooses fields by a list of names, in the order of the list.
///
/// `names` is separated by commas; blanks and empty names are passed over, upper and lower case are
/// the same, and a key goes before a heading of the same name. `all` stands for every field. A list
/// that begins with `+`, or that holds no name, starts from `defaults`. A field is taken once, at
/// its first place.
///
/// # Errors
///
/// [`UnknownField`] for the first name (of the list or of `defaults`) that no field has.
pub fn select<'a, R>(
    all: &'a [Field<R>],
    names: &str,
    defaults: &[&str],
) -> Result<Vec<&'a Field<R>>, UnknownField> {
    let list = names.trim();
    let added = list.strip_prefix('+');
    let asked: Vec<&str> = added
        .unwrap_or(list)
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    let defaults = if added.is_some() || asked.is_empty() {
        defaults
    } else {
        &[]
    };

    let mut chosen: Vec<&Field<R>> = Vec::new();
    for name in defaults.iter().copied().chain(asked) {
        let found = if name.eq_ignore_ascii_case("all") {
            all.iter().collect()
        } else {
            vec![find(all, name)?]
        };
        for field in found {
            if !chosen.iter().any(|known| std::ptr::eq(*known, field)) {
                chosen.push(field);
            }
        }
    }
    Ok(chosen)
}

fn find<'a, R>(all: &'a [Field<R>], name: &str) -> Result<&'a Field<R>, UnknownField> {
    all.iter()
        .find(|field| field.key.eq_ignore_ascii_case(name))
        .or_else(|| all.iter().find(|field| field.is_named(name)))
        .ok_or_else(|| UnknownField {
            name: name.to_owned(),
            nearest: nearest(all, name),
        })
}

/// The key nearest in spelling, of its own or its heading's; else the first that holds the name.
fn nearest<R>(all: &[Field<R>], name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let allowed = (name.chars().count() / 3).max(1);
    let spelt = all
        .iter()
        .flat_map(|field| [(field.key, field.key), (field.header, field.key)])
        .map(|(text, key)| (distance(&name, &text.to_ascii_lowercase()), key))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance);
    let holds =
        |field: &&Field<R>| name.len() > 2 && field.key.to_ascii_lowercase().contains(&name);
    spelt
        .map(|(_, key)| key)
        .or_else(|| all.iter().find(holds).map(|field| field.key))
}

/// Edits (insert, delete, replace, swap of neighbours) between two words.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, &a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &b) in right.iter().enumerate() {
            let mut best = (last[j] + usize::from(a != b))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && a == right[j - 1] && b == left[i - 1] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn field(key: &'static str, header: &'static str) -> Field<u64> {
        Field {
            key,
            header,
            help: "",
            unit: Unit::Count,
            tone: None,
            get: |n| Cell::UInt(*n),
        }
    }

    static FIELDS: [Field<u64>; 4] = [
        field("name", "NAME"),
        field("write_max_bytes", "WMAX"),
        field("mode", "MODE"),
        field("wmax", "OTHER"),
    ];

    fn keys(names: &str) -> Result<Vec<&'static str>, UnknownField> {
        select(&FIELDS, names, &["name", "mode"])
            .map(|chosen| chosen.iter().map(|field| field.key).collect())
    }

    #[test]
    fn fields_come_in_the_order_of_the_list_and_once() {
        assert_eq!(keys("mode, NAME,,mode"), Ok(vec!["mode", "name"]));
    }

    #[test]
    fn a_key_goes_before_a_heading() {
        assert_eq!(keys("WMax"), Ok(vec!["wmax"]));
        assert_eq!(keys("other"), Ok(vec!["wmax"]));
    }

    #[test]
    fn plus_adds_to_the_defaults() {
        assert_eq!(keys("+wmax,name"), Ok(vec!["name", "mode", "wmax"]));
        assert_eq!(keys("+"), Ok(vec!["name", "mode"]));
        assert_eq!(keys(" "), Ok(vec!["name", "mode"]));
    }

    #[test]
    fn all_is_every_field() {
        assert_eq!(
            keys("mode,ALL"),
            Ok(vec!["mode", "name", "write_max_bytes", "wmax"])
        );
    }

    #[test]
    fn an_unknown_name_is_named_with_the_nearest() {
        let said = |names| keys(names).unwrap_err().to_string();
        assert_eq!(
            said("name,mdoe"),
            "unknown column \"mdoe\" (did you mean \"mode\"?); --list-columns shows them all"
        );
        assert_eq!(
            said("max_bytes"),
            "unknown column \"max_bytes\" (did you mean \"write_max_bytes\"?); --list-columns shows them all"
        );
        assert_eq!(
            said("x\x1by"),
            "unknown column \"x\\u{1b}y\"; --list-columns shows them all"
        );
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("mdoe", "mode"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn a_missing_value_is_never_zero() {
        let text = |cell: Cell| cell.to_text(ByteStyle::People);
        assert_eq!(text(Cell::Missing("")), "-");
        assert_eq!(text(Cell::Missing("absent")), "?absent");
        assert_eq!(text(Cell::Missing("denied")), "?denied");
        assert_eq!(text(Cell::UInt(0)), "0");
        assert_eq!(text(Cell::Bytes(0)), "0");
        assert_eq!(text(Cell::Bool(false)), "no");
        assert_eq!(text(Cell::List(vec![])), "-");
        assert_eq!(text(Cell::List(vec!["a".into(), "b\n".into()])), "a,b\\x0a");
        assert_eq!(text(Cell::from("")), "");
    }
}
