//! Memory is a limit of one job: it is met with an error, foreseen by estimates, and never ends a run.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::{self, Read as _},
};

use flate2::{Compression, read::GzEncoder};

use crate::support::{Folder, ran};

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = GzEncoder::new(content, Compression::fast());
    let read: io::Result<usize> = encoder.read_to_end(&mut packed);
    read.unwrap();
    packed
}

/// Numbers in no order.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % below
    }
}

/// An array of NumPy of f64, row by row.
fn npy(shape: &str, numbers: impl Iterator<Item = f64>) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers.flat_map(f64::to_le_bytes));
    bytes
}

/// Writes genotypes of n people at p places as `d.bed`, and factors of five levels as `texts.csv` and
/// `texts.arff`, beside what [`write_formats`] writes, to which `d.npy` and `y.npy` come too.
fn write_all_formats(folder: &Folder, n: usize, p: usize) {
    write_formats(folder, n, p);
    let mut numbers = Numbers(8);
    let mut bed = vec![0x6c, 0x1b, 0x01];
    bed.extend((0..p * n.div_ceil(4)).map(|_| numbers.next(256) as u8));
    // Of four people 01 would be a missing genotype.
    bed[3..]
        .iter_mut()
        .for_each(|byte| *byte |= (*byte & 0x55) << 1);
    fs::write(folder.path("d.bed"), bed).unwrap();
    let bim: String = (0..p).fold(String::new(), |all, j| all + &format!("1 v{j} 0 {j} A C\n"));
    folder.write("d.bim", &bim);
    let fam = |all: String, i| all + &format!("f{i} i{i} 0 0 1 {}\n", 1 + i % 2);
    folder.write("d.fam", &(0..n).fold(String::new(), fam));
    let shape = format!("({n}, {p})");
    let values = (0..n * p).map(|_| numbers.next(9) as f64);
    fs::write(folder.path("d.npy"), npy(&shape, values)).unwrap();
    let values = (0..n).map(|i| (i % 7) as f64);
    fs::write(folder.path("y.npy"), npy(&format!("({n},)"), values)).unwrap();
    let (mut csv, mut arff) = ("y".to_owned(), "@relation r\n".to_owned());
    for j in 0..p / 5 {
        write!(csv, ",x{j}").unwrap();
        writeln!(arff, "@attribute x{j} {{red, green, blue, black, white}}").unwrap();
    }
    csv += "\n";
    arff += "@attribute y numeric\n@data\n";
    for i in 0..n {
        let levels = (0..p / 5)
            .map(|_| ["red", "green", "blue", "black", "white"][numbers.next(5) as usize]);
        let levels = levels.collect::<Vec<_>>().join(",");
        writeln!(csv, "{}.5,{levels}", i % 7).unwrap();
        writeln!(arff, "{levels},{}.5", i % 7).unwrap();
    }
    folder.write("texts.csv", &csv);
    folder.write("texts.arff", &arff);
}

/// Writes n observations of p variables and a response in several formats, as `d.ENDING`.
fn write_formats(folder: &Folder, n: usize, p: usize) {
    let mut numbers = Numbers(7);
    let codes: Vec<u8> = (0..n * (p + 1)).map(|_| numbers.next(9) as u8).collect();
    let mut csv: String = (0..p).fold("y".to_owned(), |all, j| all + &format!(",x{j}"));
    let mut arff = "@relation r\n".to_owned();
    for j in 0..p {
        writeln!(arff, "@attribute x{j} numeric").unwrap();
    }
    arff += "@attribute y numeric\n@data\n";
    let marks = "0 ".repeat(p);
    let (mut dat, mut libsvm) = (format!("set\n{n} {p}\n* {marks}\n"), String::new());
    csv += "\n";
    for row in codes.chunks(p + 1) {
        let texts: Vec<String> = row.iter().map(|code| format!("{code}.25")).collect();
        csv += &(texts.join(",") + "\n");
        dat += &(texts.join(" ") + "\n");
        arff += &(texts[1..].join(",") + "," + &texts[0] + "\n");
        libsvm += &texts[0];
        // One in nine is an entry.
        for (at, code) in (1..).zip(&row[1..]).filter(|(_, code)| **code == 8) {
            write!(libsvm, " {at}:{code}").unwrap();
        }
        libsvm += "\n";
    }
    let sizes = [(n as u32).to_le_bytes(), (p as u32 + 1).to_le_bytes()].concat();
    let mrmr = [sizes, codes.clone()].concat();
    folder.write("d.csv", &csv);
    folder.write("d.tsv", &csv.replace(',', "\t"));
    folder.write("d.txt", &csv.replace(',', "   "));
    folder.write("d.dat", &dat);
    folder.write("d.arff", &arff);
    folder.write("d.libsvm", &libsvm);
    fs::write(folder.path("d.csv.gz"), gzip(csv.as_bytes())).unwrap();
    fs::write(folder.path("d.mrmr"), mrmr).unwrap();
}

/// The bytes that each job held, from `times.csv`.
fn held(folder: &Folder) -> BTreeMap<String, f64> {
    let times = folder.read("jobs-results/times.csv");
    let mut lines = times.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = head.iter().position(|name| *name == "memory").unwrap();
    let row = |line: &str| {
        // The name of a job is in quotes, and may hold a comma.
        let (name, rest) = line[1..].split_once('"').unwrap();
        (
            name.to_owned(),
            rest.split(',').nth(at).unwrap().parse().unwrap(),
        )
    };
    lines.map(row).collect()
}

/// The estimate of each job in the list, in bytes.
fn listed(folder: &Folder) -> BTreeMap<String, f64> {
    let list = folder.run(&["run", "jobs.toml", "--list"]);
    assert_eq!(list.code, Some(0), "{}", list.stderr);
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "≈")?;
        let number: f64 = words[at + 1].parse().ok()?;
        let unit = match words[at + 2] {
            "bytes" => 0,
            "KiB" => 10,
            "MiB" => 20,
            unit => panic!("{unit}"),
        };
        Some((words[at + 4].to_owned(), number * f64::from(1 << unit)))
    };
    list.stdout.lines().filter_map(row).collect()
}

/// The job file of these methods on these files.
fn jobs(files: &[&str], methods: &[(&str, &str)]) -> String {
    let mut text = "[run]\nthreads = 1\n".to_owned();
    for file in files {
        let response = match file.split_once('.').unwrap() {
            (_, "bed") => "phenotype",
            (_, "npy") => "y.npy",
            _ => "y",
        };
        for (name, method) in methods {
            write!(
                text,
                "[[job]]\nname = \"{name}:{file}\"\ndata = \"{file}\"\nresponse = \"{response}\"\n{method}\n"
            )
            .unwrap();
        }
    }
    text
}

const METHODS: [(&str, &str); 4] = [
    ("pass", "particles = 2\niterations = 2\nno-polish = true"),
    (
        "jmi",
        "method = \"jmi\"\ntop = 2\nbin-response = \"equal-width:2\"",
    ),
    (
        "stability",
        "command = \"stability\"\nresamples = 2\nparticles = 2\niterations = 2\nno-polish = true",
    ),
    (
        "pairs",
        // Another response than that of the job above, so that it makes codes of its own.
        "command = \"pairs\"\ntop = 2\nbin-response = \"equal-width:3\"",
    ),
];

/// Checks each estimate of the jobs of `jobs.toml` by what they hold, and that this is the next estimate.
fn check_estimates(folder: &Folder, count: usize) {
    let estimates = listed(folder);
    assert_eq!(estimates.len(), count, "{estimates:?}");
    let run = folder.run(&["run", "jobs.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let held = held(folder);
    let ratio = |name: &String| estimates[name] / held[name];
    let wrong = held
        .keys()
        .filter(|name| !(0.5..=2.0).contains(&ratio(name)));
    let wrong: Vec<_> = wrong
        .map(|name| (name, estimates[name], held[name]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(held.len(), count);
    let again = listed(folder);
    // The list has four digits at least.
    let is_learnt = |(name, held): (&String, &f64)| (again[name] / held - 1.0).abs() < 0.06;
    assert!(held.iter().all(is_learnt), "{again:?} {held:?}");
}

#[test]
fn estimates_are_within_a_factor_of_two_for_every_format_and_method() {
    let folder = Folder::new();
    write_all_formats(&folder, 1200, 200);
    let files = [
        "d.csv",
        "d.csv.gz",
        "d.tsv",
        "d.txt",
        "d.dat",
        "d.arff",
        "d.libsvm",
        "d.mrmr",
        "d.npy",
        "d.bed",
        "texts.csv",
        "texts.arff",
    ];
    folder.write("jobs.toml", &jobs(&files, &METHODS));
    check_estimates(&folder, files.len() * METHODS.len());
}

#[test]
fn estimates_of_wide_files_count_their_columns() {
    let folder = Folder::new();
    write_formats(&folder, 100, 2500);
    let files = ["d.csv", "d.arff", "d.libsvm", "d.mrmr"];
    folder.write("jobs.toml", &jobs(&files, &METHODS[..3]));
    check_estimates(&folder, 12);
}

#[test]
fn estimates_know_how_options_say_that_text_is_written() {
    let folder = Folder::new();
    write_formats(&folder, 1200, 200);
    let text = folder.read("d.csv").replace(',', "!");
    let (_, rows) = text.split_once('\n').unwrap();
    let bytes: Vec<u8> = rows.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path("odd.csv"), bytes).unwrap();
    let written = "response = \"V1\"\nseparator = \"!\"\nno-header = true\nencoding = \"utf-16\"";
    let jobs = jobs(&["odd.csv"], &METHODS).replace("response = \"y\"", written);
    folder.write("jobs.toml", &jobs);
    check_estimates(&folder, METHODS.len());
}

#[test]
fn files_that_have_no_end_are_refused() {
    let folder = Folder::new();
    let endless = fs::File::create(folder.path("endless.json")).unwrap();
    endless.set_len(1 << 40).unwrap();
    let edges = "select data.csv --response y --method mim --binning edges:endless.json";
    for command in [edges, "run endless.json", "run /dev/zero"] {
        let ran = folder.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{command}");
        let reason = "it has more than 256 MiB, so it is something else";
        assert!(ran.stderr.contains(reason), "{command}: {}", ran.stderr);
    }
}

#[test]
fn random_jobs_within_a_limit_are_done_or_tell_of_it() {
    random_jobs(30);
}

#[test]
#[ignore = "minutes"]
fn two_hundred_random_jobs_within_a_limit_are_done_or_tell_of_it() {
    random_jobs(200);
}

/// Jobs of random formats, methods and limits, in as much address space as the limit and the program
/// itself need.
fn random_jobs(count: usize) {
    let folder = Folder::new();
    write_formats(&folder, 150, 3000);
    let mut numbers = Numbers(11);
    let (mut done, mut met) = (0, 0);
    for job in 0..count {
        let endings = ["csv", "csv.gz", "dat", "arff", "libsvm", "mrmr"];
        let ending = endings[numbers.next(6) as usize];
        let method = [
            "select --particles 2 --iterations 2 --no-polish",
            "select --method jmi --top 2 --bin-response equal-width:4",
            "select --method mim --top 2 --bin-response equal-width:4",
            "stability --resamples 2 --particles 2 --iterations 2 --no-polish",
        ][numbers.next(4) as usize];
        // From less than any of the tables to more than all work needs.
        let limit = 1 << numbers.next(7);
        let space = (limit + 256) << 10;
        let (command, rest) = method.split_once(' ').unwrap();
        let mut shell = folder.shell(&format!(
            "ulimit -v {space}; exec \"$passel\" {command} d.{ending} --response y {rest} \
             --device cpu --threads 1 --memory-limit {limit}MiB --format json --progress none"
        ));
        shell.env("MALLOC_ARENA_MAX", "1");
        let ran = ran(shell);
        let what = format!(
            "job {job}: {ending} {method} in {limit} MiB: {}",
            ran.stderr
        );
        match ran.code {
            Some(0) => done += 1,
            Some(1) => {
                met += 1;
                assert!(ran.stderr.contains(" are more than "), "{what}");
                assert_eq!(
                    ran.stderr
                        .lines()
                        .filter(|line| line.starts_with("error"))
                        .count(),
                    1
                );
            }
            _ => panic!("{what}"),
        }
    }
    assert!(done > count / 4 && met > count / 8, "{done} {met}");
}

#[test]
fn a_bad_file_and_a_limit_end_one_job_of_a_run() {
    let folder = Folder::new();
    write_formats(&folder, 100, 2000);
    let zeros = gzip(&vec![0; 1 << 22]).repeat(64);
    fs::write(folder.path("zeros.csv.gz"), zeros).unwrap();
    let ends = gzip(&[b'7'; 1 << 22]).repeat(80);
    fs::write(folder.path("endless.libsvm.gz"), ends).unwrap();
    folder.write(
        "jobs.toml",
        "[run]\nmemory-limit = \"4MiB\"\nthreads = 2\n[defaults]\nresponse = \"y\"\nparticles = 2\n\
         iterations = 2\nno-polish = true\n\
         [[job]]\nname = \"zeros\"\ndata = \"zeros.csv.gz\"\n\
         [[job]]\nname = \"endless\"\ndata = \"endless.libsvm.gz\"\n\
         [[job]]\nname = \"wide\"\ndata = \"d.libsvm\"\ncriterion = [\"ebic\", \"bic\"]\n\
         [[job]]\nname = \"small\"\ndata = [\"data.csv\"]\nseed = { from = 1, count = 3 }\n",
    );
    for _ in 0..2 {
        let run = folder.run(&["run", "jobs.toml"]);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(
            run.stdout.contains("4 failed"),
            "{} {}",
            run.stdout,
            run.stderr
        );
        assert!(
            run.stderr.contains("zeros.csv.gz: line 1: "),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("endless.libsvm.gz: "), "{}", run.stderr);
        assert!(
            run.stderr.contains("the run's memory-limit 4.0 MiB"),
            "{}",
            run.stderr
        );
    }
}

/// Genotypes that memory does not hold are refused before they are read, and the message names what makes them fewer.
#[test]
fn genotypes_larger_than_memory_are_refused_and_a_part_of_them_is_read() {
    let folder = Folder::new();
    let simulate = "simulate genotypes --n 4000 --p 500 --r 3 --seed 2 --output d.bed";
    let simulate: Vec<&str> = simulate.split(' ').collect();
    assert_eq!(folder.run(&simulate).code, Some(0));
    let bim = folder.read("d.bim");
    let of = |(at, line): (usize, &str)| match at {
        ..100 => format!("{line}\n"),
        _ => line.replacen("1\t", "2\t", 1) + "\n",
    };
    folder.write(
        "d.bim",
        &bim.lines().enumerate().map(of).collect::<String>(),
    );
    let select =
        |more: &[&str]| folder.run(&[&["select", "d.bed", "--particles", "2"], more].concat());
    let limit = ["--memory-limit", "600KiB"];
    let ran = select(&limit);
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    for part in [
        "d.bed: 500.0 KiB for its genotypes",
        "none with --scratch; fewer by --keep-people, --chromosome",
        "are more than --memory-limit 600.0 KiB",
    ] {
        assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
    }
    let ran = select(&[&limit[..], &["--chromosome", "1"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // With room for all but the genotypes.
    fs::create_dir(folder.path("disk")).unwrap();
    let limit = ["--memory-limit", "1200KiB"];
    let ran = select(&limit);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let ran = select(&[&limit[..], &["--scratch", "disk"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(fs::read_dir(folder.path("disk")).unwrap().count(), 0);
}
