//! One macro for a structure, its offsets' proof, its accessors and its table of fields.

use zerocopy::byteorder::{big_endian as be, little_endian as le};
use zerocopy::{FromBytes, FromZeros, IntoBytes};

/// Where a field of a structure lies, so that a report can print its raw bytes.
///
/// Fields that share a byte (LBPRZ and LBPU, say) have one entry each, with the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireField {
    /// The field's name in the standard.
    pub name: &'static str,
    /// Its first byte within the structure.
    pub offset: usize,
    /// Its length in bytes.
    pub len: usize,
}

impl WireField {
    /// The entry of a structure's `FIELDS` with this name.
    pub fn find(fields: &'static [WireField], name: &str) -> Option<&'static WireField> {
        fields.iter().find(|field| field.name == name)
    }

    /// The field's bytes within the structure's; `None` where they do not reach it.
    pub fn bytes<'a>(&self, structure: &'a [u8]) -> Option<&'a [u8]> {
        structure.get(self.offset..self.offset.checked_add(self.len)?)
    }
}

/// The plain value of a field as it lies in memory.
pub(crate) trait Plain {
    /// Number or byte array.
    type Value;
    /// The value in host byte order.
    fn plain(&self) -> Self::Value;
}

macro_rules! plain {
    ($($wire:ty => $value:ty),+) => {
        $(impl Plain for $wire {
            type Value = $value;
            fn plain(&self) -> $value {
                self.get()
            }
        })+
    };
}

plain!(le::U16 => u16, le::U32 => u32, le::U64 => u64, le::U128 => u128);
plain!(be::U16 => u16, be::U32 => u32, be::U64 => u64);

impl Plain for u8 {
    type Value = u8;
    fn plain(&self) -> u8 {
        *self
    }
}

impl<const N: usize> Plain for [u8; N] {
    type Value = [u8; N];
    fn plain(&self) -> [u8; N] {
        *self
    }
}

/// A structure from the bytes that are there, zero beyond them, and how many there were.
pub(crate) fn copied<T: FromBytes + FromZeros + IntoBytes>(bytes: &[u8]) -> (T, usize) {
    let mut structure = T::new_zeroed();
    let target = structure.as_mut_bytes();
    let have = target.len().min(bytes.len());
    target
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    (structure, have)
}

/// A structure of fixed length: struct, compile-time proof of size and offsets, `FIELDS`, accessors.
///
/// `offset => name: Type as Value = "NAME";` gives an accessor and an entry; without `as` the
/// accessor is written by hand, without a name the field is reserved. The first form lists all.
macro_rules! layout {
    (
        $(#[doc = $about:literal])*
        cite $cite:literal;
        $svis:vis struct $name:ident [$size:literal] {
            $(
                #[doc = $doc:literal]
                $off:literal => $vis:vis $field:ident: $ty:ty $(as $out:ty)?
                    $(= $($label:literal),+)?;
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[doc = ""]
        #[doc = concat!("Layout: ", $cite, ".")]
        #[derive(
            Clone,
            zerocopy::FromBytes,
            zerocopy::IntoBytes,
            zerocopy::Immutable,
            zerocopy::KnownLayout,
            zerocopy::Unaligned,
        )]
        #[repr(C)]
        $svis struct $name {
            $($field: $ty,)*
        }

        const _: () = {
            assert!(size_of::<$name>() == $size);
            $(assert!(std::mem::offset_of!($name, $field) == $off);)*
        };

        impl $name {
            /// Where each field lies, by its name in the standard.
            pub const FIELDS: &'static [$crate::wire::WireField] = &[
                $($($($crate::wire::WireField {
                    name: $label,
                    offset: $off,
                    len: size_of::<$ty>(),
                },)+)?)*
            ];

            $($(
                #[doc = $doc]
                #[doc = concat!("\n\n", $cite, ", byte ", stringify!($off), ".")]
                $vis fn $field(&self) -> $out {
                    $crate::wire::layout::Plain::plain(&self.$field)
                }
            )?)*
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    $($($(.field($label, &self.$field))+)?)*
                    .finish_non_exhaustive()
            }
        }
    };
}

/// A structure that devices may cut short: every accessor gives `None` beyond the bytes there were.
///
/// As `layout!`, but the type owns a copy of its bytes and knows how many of them are real.
macro_rules! partial {
    (
        $(#[doc = $about:literal])*
        cite $cite:literal;
        pub struct $name:ident($raw:ident) [$size:literal] {
            $(
                #[doc = $doc:literal]
                $off:literal => $vis:vis $field:ident: $ty:ty $(as $out:ty)?
                    $(= $($label:literal),+)?;
            )*
        }
    ) => {
        #[derive(
            zerocopy::FromBytes,
            zerocopy::IntoBytes,
            zerocopy::Immutable,
            zerocopy::KnownLayout,
            zerocopy::Unaligned,
            Debug,
            Clone,
            PartialEq,
            Eq,
        )]
        #[repr(C)]
        struct $raw {
            $($field: $ty,)*
        }

        const _: () = {
            assert!(size_of::<$raw>() == $size);
            $(assert!(std::mem::offset_of!($raw, $field) == $off);)*
        };

        $(#[doc = $about])*
        #[doc = ""]
        #[doc = concat!("Layout: ", $cite, ".")]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name {
            raw: $raw,
            have: usize,
        }

        impl $name {
            /// Where each field lies, by its name in the standard.
            pub const FIELDS: &'static [$crate::wire::WireField] = &[
                $($($($crate::wire::WireField {
                    name: $label,
                    offset: $off,
                    len: size_of::<$ty>(),
                },)+)?)*
            ];

            /// From the bytes that are there.
            fn from_known(bytes: &[u8]) -> Self {
                let (raw, have) = $crate::wire::layout::copied(bytes);
                Self { raw, have }
            }

            $($(
                #[doc = $doc]
                #[doc = concat!("\n\n", $cite, ", byte ", stringify!($off), ".")]
                $vis fn $field(&self) -> Option<$out> {
                    (self.have.saturating_sub($off) >= size_of::<$ty>())
                        .then(|| $crate::wire::layout::Plain::plain(&self.raw.$field))
                }
            )?)*
        }
    };
}
