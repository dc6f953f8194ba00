//! Reading an input as a user does, and what must hold of that.

use std::{fs, path::Path, sync::LazyLock};

use passel::table::{ReadOptions, Table, Values, read};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tempfile::TempDir;

use super::{follow, gzip, peak_of};

/// What reading may take whatever the size: windows, blocks of rows, and what follows.
pub const CONSTANT: usize = 8 << 20;

/// What reading may take for each byte. The shortest column there is, `a,` in a header, has its
/// name three times while names are compared, values being gathered and a place in the table.
pub const PER_BYTE: usize = 400;

/// What it may take for each value that a file stands for without a byte of its own: eight
/// bytes, while these are moved to twice as many.
const PER_CELL: usize = 24;

/// Threads that read every file once more.
static THREADS: LazyLock<ThreadPool> = LazyLock::new(|| {
    let pool = ThreadPoolBuilder::new().num_threads(3).build();
    pool.expect("three threads")
});

/// A folder for one input, in memory where the system has such folders.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        let shared = Path::new("/dev/shm");
        let made = match shared.is_dir() {
            true => tempfile::tempdir_in(shared),
            false => tempfile::tempdir(),
        };
        Self(made.expect("a folder for temporary files"))
    }

    /// Writes a file; returns its path.
    pub fn write(&self, name: &str, content: &[u8]) -> String {
        let path = self.path(name);
        fs::write(&path, content).expect("a file in a folder of our own");
        path
    }

    fn path(&self, name: &str) -> String {
        let path = self.0.path().join(name);
        path.to_str().expect("our own names").to_owned()
    }
}

/// An input that lies in a folder, and what its table's memory goes by.
pub struct Input<'a> {
    folder: Option<&'a Folder>,
    content: &'a [u8],
    bytes: usize,
    /// Values without a byte of their own.
    pub cells: usize,
    /// Bytes taken because the file says so.
    pub claims: usize,
    /// The response's file.
    pub response: Option<&'a str>,
}

impl<'a> Input<'a> {
    /// Files written already, of so many bytes.
    pub fn new(folder: &'a Folder, bytes: usize) -> Self {
        Self {
            folder: Some(folder),
            content: &[],
            bytes,
            cells: 0,
            claims: 0,
            response: None,
        }
    }

    /// One file, not yet written.
    pub fn plain(content: &'a [u8]) -> Self {
        Self {
            folder: None,
            content,
            bytes: content.len(),
            cells: 0,
            claims: 0,
            response: None,
        }
    }

    /// Writes the content and a compressed copy, which must read the same.
    pub fn check(self, name: &str) {
        let folder = Folder::new();
        let copy = format!("{name}.gz");
        folder.write(name, self.content);
        folder.write(&copy, &gzip(self.content));
        let own = Input {
            folder: Some(&folder),
            ..self
        };
        own.check_same(name, &copy);
    }

    /// Checks a file and its compressed copy.
    pub fn check_same(&self, name: &str, copy: &str) {
        let (one, other) = (self.check_file(name), self.read(copy, &[]));
        match (one, other) {
            (Ok(one), Ok(other)) => {
                if is_small(&one) {
                    assert_eq!(format!("{:?}", one.columns), format!("{:?}", other.columns));
                }
            }
            // An input may hold the name of the copy.
            (Err(one), Err(other)) => {
                assert_eq!(one.replace(copy, name), other.replace(copy, name));
            }
            (one, other) => panic!("{name}: {one:?}, but compressed: {other:?}"),
        }
    }

    /// Reads a file with and without factors, and does with its table what a selection would.
    pub fn check_file(&self, name: &str) -> Result<Table, String> {
        let table = self.read(name, &[])?;
        well_formed(&table);
        let mut factors = vec![table.columns[0].name.clone()];
        factors.extend(table.columns.last().map(|column| column.name.clone()));
        factors.dedup();
        let coded = self
            .read(name, &factors)
            .expect("factors may hold anything");
        assert_eq!(coded.rows, table.rows);
        well_formed(&coded);
        for (column, plain) in coded.columns.iter().zip(&table.columns) {
            assert_eq!(column.name, plain.name);
            let named = factors.contains(&column.name);
            if named {
                assert!(matches!(column.values, Values::Factor { .. }));
            } else if is_small(&table) {
                assert_eq!(format!("{column:?}"), format!("{plain:?}"));
            }
        }
        follow::follow(&table);
        follow::follow(&coded);
        Ok(table)
    }

    /// Reads a file within the rule of memory; what is wrong with it as text.
    fn read(&self, name: &str, factors: &[String]) -> Result<Table, String> {
        let folder = self.folder.expect("written by now");
        let path = folder.path(name);
        let options = ReadOptions {
            response: self.response,
            factors,
            ..ReadOptions::default()
        };
        let most = CONSTANT + PER_BYTE * self.bytes + PER_CELL * self.cells + self.claims;
        let told = || {
            let (table, peak) = peak_of(|| {
                let read = read(Path::new(&path), &options);
                read.map_err(|error| error.to_string())
            });
            within(peak, most);
            table
        };
        let (table, shared) = (told(), THREADS.install(told));
        match (&table, &shared) {
            (Ok(table), Ok(shared)) if is_small(table) => {
                assert_eq!(format!("{table:?}"), format!("{shared:?}"));
            }
            (Ok(_), Ok(_)) => {}
            (Err(one), Err(other)) => assert_eq!(one, other),
            (one, other) => panic!("{name}: {one:?}, but by threads: {other:?}"),
        }
        table
    }
}

/// Whether a table's values may be compared as text, in which a missing one is equal to another.
fn is_small(table: &Table) -> bool {
    table.rows.saturating_mul(table.columns.len()) <= follow::CELLS
}

/// The rule of memory.
pub fn within(peak: usize, most: usize) {
    assert!(peak <= most, "{peak} bytes were held, of {most} allowed");
}

/// What the fields of a table promise.
fn well_formed(table: &Table) {
    let n = table.rows;
    assert!(n > 0 && !table.columns.is_empty());
    assert!(table.response.is_none_or(|at| at < table.columns.len()));
    assert!(table.truth.is_sorted_by(|a, b| a < b));
    assert!(table.truth.iter().all(|at| *at < table.columns.len()));
    assert!(table.labels.is_empty() || table.labels.len() == n);
    let mut names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "a name comes twice");
    assert!(names.iter().all(|name| !name.is_empty()));
    for column in &table.columns {
        match &column.values {
            Values::Numbers(values) => {
                assert_eq!(values.len(), n);
                assert!(values.iter().all(|value| !value.is_infinite()));
            }
            Values::Sparse { rows, values } => {
                assert_eq!(rows.len(), values.len());
                assert!(rows.is_sorted_by(|a, b| a < b));
                assert!(rows.iter().all(|row| (*row as usize) < n));
                assert!(values.iter().all(|value| !value.is_infinite()));
            }
            Values::Bytes(values) | Values::Gapped(values) => assert_eq!(values.len(), n),
            Values::Genotypes(genotypes) => assert_eq!(genotypes.len(), n),
            Values::Remote => panic!("nobody else reads"),
            Values::Factor { levels, codes } => {
                assert_eq!(codes.len(), n);
                let mut names: Vec<&String> = levels.iter().collect();
                names.sort_unstable();
                assert!(names.is_sorted_by(|a, b| a < b), "a level comes twice");
                let known =
                    |code: &u32| *code == passel::table::MISSING || (*code as usize) < levels.len();
                assert!(codes.iter().all(known));
            }
        }
    }
}

/// The values that the footer of a Parquet file promises; 0 where it is no footer.
#[cfg(feature = "parquet")]
pub fn promised_cells(path: &str) -> usize {
    use parquet::file::metadata::ParquetMetaDataReader;
    use std::panic;

    // The crate meets some kinds of damage with a failed assertion, which passel catches.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let file = fs::File::open(path).expect("a file of our own");
    let read = panic::catch_unwind(|| ParquetMetaDataReader::new().parse_and_finish(&file));
    panic::set_hook(hook);
    let Ok(Ok(metadata)) = read else {
        return 0;
    };
    let columns = metadata.file_metadata().schema().get_fields().len();
    let groups = metadata.row_groups().iter();
    let rows = groups.map(|group| usize::try_from(group.num_rows()).unwrap_or(0));
    let rows = rows.fold(0_usize, usize::saturating_add);
    rows.saturating_mul(columns)
}
