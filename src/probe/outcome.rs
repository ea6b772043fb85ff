//! What came of a method.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::plan::Method;
use super::verify::Effect;

macro_rules! outcomes {
    ($($variant:ident $word:literal $doc:literal;)*) => {
        /// What came of a method, by the words of the JSON contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum Outcome { $(#[doc = $doc] #[serde(rename = $word)] $variant),* }

        impl Outcome {
            /// The word for it in every output.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }
    };
}

outcomes! {
    ZeroedUnmapped "zeroed-unmapped" "Zeroes, and the space was given back.";
    ZeroedWritten "zeroed-written" "Zeroes that were written, or that keep their space.";
    ZeroedUnmapUnknown "zeroed-unmap-unknown" "Zeroes; nothing tells what became of the space.";
    NotZeroed "not-zeroed" "It said it succeeded, and zeroed nothing.";
    PartlyZeroed "partly-zeroed" "It said it succeeded, and zeroed a part.";
    CollateralDamage "collateral-damage" "Bytes outside the range changed.";
    NotStored "not-stored" "What was written before the command does not read back: nothing can be told.";
    Rejected "rejected" "The kernel or the device refused.";
    TimedOut "timed-out" "No end within the time allowed.";
    Skipped "skipped" "Not tried.";
}

impl Outcome {
    /// Whether the range holds zeroes and nothing else changed.
    pub fn zeroed(self) -> bool {
        matches!(
            self,
            Self::ZeroedUnmapped | Self::ZeroedWritten | Self::ZeroedUnmapUnknown
        )
    }

    /// From what is on the device, after a command that said it succeeded.
    pub fn from_effect(effect: &Effect, evidence: &[Evidence]) -> Self {
        match effect {
            Effect::Collateral { .. } => Self::CollateralDamage,
            Effect::NotZeroed { .. } => Self::NotZeroed,
            Effect::PartlyZeroed { .. } => Self::PartlyZeroed,
            Effect::Zeroed => {
                let said = |what| evidence.iter().any(|evidence| evidence.says == what);
                // Space that was seen to be given back outweighs pages that somebody wrote meanwhile.
                if said(Says::Unmapped) {
                    Self::ZeroedUnmapped
                } else if said(Says::Written) {
                    Self::ZeroedWritten
                } else {
                    Self::ZeroedUnmapUnknown
                }
            }
        }
    }
}

/// What a piece of evidence says of the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Says {
    /// It was given back.
    Unmapped,
    /// Zeroes were written, or it keeps its space.
    Written,
    /// Neither.
    Nothing,
}

/// Why a command failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Failure {
    /// The error's name, as in errno(3).
    pub errno: Option<String>,
    /// The NVMe status field.
    pub nvme_status: Option<u16>,
    /// The sense data, decoded.
    pub sense: Option<String>,
    /// All of it in words.
    pub text: String,
}

/// What came of one method, as a child says it and as reports show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MethodResult {
    /// The method.
    pub method: Method,
    /// The leg of a multipath map that it went through.
    pub leg: Option<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// Why it was skipped.
    pub skip_reason: Option<String>,
    /// Bytes asked for.
    pub bytes: u64,
    /// How long the command and the flush after it took.
    pub seconds: Option<f64>,
    /// Bytes a second; null where the range was not zeroed.
    pub bytes_per_second: Option<f64>,
    /// How long it took to read the range and its guards back, and to look at them.
    pub read_back_seconds: Option<f64>,
    /// The first byte that is wrong.
    pub first_bad_offset: Option<u64>,
    /// What is wrong, in words.
    pub detail: Option<String>,
    /// Why the command failed.
    pub error: Option<Failure>,
    /// What tells what the device did.
    pub evidence: Vec<Evidence>,
    /// The process that still waits for the device.
    pub stuck_pid: Option<i32>,
}

impl MethodResult {
    /// Before anything is known.
    pub fn new(method: Method, outcome: Outcome) -> Self {
        Self {
            method,
            leg: None,
            outcome,
            skip_reason: None,
            bytes: 0,
            seconds: None,
            bytes_per_second: None,
            read_back_seconds: None,
            first_bad_offset: None,
            detail: None,
            error: None,
            evidence: Vec::new(),
            stuck_pid: None,
        }
    }

    /// Not tried.
    pub fn skipped(method: Method, leg: Option<String>, why: impl Into<String>) -> Self {
        Self {
            leg,
            skip_reason: Some(why.into()),
            ..Self::new(method, Outcome::Skipped)
        }
    }

    /// With its speed, once everything else is known.
    #[must_use]
    pub fn rated(self) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a rate needs no 53 bits")]
        let bytes = self.bytes as f64;
        let bytes_per_second = self
            .seconds
            .filter(|seconds| *seconds > 0.0 && self.outcome.zeroed())
            .map(|seconds| bytes / seconds);
        Self {
            bytes_per_second,
            ..self
        }
    }

    /// The one thing to know beside the outcome: why not, or the strongest evidence.
    pub fn why(&self) -> String {
        let strongest = || {
            let said = |says| {
                self.evidence
                    .iter()
                    .find(move |evidence| evidence.says == says)
            };
            let found = said(Says::Unmapped)
                .or_else(|| said(Says::Written))
                .or_else(|| self.evidence.first());
            found.map(|evidence| format!("{}: {}", evidence.kind, evidence.value))
        };
        self.skip_reason
            .clone()
            .or_else(|| self.detail.clone())
            .or_else(strongest)
            .unwrap_or_default()
    }
}
