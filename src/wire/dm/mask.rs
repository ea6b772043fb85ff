//! Keys are hidden here, before a table line is kept anywhere.
//!
//! Safe by default: what is known to be a key is hidden by its place, and of everything else, in
//! every target that is not known to print public hashes, a word of 32 hex digits or more.

/// Hex digits from which on a word is taken for a key where its place does not tell.
const LONG_HEX: usize = 32;

/// A table line's text with every key replaced by what may be said of it.
///
/// Words stay where they are, so that the line still reads as a table: a raw key becomes
/// `<hidden-64-hex-digits>`, `:64:logon:name` becomes `:64:logon:<hidden-description>`. Words are
/// separated by one space. Masking twice changes nothing more.
pub fn mask(target: &str, params: &str) -> String {
    let words: Vec<&str> = params.split_ascii_whitespace().collect();
    mask_words(target, &words).join(" ")
}

/// [`mask`] for a text that is split already.
pub(super) fn mask_words<S: AsRef<str>>(target: &str, words: &[S]) -> Vec<String> {
    let place = |index: usize, word: &str| match target {
        // <cipher> <key> ... (drivers/md/dm-crypt.c, dm-inlinecrypt.c, Android's dm-default-key.c)
        _ if index == 1 && encrypts(target) => hide_key(word),
        "integrity" => hide_hash_key(word),
        // The root digest and the salt are public: they are on the kernel's command line.
        "verity" if index == 8 || index == 9 => word.to_owned(),
        _ => hide_long_hex(word),
    };
    words
        .iter()
        .enumerate()
        .map(|(index, word)| place(index, word.as_ref()))
        .collect()
}

/// Whether a target takes a key as its second word. Types this program has never heard of count
/// by their name.
fn encrypts(target: &str) -> bool {
    target.contains("crypt") || target.ends_with("-key")
}

fn hide_key(word: &str) -> String {
    if word == "-" || is_hidden(word) {
        return word.to_owned();
    }
    let mut parts = word.splitn(4, ':');
    if let (Some(""), Some(size), Some(kind), Some(_)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
        && is_number(size)
        && matches!(kind, "logon" | "user" | "encrypted" | "trusted")
    {
        return format!(":{size}:{kind}:<hidden-description>");
    }
    hidden(word)
}

/// `internal_hash:<algorithm>[:<key>]`, `journal_crypt:…`, `journal_mac:…`
/// (drivers/md/dm-integrity.c, `get_alg_and_key`).
fn hide_hash_key(word: &str) -> String {
    let mut parts = word.splitn(3, ':');
    if let (Some(option), Some(algorithm), Some(key)) = (parts.next(), parts.next(), parts.next())
        && matches!(option, "internal_hash" | "journal_crypt" | "journal_mac")
    {
        let key = if is_hidden(key) {
            key.to_owned()
        } else {
            hidden(key)
        };
        return format!("{option}:{}:{key}", hide_long_hex(algorithm));
    }
    hide_long_hex(word)
}

/// Hides each run of hex digits that is long enough to be a key. A path keeps them: there they
/// are a name (`/dev/disk/by-id/wwn-0x…`).
fn hide_long_hex(word: &str) -> String {
    let path = if word.starts_with('/') {
        Some(0)
    } else {
        word.find(":/").map(|colon| colon + 1)
    };
    let (mut rest, path) = word.split_at(path.unwrap_or(word.len()));
    let mut shown = String::with_capacity(word.len());
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        let (run, after) = rest.split_at(digits);
        if digits >= LONG_HEX {
            shown.push_str(&hidden(run));
        } else {
            shown.push_str(run);
        }
        let mut characters = after.chars();
        shown.extend(characters.next());
        rest = characters.as_str();
    }
    shown + path
}

fn hidden(secret: &str) -> String {
    let what = if secret.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        "hex-digits"
    } else {
        "characters"
    };
    format!("<hidden-{}-{what}>", secret.chars().count())
}

fn is_hidden(word: &str) -> bool {
    word.strip_prefix("<hidden-")
        .and_then(|rest| {
            rest.strip_suffix("-hex-digits>")
                .or(rest.strip_suffix("-characters>"))
        })
        .is_some_and(is_number)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.len() <= 10 && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    #[test]
    fn a_raw_key_is_hidden_and_its_length_kept() {
        for target in ["crypt", "inlinecrypt", "default-key", "my-crypt"] {
            assert_eq!(
                mask(
                    target,
                    &format!("aes-xts-plain64 {KEY} 0 8:16 4096 1 allow_discards")
                ),
                "aes-xts-plain64 <hidden-64-hex-digits> 0 8:16 4096 1 allow_discards"
            );
        }
        // A short key, a key that is no hex, no key at all.
        assert_eq!(mask("crypt", "des 0123456789abcdef 0 8:16 0"), {
            "des <hidden-16-hex-digits> 0 8:16 0"
        });
        assert_eq!(
            mask("crypt", "aes :secret 0"),
            "aes <hidden-7-characters> 0"
        );
        assert_eq!(
            mask("crypt", "cipher_null-ecb - 0 8:16 0"),
            "cipher_null-ecb - 0 8:16 0"
        );
    }

    #[test]
    fn a_key_in_the_keyring_keeps_size_and_type() {
        assert_eq!(
            mask(
                "crypt",
                "aes-xts-plain64 :64:logon:cryptsetup:uuid-d0 0 8:16 32768"
            ),
            "aes-xts-plain64 :64:logon:<hidden-description> 0 8:16 32768"
        );
        // Not that form, although it looks like it.
        assert_eq!(
            mask("crypt", "aes :64:other:abc 0 8:16 0"),
            "aes <hidden-13-characters> 0 8:16 0"
        );
    }

    #[test]
    fn integrity_keys_are_hidden_at_any_length() {
        assert_eq!(
            mask(
                "integrity",
                "8:16 0 32 J 4 internal_hash:hmac(sha256):aabb journal_crypt:ctr(aes):00112233 \
                 journal_mac:hmac(sha256) meta_device:8:32"
            ),
            "8:16 0 32 J 4 internal_hash:hmac(sha256):<hidden-4-hex-digits> \
             journal_crypt:ctr(aes):<hidden-8-hex-digits> journal_mac:hmac(sha256) \
             meta_device:8:32"
        );
    }

    #[test]
    fn verity_digests_are_public() {
        let line = format!("1 8:16 8:32 4096 4096 262144 1 sha256 {KEY} {KEY}");
        assert_eq!(mask("verity", &line), line);
        let odd = mask("verity", &format!("{line} 1 {KEY}"));
        assert_eq!(odd, format!("{line} 1 <hidden-64-hex-digits>"));
    }

    #[test]
    fn long_hex_is_hidden_where_nobody_expects_it() {
        assert_eq!(
            mask("novel", &format!("8:16 x:{KEY}:y")),
            "8:16 x:<hidden-64-hex-digits>:y"
        );
        assert_eq!(
            mask("linear", &format!("{KEY} 0")),
            "<hidden-64-hex-digits> 0"
        );
        // A cipher and a key in each other's place.
        assert_eq!(
            mask("crypt", &format!("{KEY} aes 0 8:16 0")),
            "<hidden-64-hex-digits> <hidden-3-characters> 0 8:16 0"
        );
    }

    #[test]
    fn names_of_devices_are_no_keys() {
        let path = "/dev/disk/by-id/wwn-0x6000c29000112233445566778899aabbcc 0";
        assert_eq!(mask("linear", path), path);
        let meta = "8:16 0 - J 1 meta_device:/dev/mapper/00112233445566778899aabbccddeeff";
        assert_eq!(mask("integrity", meta), meta);
    }

    proptest::proptest! {
        #[test]
        fn masking_is_idempotent_and_never_panics(target in "crypt|integrity|verity|linear|x",
                                                  params in "[ -~é]{0,120}") {
            let once = mask(&target, &params);
            proptest::prop_assert_eq!(mask(&target, &once), once);
        }

        #[test]
        fn a_key_never_survives(before in "[a-z0-9:-]{0,9}", key in "[0-9a-f]{32,128}",
                                target in "crypt|inlinecrypt|integrity|thin|novel") {
            let shown = mask(&target, &format!("aes {before}{key} 0 8:16 0"));
            proptest::prop_assert!(!shown.contains(&key), "{shown}");
            let shown = mask(&target, &format!("{key} {before} 0 8:16 0 1 key:{key}"));
            proptest::prop_assert!(!shown.contains(&key), "{shown}");
        }
    }
}
