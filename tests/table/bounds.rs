//! A file has no more than a table can have: lines end, and its table fits into the memory of the job.

use super::*;
use passel::memory::{MemoryBound, MemoryBudget};

/// The formats of text.
const TEXTS: [&str; 6] = ["csv", "tsv", "txt", "dat", "arff", "libsvm"];

/// So many times 16 MiB of one byte, of which a compressed file needs some KiB.
fn packed(start: &str, byte: u8, times: usize) -> Vec<u8> {
    let part = gzip(&vec![byte; 1 << 24]);
    [gzip(start.as_bytes()), part.repeat(times)].concat()
}

/// Reads a file with so many bytes of memory; what was read or the message, and the most held.
fn read_within(path: &Path, limit: u64) -> (Result<Table, TableError>, u64) {
    let budget = MemoryBudget::default().part(MemoryBound::Job, Some(limit));
    let charge = budget.charge();
    let options = ReadOptions {
        memory: Some(&charge),
        ..ReadOptions::default()
    };
    let table = read(path, &options);
    drop(charge);
    assert_eq!(budget.held(), 0);
    assert!(budget.peak() <= limit);
    (table, budget.peak())
}

#[test]
fn zeros_are_no_text_and_cost_nothing() {
    let folder = Folder::new();
    for ending in TEXTS {
        // Two gibibytes.
        let path = folder.write(&format!("t.{ending}.gz"), packed("", 0, 128));
        let (table, peak) = read_within(&path, 1 << 30);
        let told = table.expect_err(ending).to_string();
        assert!(told.contains("line 1: "), "{told}");
        assert!(told.contains(" 0") && told.contains("again"), "{told}");
        assert!(peak < 1 << 22, "{ending}: {peak}");
    }
}

#[test]
fn a_line_that_does_not_end_is_told_with_its_number() {
    let folder = Folder::new();
    for (ending, start, line) in [
        ("csv", "", 1),
        ("csv", "y,a\n1,2\n3,", 3),
        ("csv", "y,a\n1,2\n3,\"", 3),
        ("csv", "y,a\n1,2\n1,2\n1,2\n3,", 5),
        ("txt", "", 1),
        ("dat", "", 1),
        ("dat", "name\n2 1\n* 1\n1 ", 4),
        ("arff", "", 1),
        ("libsvm", "1 1:1\n2 1:", 2),
        ("csv", "# passel truth ", 1),
    ] {
        let path = folder.write(&format!("t.{ending}.gz"), packed(start, b'7', 40));
        let (table, _) = read_within(&path, 4 << 30);
        let told = table.expect_err(start).to_string();
        assert!(
            told.contains(&format!("line {line}: ")),
            "{ending} {start:?}: {told}"
        );
        assert!(told.contains(" MiB") && told.contains("again"), "{told}");
        // Where memory ends first, that is what is told.
        let (table, _) = read_within(&path, 1 << 25);
        let told = table.expect_err(start).to_string();
        assert!(
            told.contains("memory") || told.contains("head line"),
            "{told}"
        );
    }
}

#[test]
fn blank_lines_do_not_go_on_for_ever() {
    let folder = Folder::new();
    for (ending, start) in [
        ("csv", "y,a\n1,2\n"),
        ("dat", "name\n2 1\n* 1\n1 2\n"),
        ("arff", "@relation r\n"),
        ("libsvm", "1 1:1\n"),
    ] {
        let path = folder.write(&format!("t.{ending}.gz"), packed(start, b'\n', 40));
        let (table, peak) = read_within(&path, 1 << 26);
        let told = table.expect_err(start).to_string();
        assert!(
            told.contains("blank lines") && told.contains("line "),
            "{ending}: {told}"
        );
        assert!(peak < 1 << 26);
    }
}

#[test]
fn a_table_that_does_not_fit_is_an_error_of_its_file_in_every_format() {
    let folder = Folder::new();
    let (n, p) = (400, 300);
    let row = |sep: &str| {
        (0..p)
            .map(|j| (j % 7).to_string())
            .collect::<Vec<_>>()
            .join(sep)
    };
    let names: Vec<String> = (0..p).map(|j| format!("v{j}")).collect();
    let csv = names.join(",") + "\n" + &(row(",") + "\n").repeat(n);
    let quoted = csv.replacen("\n0,", "\n\"0\",", 1);
    let texts = csv.replace("6,", "text,");
    let marks = "0 ".repeat(p - 1);
    let dat = format!("s\n{n} {}\n* {marks}\n", p - 1) + &(row(" ") + "\n").repeat(n);
    let attribute = |name: &String| format!("@attribute {name} numeric\n");
    let arff = names.iter().map(attribute).collect::<String>() + "@data\n";
    let arff = format!("@relation r\n{arff}") + &(row(",") + "\n").repeat(n);
    let entries: String = (1..p).map(|j| format!(" {j}:1")).collect();
    let libsvm = format!("1{entries}\n").repeat(n);
    let sizes = [(n as u32).to_le_bytes(), (p as u32).to_le_bytes()].concat();
    let mrmr = [sizes, vec![1; n * p]].concat();
    let bed = [vec![0x6c, 0x1b, 0x01], vec![0; n / 4 * p]].concat();
    folder.write("t.fam", "f s 0 0 1 2\n".repeat(n));
    let variant = |j| format!("1 rs{j} 0 {j} A G\n");
    folder.write("t.bim", (0..p).map(variant).collect::<String>());
    let npy = {
        let mut bytes = Vec::new();
        passel::table::write_matrix(&vec![1.5; p * p], p, &mut bytes).expect("memory takes all");
        bytes
    };
    for (name, content) in [
        ("t.csv", csv.clone().into_bytes()),
        ("t.csv.gz", gzip(csv.as_bytes())),
        ("q.csv", quoted.into_bytes()),
        ("f.csv", texts.into_bytes()),
        ("t.dat", dat.into_bytes()),
        ("t.arff", arff.into_bytes()),
        ("t.libsvm", libsvm.into_bytes()),
        ("t.mrmr", mrmr),
        ("t.bed", bed),
        ("t.npy", npy),
    ] {
        let path = folder.write(name, content);
        let (table, peak) = read_within(&path, u64::MAX);
        let table = table.expect(name);
        // Growing columns may take twice what they hold, and their names and places as much again where
        // columns are short; less than the table is never charged.
        let bytes = table.bytes();
        assert!(
            (bytes * 9 / 10..4 * bytes + (1 << 20)).contains(&peak),
            "{name}: {peak} {bytes}"
        );
        for part in [1, 3, 7] {
            let limit = bytes * part / 8;
            let (table, _) = read_within(&path, limit);
            let Err(error @ TableError::Memory { .. }) = table else {
                panic!("{name}: {table:?} in {limit} bytes");
            };
            let told = error.to_string();
            assert!(told.contains("/t.") || told.contains(name), "{told}");
            assert!(told.contains("--memory-limit"), "{told}");
        }
        assert!(read_within(&path, peak).0.is_ok(), "{name}");
    }
}
