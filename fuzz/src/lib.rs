//! What must hold for every input whatever it is: no panic, memory within a rule of its size,
//! and a table that keeps its promises. Through passel's public API; a format that is read from one
//! file needs no function of its own.
//!
//! The fuzz program checks inputs that libFuzzer makes, `tests/fuzz_seeds.rs` those in `seeds/`.

mod follow;
mod memory;
mod read;

use std::io::{Read, Write};

use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use passel::{
    binning::{Binning, SavedBinning},
    job,
    table::{Column, MISSING, MISSING_BYTE, Table, Values},
};

use memory::peak_of;
use read::{CONSTANT, Folder, Input, PER_BYTE};

/// The targets, each also the name of its folder in `seeds/`: the endings of the formats, and what
/// has no ending of its own.
pub fn targets() -> impl Iterator<Item = &'static str> {
    // Other targets make files of these too; Parquet may be left out of the program.
    let left_out = |ending: &str| match ending {
        "parquet" => !cfg!(feature = "parquet"),
        ending => ["tsv", "txt", "svm"].contains(&ending),
    };
    let endings = passel::table::extensions().filter(move |ending| !left_out(ending));
    endings.chain(["csv_gz", "edges", "job_file"])
}

/// Checks an input as a file of the target's ending, or as the target's own function does.
pub fn check(target: &str, data: &[u8]) {
    match target {
        "csv" => csv(data),
        "csv_gz" => csv_gz(data),
        "npy" => npy(data),
        "arff" => arff(data),
        "bed" => genotypes(data, ["d.fam", "d.bim", "d.bed"]),
        "pgen" => genotypes(data, ["d.psam", "d.pvar", "d.pgen"]),
        #[cfg(feature = "parquet")]
        "parquet" => parquet(data),
        "edges" => edges(data),
        "job_file" => job_file(data),
        ending => Input::plain(data).check(&format!("d.{ending}")),
    }
}

/// Most bytes a compressed input may inflate to, most cells another may stand for: memory goes
/// by these, so nothing is learnt from more.
const LARGEST: usize = 1 << 20;

/// Delimited text, also as `.txt`; with tabs also as `.tsv`.
fn csv(data: &[u8]) {
    Input::plain(data).check("d.csv");
    Input::plain(data).check("d.txt");
    if data.contains(&b'\t') {
        Input::plain(data).check("d.tsv");
    }
}

/// A gzip file of delimited text. What counts is its content: tables of few values shrink to a
/// thousandth, so a small file may rightly become a large table.
fn csv_gz(data: &[u8]) {
    let mut content = MultiGzDecoder::new(data).take(LARGEST as u64);
    let mut part = [0; 1 << 12];
    let mut inflated = 0;
    while let Ok(read @ 1..) = content.read(&mut part) {
        inflated += read;
    }
    if inflated < LARGEST {
        let folder = Folder::new();
        folder.write("d.csv.gz", data);
        let bytes = inflated + data.len();
        Input::new(&folder, bytes).check_file("d.csv.gz").ok();
    }
}

/// An array; where the magic number comes again it is the response's.
fn npy(data: &[u8]) {
    let magic = b"\x93NUMPY";
    let again = data
        .windows(magic.len())
        .skip(1)
        .position(|window| window == magic);
    let (design, response) = data.split_at(again.map_or(data.len(), |at| at + 1));
    let folder = Folder::new();
    folder.write("d.npy", design);
    folder.write("d.npy.gz", &gzip(design));
    let path = folder.write("y.npy", response);
    for response in [None, again.map(|_| &*path)] {
        let mut input = Input::new(&folder, data.len());
        input.response = response;
        input.check_same("d.npy", "d.npy.gz");
    }
}

/// A file of Weka. A sparse row stands for a value of every attribute, so these count beside the
/// bytes.
fn arff(data: &[u8]) {
    let lines = data.split(|byte| *byte == b'\n');
    let attribute = |line: &&[u8]| {
        let line = line.to_ascii_lowercase();
        line.windows(10).any(|word| word == b"@attribute")
    };
    let cells = lines.clone().filter(attribute).count() * lines.count();
    if cells < LARGEST {
        let mut input = Input::plain(data);
        input.cells = cells;
        input.check("d.arff");
    }
}

/// The files of people, of variants and of genotypes, the first two ended by `%%` and a line's end. A record of a `.pgen` may
/// stand for the genotypes of all people in no byte, so these count beside the bytes.
fn genotypes(data: &[u8], names: [&str; 3]) {
    let folder = Folder::new();
    let (mut rest, mut cells) = (data, 1);
    for name in &names[..2] {
        let mark = b"%%\n";
        let end = rest.windows(mark.len()).position(|window| window == mark);
        let end = end.unwrap_or(rest.len());
        folder.write(name, &rest[..end]);
        cells *= rest[..end].split(|byte| *byte == b'\n').count();
        rest = &rest[(end + mark.len()).min(rest.len())..];
    }
    folder.write(names[2], rest);
    if cells < LARGEST {
        let mut input = Input::new(&folder, data.len());
        input.cells = cells;
        input.check_file(names[2]).ok();
    }
}

/// A Parquet file. Runs of one value take no room in it, so the cells that its footer promises
/// count beside the bytes; and a page may claim up to 2 GiB, which the crate takes, for one page
/// at a time, before it looks.
#[cfg(feature = "parquet")]
fn parquet(data: &[u8]) {
    let folder = Folder::new();
    let cells = read::promised_cells(&folder.write("d.parquet", data));
    if cells < LARGEST {
        let mut input = Input::new(&folder, data.len());
        input.cells = cells;
        input.claims = 1 << 31;
        input.check_file("d.parquet").ok();
    }
}

/// The rules of an earlier report, applied to columns of every kind.
fn edges(data: &[u8]) {
    let folder = Folder::new();
    let rules = Binning::Edges(folder.write("r.json", data).into());
    let table = table_of_all_kinds();
    let ((), peak) = peak_of(|| {
        if let Ok(saved) = serde_json::from_slice::<SavedBinning>(data) {
            // What was read is written and read as the same.
            let text = serde_json::to_string(&saved).expect("rules are plain JSON");
            let again: SavedBinning = serde_json::from_str(&text).expect("our own JSON");
            assert_eq!(saved, again);
        }
        follow::bin_by(&table, &rules);
    });
    read::within(peak, CONSTANT + PER_BYTE * data.len());
}

/// A job file. Every job has the defaults for itself, so there are as many of them; lists make
/// jobs, at most [`JOBS`], of which a few words are known each.
fn job_file(data: &[u8]) {
    let folder = Folder::new();
    let path = folder.write("jobs.toml", data);
    let (grid, peak) = peak_of(|| match job::file::read(path.as_ref()) {
        Ok(file) => {
            file.jobs.iter().for_each(|job| drop(format!("{job:?}")));
            file.jobs.len()
        }
        Err(error) => {
            drop(format!("{error} {}", error.render(false)));
            JOBS
        }
    });
    let jobs = data.windows(3).filter(|word| word == b"job").count();
    let written = PER_BYTE * data.len() * (jobs + 1);
    read::within(peak, CONSTANT + written + PER_JOB * grid);
}

/// As many jobs as a file may make, and bytes of each.
const JOBS: usize = 100_000;
const PER_JOB: usize = 8 << 10;

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// Columns that the rules of `seeds/edges` are for.
fn table_of_all_kinds() -> Table {
    let column = |name: &str, values| Column {
        name: name.to_owned(),
        values,
    };
    let numbers = vec![0.5, f64::NAN, -1.0, 2.5, 1e300, 0.5];
    let rows = vec![1, 4];
    let entries = vec![2.0, f64::NAN];
    Table {
        source: "d".to_owned(),
        columns: vec![
            column("y", Values::Bytes(vec![0, 1, 0, 1, 2, 1])),
            column("a", Values::from(numbers)),
            column(
                "b",
                Values::Sparse {
                    rows,
                    values: entries,
                },
            ),
            column("c", Values::Gapped(vec![0, MISSING_BYTE, 2, 1, 0, 0])),
            column(
                "d",
                Values::Factor {
                    levels: vec!["u".to_owned(), "v".to_owned()],
                    codes: vec![0, 1, MISSING, 0, 1, 1],
                },
            ),
        ],
        rows: 6,
        response: Some(0),
        truth: Vec::new(),
        ..Table::default()
    }
}
