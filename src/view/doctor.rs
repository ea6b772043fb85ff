//! What `zinspect doctor` says: findings as JSON and as a page.

use zinspect_exporters::{Block, Page, Tone};

use crate::verdict::lint;
use crate::verdict::reason::Level;
use crate::view::report::{Evidence, SCHEMA_VERSION};

/// What `zinspect doctor -o json` prints.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub struct Report {
    /// Version of the contract.
    pub schema_version: u32,
    /// Everything that was found, the worst first.
    pub findings: Vec<Finding>,
}

/// One thing to look at.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// Stable id of the lint.
    pub lint: String,
    /// info, warning, error.
    pub level: Level,
    /// The device that it stands at; `kernel` for the host's kernel.
    pub at: String,
    /// What was found.
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// What to do; null where nothing helps.
    pub advice: Option<String>,
    /// A line for udev that keeps it so; null where none is proven. It is printed, never installed.
    pub udev_rule: Option<UdevRule>,
}

/// A rule for udev.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct UdevRule {
    /// A line for a file in /etc/udev/rules.d.
    pub line: String,
    /// What shows that it is right.
    pub proof: Vec<Evidence>,
}

impl Report {
    /// Of findings.
    pub fn new(findings: &[lint::Finding]) -> Self {
        let finding = |found: &lint::Finding| Finding {
            lint: found.lint.to_owned(),
            level: found.level,
            at: found.at.clone(),
            what: found.what.clone(),
            why: found.why.to_owned(),
            evidence: Evidence::all(&found.evidence),
            advice: found.advice.clone(),
            udev_rule: found.udev_rule.as_ref().map(|rule| UdevRule {
                line: rule.line.clone(),
                proof: Evidence::all(&rule.proof),
            }),
        };
        Self {
            schema_version: SCHEMA_VERSION,
            findings: findings.iter().map(finding).collect(),
        }
    }

    /// A paragraph for each finding.
    pub fn page(&self, looked_at: usize) -> Page {
        let count = |level| self.findings.iter().filter(|f| f.level == level).count();
        let (errors, warnings) = (count(Level::Error), count(Level::Warning));
        let infos = count(Level::Info);
        let tone = match (errors, warnings) {
            (0, 0) => Tone::Good,
            (0, _) => Tone::Fair,
            _ => Tone::Bad,
        };
        let title = if self.findings.is_empty() {
            format!("{} looked at: nothing found", counted(looked_at, "device"))
        } else {
            format!(
                "{} looked at: {}, {}, {infos} to know",
                counted(looked_at, "device"),
                counted(errors, "error"),
                counted(warnings, "warning")
            )
        };
        let mut blocks = Vec::new();
        for finding in &self.findings {
            blocks.push(Block::Heading(format!(
                "{} at {}: {}",
                finding.level.word(),
                finding.at,
                finding.lint
            )));
            finding.paragraph(&mut blocks);
        }
        Page {
            title,
            tone,
            blocks,
        }
    }
}

impl Finding {
    fn paragraph(&self, blocks: &mut Vec<Block>) {
        let tone = match self.level {
            Level::Error => Tone::Bad,
            Level::Warning => Tone::Fair,
            Level::Info => Tone::Plain,
        };
        let item = |depth, tone, bullet, text: String| Block::Item {
            depth,
            tone,
            bullet,
            text,
        };
        blocks.push(item(0, tone, Some("!"), self.what.clone()));
        blocks.push(item(1, Tone::Plain, None, format!("why: {}", self.why)));
        for one in &self.evidence {
            let text = format!("{} = {}", one.origin, one.value);
            blocks.push(item(1, Tone::Dim, None, text));
        }
        if let Some(advice) = &self.advice {
            blocks.push(item(1, Tone::Plain, Some(">"), advice.clone()));
        }
        if let Some(rule) = &self.udev_rule {
            let heading = "a rule for udev, if you want it at every boot:".to_owned();
            blocks.push(item(1, Tone::Plain, Some(">"), heading));
            blocks.push(item(2, Tone::Plain, None, rule.line.clone()));
            for one in &rule.proof {
                let text = format!("proven by {} = {}", one.origin, one.value);
                blocks.push(item(2, Tone::Dim, None, text));
            }
        }
    }
}

/// A number and its noun.
fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}
