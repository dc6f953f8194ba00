//! The table `times.csv`: a line for each job that has ended, with what it took and why it failed. It
//! only grows, and a job's last line tells how it stands.

use std::{
    collections::HashMap,
    fs::OpenOptions,
    io::{self, Write},
    path::Path,
};

use csv::ReaderBuilder;

use crate::{
    machine,
    output::{OutputFile, Replaces},
    printable::{printable, without_place},
    selection::Elapsed,
    table::{csv_field, guarded, quote, unguarded},
    whole_file::read_regular,
};

/// The columns of the first versions of the table, with which every version begins.
const FIRST_COLUMNS: &str = "job,threads,read,devices,search,total";

/// The further columns. Seconds of the CPU and bytes of memory; columns that come later stand at the end.
const MORE_COLUMNS: &str = ",cpu,memory,host,ended,outcome,error";

/// What the further columns hold of a line that lacks them: only jobs that were done had a line.
const MORE_OF_OLD_LINES: &str = ",,,,,done,";

/// A job that has ended, for a line of the table.
#[derive(Debug, Default)]
pub(super) struct EndedJob<'a> {
    pub(super) job: &'a str,
    pub(super) threads: usize,
    /// How long the parts of a job took that was done.
    pub(super) parts: Option<Elapsed>,
    /// How long it took from its start to its end.
    pub(super) seconds: f64,
    /// The CPU time of all threads.
    pub(super) cpu_seconds: Option<f64>,
    /// The most memory it held at once, by account. *Units:* bytes.
    pub(super) peak_memory: Option<u64>,
    /// Why it failed; `None` if it was done.
    pub(super) error: Option<&'a str>,
}

impl EndedJob<'_> {
    fn line(&self) -> String {
        let seconds =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.6}"));
        let parts = self.parts.as_ref();
        // One line a job, whatever its message contains.
        let error = printable(without_place(self.error.unwrap_or_default())).into_owned();
        let cells = [
            self.threads.to_string(),
            seconds(parts.map(|parts| parts.read)),
            seconds(parts.map(|parts| parts.devices)),
            seconds(parts.map(|parts| parts.search)),
            seconds(Some(self.seconds)),
            seconds(self.cpu_seconds),
            self.peak_memory
                .map_or(String::new(), |bytes| bytes.to_string()),
            machine::host(),
            machine::now(),
            match self.error {
                None => "done".to_owned(),
                Some(_) => "failed".to_owned(),
            },
            error,
        ];
        let cells = cells.each_ref().map(|cell| csv_field(cell));
        format!("{},{}\n", quote(&guarded(self.job)), cells.join(","))
    }
}

/// How a job ended the last time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LastEnd {
    /// How long it took.
    pub(super) seconds: Option<f64>,
    /// The most memory it held at once, by account. *Units:* bytes.
    pub(super) peak_memory: Option<u64>,
    /// When it ended.
    pub(super) ended: String,
    /// Why it failed; `None` if it was done.
    pub(super) error: Option<String>,
}

/// Makes a table without lines if there is none, gives an old one the columns that it lacks, and removes
/// a last line that was cut short. `work` is a folder for temporary files.
///
/// # Errors
/// The table cannot be read or written, or is not one of passel's.
pub(super) fn prepare(path: &Path, work: &Path, replaces: Replaces) -> io::Result<()> {
    let written = |text: String| {
        let file = OutputFile::create_staged(path, replaces, Some(work));
        let finished = file.and_then(|file| file.finish(text.as_bytes()));
        finished.map_err(io::Error::other)
    };
    let text = match read_regular(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return written(format!("{FIRST_COLUMNS}{MORE_COLUMNS}\n"));
        }
        Err(error) => return Err(error),
    };
    let (head, lines) = text.split_once('\n').unwrap_or((&text, ""));
    if !head.starts_with(FIRST_COLUMNS) && replaces == Replaces::AnyFile {
        return written(format!("{FIRST_COLUMNS}{MORE_COLUMNS}\n"));
    }
    if !head.starts_with(FIRST_COLUMNS) {
        let reason = "it holds a file times.csv that is not a table of passel's; move it elsewhere";
        return Err(io::Error::other(reason));
    }
    if head.trim_end() == FIRST_COLUMNS {
        let lines = lines.lines();
        let lines: String = lines
            .map(|line| format!("{line}{MORE_OF_OLD_LINES}\n"))
            .collect();
        return written(format!("{FIRST_COLUMNS}{MORE_COLUMNS}\n{lines}"));
    }
    if text.ends_with('\n') {
        return Ok(());
    }
    let end = text.rfind('\n').map_or(0, |end| end + 1);
    written(text[..end].to_owned())
}

/// Adds the line of a job.
pub(super) fn append(path: &Path, ended: &EndedJob) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let length = file.metadata()?.len();
    let written = file.write_all(ended.line().as_bytes());
    if written.is_err() {
        // A part of a line, on a full disk, would spoil the next.
        file.set_len(length)?;
    }
    written
}

/// How each job ended the last time, by its name, as far as the table can be read.
pub(super) fn last_ends(path: &Path) -> HashMap<String, LastEnd> {
    let mut ends = HashMap::new();
    let Ok(mut lines) = ReaderBuilder::new().flexible(true).from_path(path) else {
        return ends;
    };
    let head = lines.byte_headers().cloned().unwrap_or_default();
    let place = |name: &str| head.iter().position(|column| column == name.as_bytes());
    let names = ["job", "total", "memory", "ended", "outcome", "error"];
    let places = names.map(place);
    for line in lines.byte_records().map_while(Result::ok) {
        let cell = |index: usize| {
            let cell = places[index].and_then(|place| line.get(place));
            unguarded(&String::from_utf8_lossy(cell.unwrap_or_default())).to_owned()
        };
        let [job, seconds, memory, ended, outcome, error] = [0, 1, 2, 3, 4, 5].map(cell);
        let end = LastEnd {
            seconds: seconds.parse().ok(),
            peak_memory: memory.parse().ok(),
            ended,
            error: (outcome == "failed").then_some(error),
        };
        ends.insert(job, end);
    }
    ends
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_last_line_of_a_job_tells_how_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("times.csv");
        prepare(&path, folder.path(), Replaces::Times).unwrap();
        let done = EndedJob {
            job: "a,seed=1",
            threads: 2,
            parts: Some(Elapsed::default()),
            seconds: 1.5,
            cpu_seconds: Some(2.25),
            peak_memory: Some(4096),
            error: None,
        };
        let failed = |job| EndedJob {
            job,
            error: Some("\"x\",\nno number"),
            ..EndedJob::default()
        };
        for ended in [&failed("a,seed=1"), &failed("b"), &done] {
            append(&path, ended).unwrap();
        }
        let ends = last_ends(&path);
        assert_eq!(ends.len(), 2);
        let (a, b) = (&ends["a,seed=1"], &ends["b"]);
        assert_eq!(
            (a.seconds, a.peak_memory, &a.error),
            (Some(1.5), Some(4096), &None)
        );
        assert_eq!(b.error.as_deref(), Some("\"x\",\\nno number"));
        assert!(a.ended.ends_with('Z'), "{a:?}");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(
            text.contains("\"a,seed=1\",2,0.000000,0.000000,0.000000,1.500000,2.250000,4096,"),
            "{text}"
        );
    }

    #[test]
    fn old_tables_are_read_and_get_the_new_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("times.csv");
        let old = "job,threads,read,devices,search,total\n\"a\",1,0.1,0.2,0.3,0.7\n";
        fs::write(&path, old).unwrap();
        assert_eq!(last_ends(&path)["a"].seconds, Some(0.7));
        prepare(&path, folder.path(), Replaces::Times).unwrap();
        let failed = EndedJob {
            job: "c",
            error: Some("gone"),
            ..EndedJob::default()
        };
        append(&path, &failed).unwrap();
        let ends = last_ends(&path);
        assert_eq!((ends["a"].seconds, &ends["a"].error), (Some(0.7), &None));
        assert_eq!(ends["c"].error.as_deref(), Some("gone"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}\"cut by a power c")).unwrap();
        prepare(&path, folder.path(), Replaces::Times).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn a_table_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("times.csv");
        fs::write(&path, "y,a\n1,2\n").unwrap();
        let error = prepare(&path, folder.path(), Replaces::Times)
            .unwrap_err()
            .to_string();
        assert!(error.contains("not a table of passel's"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "y,a\n1,2\n");
    }
}
