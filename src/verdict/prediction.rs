//! What the kernel's three numbers must be, worked out from facts.

use crate::model::units::{SECTOR, UNLIMITED};
use crate::verdict::reason::Reason;

/// The three numbers, in bytes as sysfs shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// `write_zeroes_max_bytes`.
    pub write_zeroes_max_bytes: u64,
    /// `write_zeroes_unmap_max_hw_bytes`.
    pub write_zeroes_unmap_max_hw_bytes: u64,
    /// `write_zeroes_unmap_max_bytes`.
    pub write_zeroes_unmap_max_bytes: u64,
}

impl Limits {
    /// No zeroes command.
    pub const NONE: Self = Self::new(0, 0);

    /// Of a device whose user limit was not touched.
    pub const fn new(wz: u64, hw: u64) -> Self {
        Self {
            write_zeroes_max_bytes: wz,
            write_zeroes_unmap_max_hw_bytes: hw,
            write_zeroes_unmap_max_bytes: hw,
        }
    }
}

/// What a device hands to what is stacked on it (`blk_stack_limits`, block/blk-settings.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// `max_write_zeroes_sectors` in bytes.
    pub wz: u64,
    /// `max_hw_wzeroes_unmap_sectors` in bytes.
    pub hw: u64,
    /// `max_user_wzeroes_unmap_sectors` in bytes; [`UNLIMITED`] while the user has not written one.
    pub user: u64,
}

impl Passed {
    /// Where stacking begins (`blk_set_stacking_limits`): no limit at all.
    pub const UNLIMITED: Self = Self {
        wz: UNLIMITED,
        hw: UNLIMITED,
        user: UNLIMITED,
    };

    /// The smaller of each, as stacking takes them: plain `min`, so that one 0 makes the result 0.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            wz: self.wz.min(other.wz),
            hw: self.hw.min(other.hw),
            user: self.user.min(other.user),
        }
    }

    /// The limits of a queue that has them: `un = min(hw, user)` (`blk_validate_limits`).
    pub fn limits(self) -> Limits {
        Limits {
            write_zeroes_max_bytes: self.wz,
            write_zeroes_unmap_max_hw_bytes: self.hw,
            write_zeroes_unmap_max_bytes: self.hw.min(self.user),
        }
    }
}

/// Why there is no prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpredicted {
    /// What is missing, as a sentence.
    pub why: String,
    /// What to do to know, as a sentence.
    pub to_know: Option<String>,
}

/// A prediction with the chain that leads to it: first the device's own rule, then the device below that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The three numbers, or why they cannot be worked out.
    pub limits: Result<Limits, Unpredicted>,
    /// What the device hands up: the prediction, corrected by what a leaf's own files alone can tell (a user limit,
    /// a runtime disable).
    pub passed: Option<Passed>,
    /// How it was worked out.
    pub reasons: Vec<Reason>,
}

impl Prediction {
    /// Known limits of a device that nothing has changed since.
    pub fn known(limits: Limits, reasons: Vec<Reason>) -> Self {
        let passed = Passed {
            wz: limits.write_zeroes_max_bytes,
            hw: limits.write_zeroes_unmap_max_hw_bytes,
            user: UNLIMITED,
        };
        Self {
            limits: Ok(limits),
            passed: Some(passed),
            reasons,
        }
    }

    /// Known limits of a stacked device, from what its slaves hand up.
    pub fn stacked(passed: Passed, reasons: Vec<Reason>) -> Self {
        Self {
            limits: Ok(passed.limits()),
            passed: Some(passed),
            reasons,
        }
    }

    /// No prediction.
    pub fn unknown(why: impl Into<String>, to_know: Option<&str>, reasons: Vec<Reason>) -> Self {
        let unpredicted = Unpredicted {
            why: why.into(),
            to_know: to_know.map(str::to_owned),
        };
        Self {
            limits: Err(unpredicted),
            passed: None,
            reasons,
        }
    }
}

/// A number of blocks as a limit in bytes, cut to what the kernel's 32 bits of sectors hold.
pub fn blocks_as_limit(blocks: u64, block_size: u64) -> u64 {
    let sectors = u128::from(blocks) * u128::from(block_size) / u128::from(SECTOR);
    u64::try_from(sectors).map_or(UNLIMITED, |sectors| {
        sectors.saturating_mul(SECTOR).min(UNLIMITED)
    })
}
