//! How long the renderers take:
//! `cargo test --release -p zinspect-exporters --test speed -- --ignored --nocapture`

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use zinspect_exporters::{
    Cell, Family, Field, Sample, Streamed, TableOptions, Tone, Tree, TreeNode, Unit, write_csv,
    write_json, write_prometheus, write_table, write_tree,
};

const ROWS: u64 = 3000;

const fn text(key: &'static str, get: fn(&u64) -> Cell) -> Field<u64> {
    Field {
        key,
        header: key,
        help: "",
        unit: Unit::None,
        tone: Some(|_| Tone::Good),
        get,
    }
}

const fn number(key: &'static str, get: fn(&u64) -> Cell) -> Field<u64> {
    Field {
        key,
        header: key,
        help: "",
        unit: Unit::Bytes,
        tone: None,
        get,
    }
}

static FIELDS: [Field<u64>; 10] = [
    text("name", |n| Cell::from(format!("thing{n}"))),
    text("kind", |n| {
        Cell::from(if n % 2 == 0 { "one" } else { "another" })
    }),
    number("limit", |n| Cell::Bytes(n * 512)),
    number("largest", |_| Cell::Bytes(4_294_966_784)),
    number("count", |n| Cell::UInt(*n)),
    number("zero", |_| Cell::Missing("absent")),
    text("flag", |n| Cell::Bool(n % 3 == 0)),
    text("list", |n| {
        Cell::List(vec![format!("a{n}"), format!("b{n}")])
    }),
    text("none", |_| Cell::Missing("")),
    text("note", |n| {
        Cell::from(format!("as number {n} says itself, in some more words"))
    }),
];

fn best(what: &str, mut run: impl FnMut() -> io::Result<()>) {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..21 {
        let begun = Instant::now();
        run().expect("a sink takes everything");
        times.push(begun.elapsed());
    }
    times.sort();
    let line = format!(
        "{what:<28} median {:>9.3?}  best {:>9.3?}\n",
        times[10], times[0]
    );
    io::stdout()
        .write_all(line.as_bytes())
        .expect("figures are shown");
}

/// Every tenth row stands above the nine after it.
fn tree(rows: &[u64]) -> Tree {
    let children = |n: u64| {
        if n.is_multiple_of(10) {
            n + 1..n + 10
        } else {
            n..n
        }
    };
    let node = |&n: &u64| TreeNode {
        cells: FIELDS.iter().map(|field| (field.get)(&n)).collect(),
        tone: Tone::Plain,
        children: children(n)
            .filter_map(|child| usize::try_from(child).ok())
            .collect(),
    };
    Tree {
        headers: FIELDS.iter().map(|field| field.header).collect(),
        nodes: rows.iter().map(node).collect(),
        roots: (0..rows.len()).step_by(10).collect(),
    }
}

#[test]
#[ignore = "measures, asserts nothing"]
fn figures() {
    let fields: Vec<_> = FIELDS.iter().collect();
    let rows: Vec<u64> = (0..ROWS).collect();
    let plain = TableOptions::default();
    let narrow = TableOptions {
        width: Some(100),
        ..plain
    };
    let colored = TableOptions {
        color: true,
        ..narrow
    };
    let sink = &mut io::sink();

    best("cells to text, no layout", || {
        let cells = rows
            .iter()
            .flat_map(|row| fields.iter().map(|field| (field.get)(row)));
        cells.for_each(|cell| drop(std::hint::black_box(cell.to_text(plain.bytes))));
        Ok(())
    });
    best("table", || write_table(sink, &fields, &rows, &plain));
    best("table, width 100", || {
        write_table(sink, &fields, &rows, &narrow)
    });
    best("table, width 100, colour", || {
        write_table(sink, &fields, &rows, &colored)
    });
    best("csv", || {
        write_csv(sink, &fields, rows.iter().copied(), true)
    });
    best("json, streamed", || {
        write_json(sink, &Streamed::new(&rows), true)
    });

    let tree = tree(&rows);
    best("tree, width 100", || {
        write_tree(sink, &tree, &narrow, false)
    });

    let sample = |n: &u64| Sample {
        labels: vec![("name", format!("thing{n}"))],
        value: f64::from(7),
    };
    let family = |name| Family {
        name,
        help: "",
        samples: rows.iter().map(sample).collect(),
    };
    let families = ["a_bytes", "b_bytes", "c_bytes", "d_bytes", "e_bytes"].map(family);
    best("prometheus, 15,000 samples", || {
        write_prometheus(sink, &families).map_err(io::Error::other)
    });
}
