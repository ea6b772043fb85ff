//! What holds of every renderer, whatever it is given.

use proptest::prelude::*;
use zinspect_exporters::{
    Block, ByteStyle, Cell, Field, Page, TableOptions, Tone, Tree, TreeNode, Unit, write_csv,
    write_json, write_page, write_table, write_tree,
};

type Record = [Cell; 3];

static FIELDS: [Field<Record>; 3] = [
    Field {
        key: "a",
        header: "A",
        help: "",
        unit: Unit::None,
        tone: None,
        get: |r| r[0].clone(),
    },
    Field {
        key: "b",
        header: "B",
        help: "",
        unit: Unit::Count,
        tone: None,
        get: |r| r[1].clone(),
    },
    Field {
        key: "c",
        header: "C\u{202e}\x1b",
        help: "",
        unit: Unit::None,
        tone: Some(|_| Tone::Bad),
        get: |r| r[2].clone(),
    },
];

fn hostile() -> impl Strategy<Value = String> {
    let sign = prop_oneof![
        4 => any::<char>(),
        4 => prop::char::range(' ', '~'),
        2 => prop::char::range('\0', '\u{9f}'),
        1 => prop::char::range('\u{2000}', '\u{206f}'),
        1 => prop::char::range('\u{fe00}', '\u{fe0f}'),
        1 => prop::char::range('\u{1f300}', '\u{1f6ff}'),
        1 => Just('盘'),
    ];
    prop::collection::vec(sign, 0..40).prop_map(|signs| signs.into_iter().collect())
}

fn cell() -> impl Strategy<Value = Cell> {
    prop_oneof![
        prop::sample::select(vec!["", "absent", "de\x1bnied\n"]).prop_map(Cell::Missing),
        hostile().prop_map(Cell::from),
        any::<u64>().prop_map(Cell::UInt),
        any::<u64>().prop_map(Cell::Bytes),
        any::<bool>().prop_map(Cell::Bool),
        prop::collection::vec(hostile(), 0..4).prop_map(Cell::List),
    ]
}

fn tone() -> impl Strategy<Value = Tone> {
    prop::sample::select(vec![
        Tone::Plain,
        Tone::Good,
        Tone::Fair,
        Tone::Bad,
        Tone::Dim,
    ])
}

fn options() -> impl Strategy<Value = TableOptions> {
    (
        prop::option::of(0usize..150),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(width, plain, color, headings)| TableOptions {
            width,
            bytes: if plain {
                ByteStyle::Plain
            } else {
                ByteStyle::People
            },
            color,
            headings,
        })
}

fn tree() -> impl Strategy<Value = Tree> {
    let node = (
        prop::collection::vec(cell(), 0..4),
        tone(),
        prop::collection::vec(0usize..14, 0..4),
    )
        .prop_map(|(cells, tone, children)| TreeNode {
            cells,
            tone,
            children,
        });
    (
        prop::collection::vec(node, 0..12),
        prop::collection::vec(0usize..14, 0..4),
    )
        .prop_map(|(nodes, roots)| Tree {
            headers: vec!["NAME", "B\n", "C"],
            nodes,
            roots,
        })
}

fn page() -> impl Strategy<Value = Page> {
    let bullet = prop::option::of(prop::sample::select(vec!["-", "•", "\x1b"]));
    let block = prop_oneof![
        hostile().prop_map(Block::Heading),
        (any::<u8>(), tone(), bullet, hostile()).prop_map(|(depth, tone, bullet, text)| {
            Block::Item {
                depth,
                tone,
                bullet,
                text,
            }
        }),
        (hostile(), cell(), prop::option::of(hostile()))
            .prop_map(|(label, value, note)| Block::Pair { label, value, note }),
        (
            hostile(),
            prop::collection::vec(0u8..3, 0..70),
            any::<usize>()
        )
            .prop_map(|(label, bytes, offset)| Block::Hex {
                label,
                bytes,
                offset
            }),
    ];
    (hostile(), tone(), prop::collection::vec(block, 0..8)).prop_map(|(title, tone, blocks)| Page {
        title,
        tone,
        blocks,
    })
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("a Vec takes everything");
    String::from_utf8(out).expect("renderers write UTF-8")
}

/// The text without the styles that the renderers themselves write.
fn without_styles(text: &str) -> String {
    [
        "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m",
    ]
    .iter()
    .fold(text.to_owned(), |text, style| text.replace(style, ""))
}

fn check(text: &str) -> Result<(), TestCaseError> {
    for c in text.chars().filter(|&c| c != '\n') {
        let bidi = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        prop_assert!(!c.is_control() && !bidi, "{c:?} in {text:?}");
    }
    prop_assert!(text.is_empty() || text.ends_with('\n'));
    prop_assert!(text.lines().all(|line| !line.ends_with(' ')), "{text:?}");
    Ok(())
}

fn plain(options: TableOptions) -> TableOptions {
    TableOptions {
        color: false,
        ..options
    }
}

fn columns(text: &str) -> usize {
    text.lines()
        .map(unicode_width::UnicodeWidthStr::width)
        .max()
        .unwrap_or(0)
}

proptest! {
    #[test]
    fn tables(rows in prop::collection::vec([cell(), cell(), cell()], 0..8), options in options()) {
        let fields: Vec<_> = FIELDS.iter().collect();
        let text = written(|out| write_table(out, &fields, &rows, &plain(options)));
        check(&text)?;
        prop_assert_eq!(text.lines().count(), rows.len() + usize::from(options.headings));
        let colored = written(|out| write_table(out, &fields, &rows, &options));
        prop_assert_eq!(without_styles(&colored), text);
        let csv = written(|out| write_csv(out, &fields, rows.into_iter(), true));
        for c in csv.chars() {
            prop_assert!(c == '\n' || !c.is_control());
        }
    }

    #[test]
    fn tables_of_text_keep_to_the_width(
        rows in prop::collection::vec([hostile(), hostile()], 1..8),
        width in 40usize..150,
    ) {
        let rows: Vec<Record> =
            rows.into_iter().map(|[a, c]| [a.into(), Cell::UInt(7), c.into()]).collect();
        let options = TableOptions { width: Some(width), ..TableOptions::default() };
        let fields: Vec<_> = FIELDS.iter().collect();
        let text = written(|out| write_table(out, &fields, &rows, &options));
        prop_assert!(columns(&text) <= width, "{}", text);
    }

    #[test]
    fn trees(tree in tree(), options in options(), ascii in any::<bool>()) {
        let text = written(|out| write_tree(out, &tree, &plain(options), ascii));
        check(&text)?;
        let colored = written(|out| write_tree(out, &tree, &options, ascii));
        prop_assert_eq!(without_styles(&colored), text);
    }

    #[test]
    fn pages(page in page(), options in options()) {
        let text = written(|out| write_page(out, &page, &plain(options)));
        check(&text)?;
        if let Some(width) = options.width.filter(|&width| width >= 50) {
            prop_assert!(columns(&text) <= width, "{}", text);
        }
        let colored = written(|out| write_page(out, &page, &options));
        prop_assert_eq!(without_styles(&colored), text);
    }

    #[test]
    fn json(text in hostile()) {
        let json = written(|out| write_json(out, &text, true));
        check(&json)?;
        prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
