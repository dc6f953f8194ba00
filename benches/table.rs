//! Reading a CSV of normal random numbers, against counting its lines; and making a design of columns
//! that are alike, with its duplicates set aside, against reading them.
//!
//! `cargo bench --bench table -- [ROWS [COLUMNS [PASSES]]]`; 1,000 × 20,000 and 5 passes by
//! default. The lines are counted in the same run, on the same bytes in the page cache: that
//! is what the machine gives to a program that only looks at each byte once. The columns that are
//! alike have two ones each in 1,000 rows, so that all means and norms are equal: 20,000 and 200,000
//! of them, in libsvm's format. Setting aside is what their design takes longer than one of columns
//! whose norms differ.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::time::Instant;

use passel::{
    Design,
    table::{ReadOptions, read},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sizes = std::env::args()
        .skip(1)
        .filter_map(|size| size.parse().ok());
    let rows = sizes.next().unwrap_or(1_000);
    let columns = sizes.next().unwrap_or(20_000);
    let passes = sizes.next().unwrap_or(5).max(1);

    let folder = tempfile::tempdir()?;
    for (kind, quoted) in [("numbers", false), ("numbers, quoted", true)] {
        let path = folder.path().join("numbers.csv");
        write_numbers(&path, rows, columns, quoted)?;
        let megabytes = path.metadata()?.len() as f64 / 1e6;

        // Alternating, so that a busy moment of the machine falls on both.
        let (mut reading, mut counting) = (Vec::new(), Vec::new());
        for _ in 0..passes {
            let start = Instant::now();
            let table = read(&path, &ReadOptions::default())?;
            reading.push(megabytes / start.elapsed().as_secs_f64());
            assert_eq!((table.rows, table.columns.len()), (rows, columns));

            let start = Instant::now();
            let lines = count_lines(&path)?;
            counting.push(megabytes / start.elapsed().as_secs_f64());
            assert_eq!(lines, rows + 1);
        }
        println!(
            "{kind}: {rows} x {columns}, {megabytes:.0} MB: read {:.0} MB/s, \
             lines counted {:.0} MB/s (medians of {passes})",
            median(reading),
            median(counting),
        );
    }
    for columns in [20_000, 200_000] {
        let paths = ["alike.libsvm", "unlike.libsvm"].map(|name| folder.path().join(name));
        write_sparse(&paths[0], 1_000, columns, true)?;
        write_sparse(&paths[1], 1_000, columns, false)?;
        let (mut reading, mut designing, mut aside) = (Vec::new(), [vec![], vec![]], 0);
        for _ in 0..passes {
            for (path, seconds) in paths.iter().zip(&mut designing) {
                let start = Instant::now();
                let table = read(path, &ReadOptions::default())?;
                if seconds.len() == reading.len() {
                    reading.push(start.elapsed().as_secs_f64());
                }
                let start = Instant::now();
                let design = Design::from_table(table, &Default::default())?;
                seconds.push(start.elapsed().as_secs_f64());
                aside = aside.max(design.set_aside().len());
            }
        }
        let [alike, unlike] = designing.map(median);
        let reading = median(reading);
        println!(
            "columns alike: 1000 x {columns}, {aside} set aside: read {reading:.3} s, design \
             {alike:.3} s, {unlike:.3} s where no two are alike: setting aside is {:.2} of reading \
             (medians of {passes})",
            (alike - unlike) / reading,
        );
    }
    Ok(())
}

/// Columns with a one in each of two random rows; or with numbers near one, so that no column's norm
/// is another's.
fn write_sparse(path: &Path, rows: usize, columns: usize, is_alike: bool) -> io::Result<()> {
    let mut random = Random(28);
    let mut ones = vec![Vec::new(); rows];
    for column in 0..columns {
        let first = (random.uniform() * rows as f64) as usize % rows;
        let apart = 1 + (random.uniform() * (rows - 1) as f64) as usize % (rows - 1);
        for row in [first, (first + apart) % rows] {
            ones[row].push(column);
        }
    }
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    for columns in ones {
        write!(file, "{}", random.normal())?;
        for column in columns {
            let value = if is_alike {
                1.0
            } else {
                1.0 + column as f64 * 1e-6
            };
            write!(file, " {}:{value}", column + 1)?;
        }
        writeln!(file)?;
    }
    file.flush()
}

fn write_numbers(path: &Path, rows: usize, columns: usize, quoted: bool) -> io::Result<()> {
    let quote = if quoted { "\"" } else { "" };
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut random = Random(2013);
    for row in 0..=rows {
        for column in 0..columns {
            let comma = if column > 0 { "," } else { "" };
            match row {
                0 => write!(file, "{comma}x{column}")?,
                _ => write!(file, "{comma}{quote}{}{quote}", random.normal())?,
            }
        }
        writeln!(file)?;
    }
    file.flush()
}

fn count_lines(path: &Path) -> io::Result<usize> {
    let mut file = File::open(path)?;
    let mut bytes = vec![0; 1 << 18];
    let mut lines = 0;
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(lines),
            count => lines += memchr::memchr_iter(b'\n', &bytes[..count]).count(),
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Enough of a generator to print digits: SplitMix64 and the method of Box and Muller.
struct Random(u64);

impl Random {
    /// In (0, 1].
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((mixed >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
