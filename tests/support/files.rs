//! One problem, columns y, x0, …, x5 with NaN for missing values, as a file of
//! every format.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub fn delimited(columns: &[Vec<f64>], delimiter: &str, levels: Option<[&str; 3]>) -> Vec<u8> {
    let text = |column: usize, value: f64| match levels {
        _ if value.is_nan() => "NA".to_owned(),
        Some([one, ten, two]) if column == 6 => match value as u8 {
            1 => one.to_owned(),
            10 => ten.to_owned(),
            _ => two.to_owned(),
        },
        _ => value.to_string(),
    };
    let mut lines = vec!["y,x0,x1,x2,x3,x4,x5".replace(',', delimiter)];
    for t in 0..columns[0].len() {
        let row = columns.iter().enumerate().map(|(j, c)| text(j, c[t]));
        lines.push(row.collect::<Vec<_>>().join(delimiter));
    }
    (lines.join("\n") + "\n").into_bytes()
}

fn npy(columns: &[Vec<f64>]) -> Vec<u8> {
    let shape = format!("({}, {})", columns[0].len(), columns.len());
    let header = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(
        columns
            .iter()
            .flatten()
            .flat_map(|value| value.to_le_bytes()),
    );
    bytes
}

fn dat(columns: &[Vec<f64>]) -> Vec<u8> {
    let rows = String::from_utf8(delimited(columns, " ", None)).unwrap();
    let (_, rows) = rows.split_once('\n').unwrap();
    format!("a set\n{} 6\n* 1 1 0 0 0 1\n{rows}", columns[0].len()).into_bytes()
}

fn arff(columns: &[Vec<f64>]) -> Vec<u8> {
    let rows = String::from_utf8(delimited(columns, ",", None)).unwrap();
    let (names, rows) = rows.split_once('\n').unwrap();
    let names = names
        .split(',')
        .map(|name| format!("@attribute {name} real\n"));
    let header: String = names.collect();
    format!("{header}@data\n{}", rows.replace("NA", "?")).into_bytes()
}

/// NaN as null, the factor as integers or as these levels.
#[cfg(feature = "parquet")]
pub fn parquet(columns: &[Vec<f64>], levels: Option<[&str; 3]>) -> Vec<u8> {
    use parquet::{
        data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type},
        file::writer::SerializedFileWriter,
        schema::parser::parse_message_type,
    };
    let factor = match levels {
        Some(_) => "byte_array x5 (utf8)",
        None => "int64 x5",
    };
    let numbers = ["y", "x0", "x1", "x2", "x3", "x4"].map(|name| format!("double {name}"));
    let fields = numbers.into_iter().chain([factor.to_owned()]);
    let fields: String = fields.map(|field| format!("optional {field}; ")).collect();
    let schema = parse_message_type(&format!("message m {{ {fields} }}")).unwrap();
    let mut file = SerializedFileWriter::new(Vec::new(), schema.into(), Default::default());
    let file = file.as_mut().unwrap();
    let mut group = file.next_row_group().unwrap();
    for (j, values) in columns.iter().enumerate() {
        let there: Vec<i16> = values.iter().map(|v| i16::from(!v.is_nan())).collect();
        let there = Some(&there[..]);
        let values = values.iter().copied().filter(|v| !v.is_nan());
        let mut column = group.next_column().unwrap().unwrap();
        let written = match levels {
            Some([one, ten, two]) if j == 6 => {
                let level = |value| match value as u8 {
                    1 => one.into(),
                    10 => ten.into(),
                    _ => two.into(),
                };
                let texts: Vec<ByteArray> = values.map(level).collect();
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&texts, there, None)
            }
            None if j == 6 => {
                let whole: Vec<i64> = values.map(|v| v as i64).collect();
                column.typed::<Int64Type>().write_batch(&whole, there, None)
            }
            _ => {
                let values: Vec<f64> = values.collect();
                column
                    .typed::<DoubleType>()
                    .write_batch(&values, there, None)
            }
        };
        written.unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.finish().unwrap();
    std::mem::take(file.inner_mut())
}

/// The problem in every format there is; the second path is the response's.
pub fn files(folder: &Path, columns: &[Vec<f64>]) -> Vec<(PathBuf, Option<PathBuf>)> {
    let mut files = Vec::new();
    #[cfg(feature = "parquet")]
    {
        let path = folder.join("d.parquet");
        fs::write(&path, parquet(columns, None)).unwrap();
        files.push((path, None));
    }
    let contents = [
        ("d.csv", delimited(columns, ",", None), None),
        ("d.tsv", delimited(columns, "\t", None), None),
        (
            "d.npy",
            npy(&columns[1..]),
            Some(("y.npy", npy(&columns[..1]))),
        ),
        ("d.dat", dat(columns), None),
        ("d.arff", arff(columns), None),
    ];
    for (name, content, response) in contents {
        for ending in ["", ".gz"] {
            let write = |name: &str, content: &[u8]| {
                let path = folder.join(format!("{name}{ending}"));
                let content = match ending {
                    "" => content.to_vec(),
                    _ => gzip(content),
                };
                fs::write(&path, content).unwrap();
                path
            };
            let second = response
                .as_ref()
                .map(|(name, content)| write(name, content));
            files.push((write(name, &content), second));
        }
    }
    files
}
