//! Reasons and conflicts: what was concluded, at which device, from which evidence.

use crate::facts::origin::Origin;
use crate::model::ids::KName;

/// One value that a reason rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Where it stands.
    pub origin: Origin,
    /// What it says there.
    pub value: String,
}

impl Evidence {
    /// A value at its place.
    pub fn new(origin: Origin, value: impl Into<String>) -> Self {
        Self {
            origin,
            value: value.into(),
        }
    }

    /// What the kernel's source does.
    pub fn rule(rule: &'static str, value: impl Into<String>) -> Self {
        Self::new(Origin::KernelRule(rule), value)
    }
}

/// One step of the chain that leads to a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The rule's id, stable over releases: `nvme-dlfeat`.
    pub rule: &'static str,
    /// The device that it holds for.
    pub at: KName,
    /// A sentence.
    pub text: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
}

impl Reason {
    /// A step without evidence yet.
    pub fn new(rule: &'static str, at: &KName, text: impl Into<String>) -> Self {
        Self {
            rule,
            at: at.clone(),
            text: text.into(),
            evidence: Vec::new(),
        }
    }

    /// With one more value that it rests on.
    #[must_use]
    pub fn because(mut self, origin: Origin, value: impl Into<String>) -> Self {
        self.evidence.push(Evidence::new(origin, value));
        self
    }

    /// With the kernel's own rule.
    #[must_use]
    pub fn by_rule(mut self, rule: &'static str, value: impl Into<String>) -> Self {
        self.evidence.push(Evidence::rule(rule, value));
        self
    }
}

/// How much a conflict matters.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Worth knowing.
    Info,
    /// The numbers mislead, or something was lost.
    Warning,
    /// Data or service is at stake.
    Error,
}

impl Level {
    /// The word for it in every output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Two things that do not fit together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The rule's id, stable over releases.
    pub rule: &'static str,
    /// How much it matters.
    pub level: Level,
    /// The device that it stands at.
    pub at: KName,
    /// What does not fit, and what follows.
    pub text: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// What to do, where something helps.
    pub advice: Option<String>,
}
