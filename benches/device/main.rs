//! Whole searches on every device there is, in one table.
//!
//! `cargo bench --bench device -- [--problems 1,3] [--devices cpu,cuda,cuda:0,cuda:0+1]
//! [--precision f64,f32,tf32] [--runs 3] [--cpu-limit ELEMENTS] [--shrink 1] [--json FILE]`
//!
//! Each problem runs on each device in turn, the CPU only where X has no more elements than
//! `--cpu-limit` (200,000,000, which leaves problems 4 and 9 out); problems 7 to 9 are 1, 5 and 4
//! with events of logistic regression by EBIC, 10 and 11 are 1 and 5 with survival times; problem 6 is problem 1 with room
//! for a quarter of X on GPUs, and compared with it; `--shrink` divides p. Of a row,
//! `same` says whether selection and criterion value are those of the problem's first row,
//! `ratio` how many times as fast its median is. `GB/s` is what must have streamed from the
//! host's memory if every iteration with an improving forward step swept all that has no room
//! on the devices: an upper bound, for models once swept are not swept again. The paper's
//! seconds are of its Table I: without and with two K40 GPUs.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod problems;
mod timed;

use std::{process::ExitCode, time::Instant};

use passel::{Design, device::Precision};
use serde_json::{Value, json};

use problems::{Model, design, problems};
use timed::{Row, gpus, timed};

/// What the command line asks for.
struct Asked {
    problems: Vec<usize>,
    devices: Vec<String>,
    precisions: Vec<Precision>,
    runs: usize,
    cpu_limit: usize,
    shrink: usize,
    json: Option<String>,
}

fn asked() -> Asked {
    let mut asked = Asked {
        problems: Vec::new(),
        devices: Vec::new(),
        precisions: vec![Precision::F64],
        runs: 3,
        cpu_limit: 200_000_000,
        shrink: 1,
        json: None,
    };
    // cargo says --bench.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(name) = words.next() {
        let value = words
            .next()
            .unwrap_or_else(|| panic!("{name} takes a value"));
        let number = || value.parse().unwrap_or_else(|_| panic!("{name} {value}"));
        let list = || value.split(',').map(str::to_owned);
        match &*name {
            "--problems" => asked.problems = list().map(|n| n.parse().unwrap()).collect(),
            "--devices" => asked.devices = list().collect(),
            "--precision" => {
                let precision = |word: String| match &*word {
                    "f64" => Precision::F64,
                    "f32" => Precision::F32,
                    "tf32" => Precision::Tf32,
                    _ => panic!("--precision {word}"),
                };
                asked.precisions = list().map(precision).collect();
            }
            "--runs" => asked.runs = number(),
            "--cpu-limit" => asked.cpu_limit = number(),
            "--shrink" => asked.shrink = number(),
            "--json" => asked.json = Some(value),
            _ => panic!("{name}: the head of benches/device/main.rs has the options"),
        }
    }
    if asked.devices.is_empty() {
        asked.devices.push("cpu".to_owned());
        let gpus = gpus();
        let names = ["cuda:0", "cuda"].into_iter().take(gpus.min(2));
        asked.devices.extend(names.map(str::to_owned));
    }
    asked
}

/// The table, and the same for programs.
#[derive(Default)]
struct Told {
    lines: Vec<String>,
    records: Vec<Value>,
    /// Rows that failed, or found another model than the first.
    bad: usize,
}

impl Told {
    fn head(&mut self) {
        self.lines.push(format!(
            "{:<34} {:<24} {:<5} {:>8} {:>9} {:>9} {:>9} {:>7} {:>7} {:>8} {:>3} {:>6} same",
            "problem",
            "device",
            "by",
            "start s",
            "search s",
            "min",
            "max",
            "paper",
            "ratio",
            "support",
            "k",
            "GB/s"
        ));
    }

    fn line(&mut self, line: String) {
        eprintln!("{line}");
        self.lines.push(line);
    }

    fn row(&mut self, name: &str, paper: Option<f64>, row: &Row, first: &Row) {
        let (ratio, same) = (first.median() / row.median(), row.is_like(first));
        let dash = |number: Option<f64>| number.map_or("-".to_owned(), |x| format!("{x:.2}"));
        self.line(format!(
            "{name:<34} {:<24} {:<5} {:>8.3} {:>9.4} {:>9.4} {:>9.4} {:>7} {ratio:>7.2} {:08x} {:>3} {:>6} {}",
            row.device,
            row.screen,
            row.starting,
            row.median(),
            row.seconds[0],
            row.seconds[row.seconds.len() - 1],
            dash(paper),
            row.hash(),
            row.members.len(),
            dash(row.stream),
            if same { "yes" } else { "NO" },
        ));
        self.bad += usize::from(!same);
        self.records.push(json!({
            "problem": name, "device": row.device, "screen": row.screen,
            "starting": row.starting, "seconds": row.seconds, "paper": paper, "ratio": ratio,
            "support": row.members, "value": row.value, "stream_gb_s": row.stream, "same": same,
        }));
    }
}

fn main() -> ExitCode {
    let asked = asked();
    let mut told = Told::default();
    told.head();
    let mut data: Option<(Model, usize, usize, Design)> = None;
    // The first row of the problem that streams, where all had room.
    let mut resident = None;
    for problem in problems() {
        let (model, n, p) = (problem.model, problem.n, problem.p / asked.shrink);
        // A limit on memory makes a CPU slow without streaming anything.
        let fits =
            |device: &&String| *device != "cpu" || n * p <= asked.cpu_limit && !problem.streams;
        let devices: Vec<&String> = asked.devices.iter().filter(fits).collect();
        let wanted = asked.problems.is_empty() || asked.problems.contains(&problem.number);
        if !wanted || devices.is_empty() {
            continue;
        }
        if !matches!(&data, Some(held) if (held.0, held.1, held.2) == (model, n, p)) {
            // The one before goes first: two may not fit.
            drop(data.take());
            let start = Instant::now();
            let made = design(model, n, p);
            eprintln!("{n} x {p} made in {:.1} s", start.elapsed().as_secs_f64());
            data = Some((model, n, p, made));
        }
        let Some((.., design)) = &data else { continue };
        let name = problem.name(p);
        let mut first = resident.take().filter(|_| problem.streams);
        for device in devices {
            // Nothing but GPUs has a precision.
            let precisions = match device.starts_with("cuda") {
                true => &asked.precisions[..],
                false => &[Precision::F64],
            };
            for precision in precisions {
                match timed(&problem, design, device, *precision, asked.runs) {
                    Ok(row) => {
                        let paper = problem.paper.filter(|_| asked.shrink == 1);
                        let paper = paper.map(|seconds| seconds[usize::from(device != "cpu")]);
                        told.row(&name, paper, &row, first.as_ref().unwrap_or(&row));
                        if problem.number == 1 && resident.is_none() {
                            resident = Some(row.clone());
                        }
                        first.get_or_insert(row);
                    }
                    Err(error) => {
                        told.line(format!("{name:<34} {device}: {error}"));
                        told.bad += 1;
                    }
                }
            }
        }
    }
    println!("{}", told.lines.join("\n"));
    if let Some(file) = asked.json {
        std::fs::write(file, serde_json::to_string_pretty(&told.records).unwrap()).unwrap();
    }
    ExitCode::from(u8::from(told.bad > 0))
}
