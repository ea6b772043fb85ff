//! One declaration for a part of the report: its JSON, its schema, its columns and their help.

use std::borrow::Cow;

use zinspect_exporters::{Cell, Unit};

/// A value of the report as a cell; `None` where it is null.
pub trait AsCell {
    /// The cell.
    fn cell(&self, unit: Unit) -> Option<Cell>;
}

macro_rules! number_cells {
    ($($number:ty)*) => {$(
        impl AsCell for $number {
            fn cell(&self, unit: Unit) -> Option<Cell> {
                let number = u64::from(*self);
                Some(if unit == Unit::Bytes { Cell::Bytes(number) } else { Cell::UInt(number) })
            }
        }
    )*};
}

number_cells!(u64 u32 u16 u8);

impl AsCell for bool {
    fn cell(&self, _unit: Unit) -> Option<Cell> {
        Some(Cell::Bool(*self))
    }
}

impl AsCell for String {
    fn cell(&self, _unit: Unit) -> Option<Cell> {
        Some(Cell::Text(Cow::Owned(self.clone())))
    }
}

impl AsCell for &'static str {
    fn cell(&self, _unit: Unit) -> Option<Cell> {
        Some(Cell::Text(Cow::Borrowed(self)))
    }
}

impl AsCell for Vec<String> {
    fn cell(&self, _unit: Unit) -> Option<Cell> {
        Some(Cell::List(self.clone()))
    }
}

impl<T: AsCell> AsCell for Option<T> {
    fn cell(&self, unit: Unit) -> Option<Cell> {
        self.as_ref().and_then(|value| value.cell(unit))
    }
}

/// Declares a part of the report.
///
/// `NAME at "path", |device| where; fields { doc, name: type, "HEADER", Unit; } parts { doc, name: type; }`: a struct
/// with serde and schemars derived, and `FIELDS`, a column for each field with `path.name` as its key. A part is an
/// object inside and has columns of its own.
macro_rules! section {
    (
        $(#[doc = $doc:literal])+
        $name:ident at $path:literal, |$device:ident| $get:expr;
        fields { $( $(#[doc = $help:literal])+ $field:ident : $type:ty, $header:literal, $unit:ident; )* }
        $( parts { $( $(#[doc = $part_doc:literal])+ $part:ident : $part_type:ty; )* } )?
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
        pub struct $name {
            $( $(#[doc = $help])+ pub $field: $type, )*
            $($( $(#[doc = $part_doc])+ pub $part: $part_type, )*)?
        }

        impl $name {
            /// A column for each field.
            pub const FIELDS: &'static [zinspect_exporters::Field<$crate::view::report::Device>] = &[
                $( zinspect_exporters::Field {
                    key: concat!($path, ".", stringify!($field)),
                    header: $header,
                    help: concat!($($help),+).trim_ascii(),
                    unit: zinspect_exporters::Unit::$unit,
                    tone: None,
                    get: |device| {
                        let value = Self::of(device).map(|part| {
                            $crate::view::section::AsCell::cell(&part.$field, zinspect_exporters::Unit::$unit)
                        });
                        match value {
                            Some(Some(cell)) => cell,
                            Some(None) => device.missing(concat!($path, ".", stringify!($field))),
                            None => zinspect_exporters::Cell::Missing(""),
                        }
                    },
                }, )*
            ];

            #[allow(clippy::unnecessary_wraps, reason = "some parts are always there")]
            fn of($device: &$crate::view::report::Device) -> Option<&Self> {
                $get
            }
        }
    };
}

pub(crate) use section;
