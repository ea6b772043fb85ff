//! Enumerations that every output writes by one word.

/// Declares one: `Name { Variant "word" "what it means"; … }`, ordered as written. The word is the kebab-case of the
/// variant, in JSON by serde and elsewhere by `word`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $word:literal $says:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $(#[doc = $says] $variant),* }

        impl $name {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word for it in every output.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }
    };
}

pub(crate) use words;
