//! Status lines (`STATUSTYPE_INFO`) without their counters, so that the same state gives the same
//! text: states, modes, sizes and settings stay, whatever I/O alone changes becomes `-`.
//!
//! The formats are those of Documentation/admin-guide/device-mapper and of each target's status
//! function in drivers/md, Linux 7.3.

/// A status line's text without counters. Words are separated by one space.
pub fn without_counters(target: &str, params: &str) -> String {
    let mut line = Line::new(params);
    match target {
        // Nothing but states and device numbers.
        "striped" | "dust" | "linear" | "crypt" | "inlinecrypt" | "default-key" | "zero"
        | "error" | "flakey" | "ebs" | "switch" | "unstriped" | "snapshot-origin" => {}
        "multipath" => line.multipath(),
        "mirror" => {
            let mirrors = line.number(0);
            line.progress(1 + mirrors);
        }
        // <type> <devices> <health> <in sync> <action> <mismatches> <data offset> <journal>
        "raid" => {
            line.progress(3);
            line.blank(5);
        }
        // <transaction> <used>/<metadata> <used>/<data> <held root> <mode> … <low water>
        "thin-pool" => {
            line.blank(0);
            line.used(1);
            line.used(2);
            line.blank(3);
        }
        "thin" | "delay" => (0..line.len()).for_each(|index| line.blank(index)),
        "snapshot" | "snapshot-merge" => {
            line.used(0);
            line.blank(1);
        }
        // <block> <used>/<metadata> <block> <used>/<cache> <hits and misses ×4> <demotions>
        // <promotions> <dirty> …
        "cache" => {
            line.used(1);
            line.used(3);
            (4..11).for_each(|index| line.blank(index));
        }
        // <error> <blocks> <free> <under writeback> and ten statistics
        "writecache" => (2..line.len()).for_each(|index| line.blank(index)),
        // <mismatches> <sectors> <sector reached>; "-" where nothing is recalculated
        "integrity" => {
            line.blank(0);
            if line.is_number(2) {
                line.set(2, "recalculating");
            }
        }
        // <V|C> <corrected by FEC>
        "verity" => line.blank(1),
        // <block> <used>/<metadata> <era> <held root>
        "era" => {
            line.used(1);
            line.blank(2);
            line.blank(3);
        }
        // <block> <used>/<metadata> <region> <hydrated>/<regions> <hydrating> …
        "clone" => {
            line.used(1);
            line.progress(3);
            line.blank(4);
        }
        // <entries> <last sector> [logging_disabled]
        "log-writes" => {
            line.blank(0);
            line.blank(1);
        }
        // <n> zones <unmapped>/<cache> cache <unmapped>/<random> random …
        "zoned" => (2..line.len()).for_each(|index| line.used(index)),
        // <device> <mode> <recovering> <index> <compression> <used> <total>
        "vdo" => line.blank(5),
        _ => (0..line.len()).for_each(|index| line.scrub(index)),
    }
    line.words.join(" ")
}

/// How much a thin volume or its pool has in use: what [`without_counters`] leaves out, for those who watch it change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InUse {
    /// Sectors that a thin volume has mapped (`thin_status` of drivers/md/dm-thin.c).
    MappedSectors(u64),
    /// Data blocks that a pool has given out, to all of its volumes (`pool_status`).
    PoolBlocks(u64),
}

impl InUse {
    /// From a status line; `None` for another target, and for one that failed.
    pub fn parse(target: &str, params: &str) -> Option<Self> {
        let line = Line::new(params);
        match target {
            "thin" => Some(Self::MappedSectors(line.words.first()?.parse().ok()?)),
            "thin-pool" => Some(Self::PoolBlocks(line.fraction(2)?.0.parse().ok()?)),
            _ => None,
        }
    }
}

/// The words of a status line. A place that does not exist is left alone: a failed target says
/// "Fail" or "Error" and nothing else.
struct Line {
    words: Vec<String>,
}

impl Line {
    fn new(params: &str) -> Self {
        Self {
            words: params.split_ascii_whitespace().map(str::to_owned).collect(),
        }
    }

    fn len(&self) -> usize {
        self.words.len()
    }

    fn set(&mut self, index: usize, text: &str) {
        if let Some(word) = self.words.get_mut(index) {
            text.clone_into(word);
        }
    }

    /// How many words follow; never more than there are.
    fn number(&self, index: usize) -> usize {
        let count = self.words.get(index).and_then(|word| word.parse().ok());
        count.unwrap_or(self.len()).min(self.len())
    }

    fn is_number(&self, index: usize) -> bool {
        self.words.get(index).is_some_and(|word| all_digits(word))
    }

    /// A counter.
    fn blank(&mut self, index: usize) {
        if self.is_number(index) {
            self.set(index, "-");
        }
    }

    /// `<used>/<total>`: the total is a size, and stays.
    fn used(&mut self, index: usize) {
        if let Some((_, total)) = self.fraction(index) {
            let text = format!("-/{total}");
            self.set(index, &text);
        }
    }

    /// `<done>/<total>`: that all is done is a state.
    fn progress(&mut self, index: usize) {
        if self
            .fraction(index)
            .is_some_and(|(done, total)| done != total)
        {
            self.used(index);
        }
    }

    fn fraction(&self, index: usize) -> Option<(&str, &str)> {
        let (part, whole) = self.words.get(index)?.split_once('/')?;
        (all_digits(part) && all_digits(whole)).then_some((part, whole))
    }

    /// A word of a target that nobody here knows: whatever is numbers only goes.
    fn scrub(&mut self, index: usize) {
        let Some(word) = self.words.get(index) else {
            return;
        };
        if !word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"/:.,%+-".contains(&byte))
        {
            return;
        }
        let mut text = String::new();
        for character in word.chars() {
            if !character.is_ascii_digit() {
                text.push(character);
            } else if !text.ends_with('-') {
                text.push('-');
            }
        }
        self.set(index, &text);
    }

    /// `2 <queued> <initialisations> <handler words> <groups> <next> { <state> <selector words>
    /// <paths> <arguments> { <device> <A|F> <failures> <arguments> } }`
    fn multipath(&mut self) {
        let counters = self.number(0);
        let mut at = 1;
        at = self.blank_run(at, counters);
        at += 1 + self.number(at);
        let groups = self.number(at);
        at += 2;
        for _ in 0..groups {
            let selector = self.number(at + 1);
            at = self.blank_run(at + 2, selector);
            let (paths, arguments) = (self.number(at), self.number(at + 1));
            at += 2;
            for _ in 0..paths {
                at = self.blank_run(at + 2, 1 + arguments);
            }
        }
        // Whatever a newer kernel adds behind.
        (at..self.len()).for_each(|index| self.scrub(index));
    }

    /// Blanks `count` words from `at` on, and says where the next one is.
    fn blank_run(&mut self, at: usize, count: usize) -> usize {
        let end = at.saturating_add(count).min(self.len());
        (at..end).for_each(|index| self.blank(index));
        end
    }
}

fn all_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(target: &str, params: &str, expected: &str) {
        assert_eq!(without_counters(target, params), expected, "{target}");
        assert_eq!(
            without_counters(target, expected),
            expected,
            "{target} twice"
        );
    }

    #[test]
    fn targets_without_counters_stay_as_they_are() {
        check("linear", "", "");
        check("striped", "2 8:16 8:32 1 AD", "2 8:16 8:32 1 AD");
        check(
            "dust",
            "8:16 fail_read_on_bad_block verbose",
            "8:16 fail_read_on_bad_block verbose",
        );
    }

    #[test]
    fn multipath_keeps_groups_and_path_states() {
        check(
            "multipath",
            "2 7 3 0 2 1 A 0 2 2 8:16 A 0 4096 1 8:32 F 12 0 1 E 0 1 2 8:48 A 1 0 1 ",
            "2 - - 0 2 1 A 0 2 2 8:16 A - - - 8:32 F - - - E 0 1 2 8:48 A - - -",
        );
        // A handler, a selector with words of its own (historical-service-time), no arguments.
        check(
            "multipath",
            "2 0 0 1 alua 1 1 A 1 5 1 0 253:1 A 0",
            "2 - - 1 alua 1 1 A 1 - 1 0 253:1 A -",
        );
        check("multipath", "2 0 0 0 0 0", "2 - - 0 0 0");
    }

    #[test]
    fn mirror_and_raid_keep_health_and_whether_they_are_in_sync() {
        check(
            "mirror",
            "2 8:16 8:32 100/100 1 AA 1 core",
            "2 8:16 8:32 100/100 1 AA 1 core",
        );
        check(
            "mirror",
            "2 8:16 8:32 7/100 1 AD 3 disk 8:48 A",
            "2 8:16 8:32 -/100 1 AD 3 disk 8:48 A",
        );
        check(
            "raid",
            "raid5_ls 3 AAA 409600/1048576 resync 17 0 -",
            "raid5_ls 3 AAA -/1048576 resync - 0 -",
        );
        check(
            "raid",
            "raid1 2 Aa 1048576/1048576 idle 0 0 A",
            "raid1 2 Aa 1048576/1048576 idle - 0 A",
        );
    }

    #[test]
    fn thin_keeps_mode_and_flags() {
        check(
            "thin-pool",
            "9 37/4096 1200/16384 - rw discard_passdown queue_if_no_space - 1024 ",
            "- -/4096 -/16384 - rw discard_passdown queue_if_no_space - 1024",
        );
        check(
            "thin-pool",
            "0 1/2 3/4 17 out_of_data_space no_discard_passdown error_if_no_space needs_check 1024",
            "- -/2 -/4 - out_of_data_space no_discard_passdown error_if_no_space needs_check 1024",
        );
        check("thin-pool", "Fail", "Fail");
        check("thin", "8192 16383", "- -");
        check("thin", "0 -", "- -");
        check("thin", "Fail", "Fail");
    }

    #[test]
    fn thin_in_use_is_what_the_other_text_leaves_out() {
        let pool = "9 37/4096 1200/16384 - rw discard_passdown queue_if_no_space - 1024 ";
        assert_eq!(
            InUse::parse("thin-pool", pool),
            Some(InUse::PoolBlocks(1200))
        );
        assert_eq!(
            InUse::parse("thin", "8192 16383"),
            Some(InUse::MappedSectors(8192))
        );
        for (target, params) in [
            ("thin", "Fail"),
            ("thin-pool", "Fail"),
            ("thin-pool", "Error"),
            ("thin", ""),
            ("linear", "1 2/3 4/5"),
        ] {
            assert_eq!(InUse::parse(target, params), None, "{target} {params}");
        }
    }

    #[test]
    fn snapshots_keep_their_validity() {
        check("snapshot", "1024/409600 16", "-/409600 -");
        check("snapshot", "Invalid", "Invalid");
        check("snapshot-merge", "Merge failed", "Merge failed");
        check("snapshot", "Overflow", "Overflow");
    }

    #[test]
    fn caches_keep_mode_features_and_settings() {
        check(
            "cache",
            "8 27/4096 128 3/8192 1 2 3 4 5 6 7 1 writeback 2 migration_threshold 2048 smq 0 rw - ",
            "8 -/4096 128 -/8192 - - - - - - - 1 writeback 2 migration_threshold 2048 smq 0 rw -",
        );
        check("cache", "Fail", "Fail");
        check("writecache", "0 262144 262000 0", "0 262144 - -");
        check(
            "writecache",
            "-5 10 9 0 1 2 3 4 5 6 7 8 9 10",
            "-5 10 - - - - - - - - - - - -",
        );
    }

    #[test]
    fn the_others_keep_what_is_a_state() {
        check("integrity", "0 2048000 -", "- 2048000 -");
        check("integrity", "3 2048000 65536", "- 2048000 recalculating");
        check("verity", "V", "V");
        check("verity", "C 12", "C -");
        check("era", "8 21/512 7 -", "8 -/512 - -");
        check(
            "clone",
            "8 18/1024 8 100/4096 1 1 no_discard_passdown 4 hydration_threshold 1 \
             hydration_batch_size 1 rw",
            "8 -/1024 8 -/4096 - 1 no_discard_passdown 4 hydration_threshold 1 \
             hydration_batch_size 1 rw",
        );
        check("delay", "12 0 3", "- - -");
        check(
            "log-writes",
            "77 8192 logging_disabled",
            "- - logging_disabled",
        );
        check(
            "zoned",
            "100 zones 3/10 cache 4/20 random 5/70 sequential",
            "100 zones -/10 cache -/20 random -/70 sequential",
        );
        check(
            "vdo",
            "/dev/sdb normal - online online 1056 262144",
            "/dev/sdb normal - online online - 262144",
        );
    }

    #[test]
    fn an_unknown_target_loses_every_number() {
        check("pcache", "3 10/20 4:4096 ok 7% a1", "- -/- -:- ok -% a1");
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_it_panic(
            target in "multipath|mirror|raid|cache|thin-pool|clone|zoned|novel",
            params in "([0-9]{1,20}|[0-9]/[0-9]|[AF]|8:16|-){0,1}( ([0-9]{1,3}|[0-9]/[0-9]|A|-)){0,20}",
        ) {
            let once = without_counters(&target, &params);
            let words = |text: &str| text.split_ascii_whitespace().count();
            proptest::prop_assert_eq!(words(&once), words(&params));
        }
    }
}
