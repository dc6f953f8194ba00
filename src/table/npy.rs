//! Arrays of NumPy: the design matrix in one file, the response in a second.

use std::io;
use std::ops::Range;
use std::path::Path;

use npyz::{DType, Deserialize, NpyHeader, Order, TypeChar, TypeRead, WriterBuilder};

use super::format::{COMPRESSION_RATIO, Content, Format, is_npy};
use super::rows::Rows;
use super::source::{GAP, Source, runs};
use super::{Column, ColumnPartition, ReadOptions, TableError, Values, names};

/// The format of NumPy's arrays.
pub(super) const FORMAT: Format = Format {
    extensions: &["npy"],
    gzip: true,
    companions: &[],
    read,
    estimate: estimate,
};

/// Headers of numeric arrays take about a hundred bytes; longer ones are of other things.
const HEADER_BYTES: usize = 1 << 14;
/// What every array begins with.
const MAGIC: &[u8] = b"\x93NUMPY";
/// Elements decoded at a time.
const ELEMENTS: usize = 1 << 13;

/// Reads an n × p array as columns `x0`, `x1`, …, and a response of length n, given by a
/// second file, as the last column, named by that file's stem.
///
/// # Errors
/// Another shape or type than that, fewer bytes than promised, infinite elements.
fn read(
    path: &Path,
    options: &ReadOptions,
    partition: &ColumnPartition,
) -> Result<Content, TableError> {
    let design = Array::open(path)?;
    let &[rows, width] = design.header.shape() else {
        return Err(design.shape_error("an n × p array (two dimensions)"));
    };
    if rows == 0 {
        return Err(TableError::NoRows { path: design.path });
    }
    if width == 0 {
        return Err(TableError::NoColumns { path: design.path });
    }
    // The response is the last column.
    let all = width as usize + usize::from(options.response.is_some());
    let wanted = |at: usize| partition.reads(at, all, &names::variable(at));
    let Some(response) = options.response else {
        let columns = design.columns(path, (rows, width), names::variable, wanted)?;
        return Content::new(path, options, columns, None);
    };

    let name = response_name(response)?;
    let second = Array::open(Path::new(response))?;
    let length = match *second.header.shape() {
        [length] | [length, 1] => length,
        _ => return Err(second.shape_error("a response of n values (one dimension, or n × 1)")),
    };
    if length != rows {
        return Err(TableError::NpyLengths {
            path: design.path,
            shape: design.header.shape().to_vec(),
            response: second.path,
            response_shape: second.header.shape().to_vec(),
        });
    }
    // The response is the smaller one: what is wrong with it is told without a wait.
    let last = second.columns(Path::new(response), (length, 1), |_| name.clone(), |_| true)?;
    let mut columns = design.columns(path, (rows, width), names::variable, wanted)?;
    columns.extend(last);
    let response = columns.len() - 1;
    Content::new(path, options, columns, Some(response))
}

/// The elements that the header promises, which need not be there.
fn estimate(path: &Path, bytes: u64) -> Option<u64> {
    let array = Array::open(path).ok()?;
    let sides = array.header.shape().iter();
    let elements = sides.fold(1_u64, |product, side| product.saturating_mul(*side));
    Some(elements.min(COMPRESSION_RATIO * COMPRESSION_RATIO * bytes))
}

/// Writes a p × p array of numbers, by rows.
///
/// # Errors
/// Those of the sink.
pub fn write_matrix(values: &[f64], p: usize, sink: &mut dyn io::Write) -> io::Result<()> {
    let shape = [p as u64, p as u64];
    let options = npyz::WriteOptions::<f64>::new().default_dtype();
    let mut writer = options.shape(&shape).writer(sink).begin_nd()?;
    writer.extend(values.iter().copied())?;
    writer.finish()
}

/// The file's name without folder and endings.
fn response_name(response: &str) -> Result<String, TableError> {
    let path = Path::new(response);
    match is_npy(path) {
        true => {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let ending = if super::source::is_gzip(path) { 7 } else { 4 };
            Ok(file[..file.len() - ending].to_owned())
        }
        false => Err(TableError::NpyResponse {
            path: response.to_owned(),
        }),
    }
}

/// An open file whose header has been read.
struct Array {
    path: String,
    source: Source,
    header: NpyHeader,
    header_bytes: u64,
    element_bytes: usize,
    decode: Decode,
}

/// Appends the elements in the bytes, whole ones, as numbers.
type Decode = Box<dyn Fn(&[u8], &mut Vec<f64>) -> io::Result<()>>;

impl Array {
    fn open(path: &Path) -> Result<Self, TableError> {
        let mut source = Source::open(path)?;
        let path = path.to_string_lossy().into_owned();
        let bytes = header_bytes(&mut source)?;
        let header = check_length(&bytes)
            .and_then(|()| check_depth(&bytes))
            .and_then(|()| check_shape(&bytes))
            .and_then(|()| NpyHeader::from_reader(&bytes[..]))
            .map_err(|source| TableError::NpyHeader {
                path: path.clone(),
                source,
            })?;
        let Some((element_bytes, decode)) = decoder(&header.dtype()) else {
            let dtype = header.dtype().descr();
            return Err(TableError::NpyType { path, dtype });
        };
        Ok(Self {
            path,
            source,
            header,
            header_bytes: bytes.len() as u64,
            element_bytes,
            decode,
        })
    }

    fn shape_error(self, expected: &'static str) -> TableError {
        TableError::NpyShape {
            path: self.path,
            shape: self.header.shape().to_vec(),
            expected,
        }
    }

    /// The array's columns, named by their position; of those not wanted nothing is read that is
    /// worth going past.
    fn columns(
        mut self,
        path: &Path,
        (rows, width): (u64, u64),
        name: impl Fn(usize) -> String,
        wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<Column>, TableError> {
        let promised = rows
            .checked_mul(width)
            .and_then(|elements| elements.checked_mul(self.element_bytes as u64))
            .filter(|bytes| usize::try_from(*bytes).is_ok());
        let Some(promised) = promised else {
            return Err(TableError::NpyTooLarge { path: self.path });
        };
        // Before memory is taken for what the header promises, the file has to hold it.
        let size = match self.source.size {
            Some(size) => size,
            None => Source::open(path)?.measure(self.header_bytes.saturating_add(promised))?,
        };
        let found = size.saturating_sub(self.header_bytes);
        if found < promised {
            return Err(TableError::NpyTruncated {
                path: self.path,
                promised,
                found,
            });
        }

        let (rows, width) = (rows as usize, width as usize);
        let order = self.header.order();
        // How far apart two columns begin in the file, in bytes, and how long one lies there.
        let (apart, gap) = match order {
            Order::C => (self.element_bytes, GAP),
            Order::Fortran => (self.element_bytes * rows, 0),
        };
        let runs = runs(width, gap / apart, wanted);
        let read: Vec<usize> = runs.iter().cloned().flatten().collect();
        let columns = match order {
            Order::C => {
                let place = |at: usize| (at / width, at % width);
                let mut block = Rows::new(read.len().max(1));
                block.reserve(if read.is_empty() { 0 } else { rows });
                // Where whole rows are read, they are one range.
                let (lines, length) = match read.len() == width {
                    true => (1, rows * width),
                    false => (rows, 0),
                };
                let each = &mut (0..lines).flat_map(|row| {
                    let first = row * width;
                    let run = move |it: &Range<usize>| first + it.start..first + it.end.max(length);
                    runs.iter().map(run)
                });
                self.each(each, place, &name, |values| {
                    for &value in values {
                        block.push(value);
                    }
                })?;
                block.into_columns()
            }
            Order::Fortran => {
                let mut columns: Vec<Vec<f64>> = Vec::with_capacity(read.len());
                let mut column = Vec::with_capacity(rows);
                let place = |at: usize| (at % rows, at / rows);
                let each = &mut runs.iter().map(|it| it.start * rows..it.end * rows);
                self.each(each, place, &name, |mut values| {
                    while !values.is_empty() {
                        let free = rows - column.len();
                        let (these, others) = values.split_at(free.min(values.len()));
                        column.extend_from_slice(these);
                        if column.len() == rows {
                            let next = Vec::with_capacity(rows);
                            columns.push(std::mem::replace(&mut column, next));
                        }
                        values = others;
                    }
                })?;
                columns
            }
        };
        let mut all: Vec<Column> = (0..width)
            .map(|at| Column {
                name: name(at),
                values: Values::Remote,
            })
            .collect();
        for (at, values) in read.into_iter().zip(columns) {
            all[at].values = Values::Numbers(values);
        }
        Ok(all)
    }

    /// Hands over the elements of these ranges, which ascend, some at a time, and refuses infinite
    /// ones; `place` is row and column of an element by its position in the file.
    fn each(
        &mut self,
        ranges: &mut dyn Iterator<Item = Range<usize>>,
        place: impl Fn(usize) -> (usize, usize),
        name: impl Fn(usize) -> String,
        mut take: impl FnMut(&[f64]),
    ) -> Result<(), TableError> {
        let mut bytes = vec![0; ELEMENTS * self.element_bytes];
        let mut values = Vec::with_capacity(ELEMENTS);
        let mut position = 0;
        for range in ranges {
            self.source
                .skip(((range.start - position) * self.element_bytes) as u64)?;
            position = range.end;
            for first in range.clone().step_by(ELEMENTS) {
                let wanted = ELEMENTS.min(range.end - first) * self.element_bytes;
                let found = self.source.fill(&mut bytes[..wanted])?;
                if found < wanted {
                    // The file has become shorter since its size was taken.
                    return Err(TableError::NpyTruncated {
                        path: self.path.clone(),
                        promised: (range.end * self.element_bytes) as u64,
                        found: (first * self.element_bytes + found) as u64,
                    });
                }
                values.clear();
                (self.decode)(&bytes[..wanted], &mut values).map_err(|source| {
                    TableError::NpyValue {
                        path: self.path.clone(),
                        source,
                    }
                })?;
                if let Some(at) = values.iter().position(|value| value.is_infinite()) {
                    let (row, column) = place(first + at);
                    return Err(TableError::InfiniteElement {
                        path: self.path.clone(),
                        row: row + 1,
                        column: name(column),
                    });
                }
                take(&values);
            }
        }
        Ok(())
    }
}

/// The bytes up to the elements: magic number, version, length, and as many bytes of text;
/// fewer where the file ends before, or where the text is longer than an array's.
fn header_bytes(source: &mut Source) -> Result<Vec<u8>, TableError> {
    let mut bytes = vec![0; 10];
    let mut filled = source.fill(&mut bytes)?;
    if filled == bytes.len() && bytes.starts_with(MAGIC) {
        if bytes[6] > 1 {
            bytes.resize(12, 0);
            filled += source.fill(&mut bytes[10..])?;
        }
        let text = bytes.len();
        bytes.resize(text + text_length(&bytes).min(HEADER_BYTES), 0);
        filled += source.fill(&mut bytes[text..])?;
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The length of the header's text as its first bytes tell it, with the four of later versions.
fn text_length(header: &[u8]) -> usize {
    match *header {
        [_, _, _, _, _, _, 0..=1, _, a, b, ..] => u16::from_le_bytes([a, b]).into(),
        [_, _, _, _, _, _, _, _, a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]) as usize,
        _ => 0,
    }
}

/// Refuses text that is not all there, for whose length the header's parser takes memory.
fn check_length(header: &[u8]) -> io::Result<()> {
    let start = if header.get(6) > Some(&1) { 12 } else { 10 };
    if header.starts_with(MAGIC) && header.len() < start + text_length(header) {
        let message = format!("its header is cut off, or longer than {HEADER_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(())
}

/// Refuses lists in lists, deeper than in any type: the header's parser goes through the innermost
/// twice for each list around it.
fn check_depth(header: &[u8]) -> io::Result<()> {
    const DEEPEST: usize = 4;
    let mut depth = 0_usize;
    for byte in header {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            let message = format!("its header has lists in lists, more than {DEEPEST} deep");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
    }
    Ok(())
}

/// Refuses shapes whose number of elements overflows, which the header's parser multiplies
/// without a check.
fn check_shape(header: &[u8]) -> io::Result<()> {
    for at in memchr::memmem::find_iter(header, b"shape") {
        let sides = header[at..].split(|byte| *byte == b'(').nth(1);
        let sides = sides.and_then(|rest| rest.split(|byte| *byte == b')').next());
        let mut product = Some(1_u64);
        for side in sides.unwrap_or_default().split(|byte| *byte == b',') {
            let side = side.trim_ascii();
            if !side.is_empty() {
                let side = str::from_utf8(side).ok().and_then(|side| side.parse().ok());
                product = product
                    .zip(side)
                    .and_then(|(product, side): (u64, u64)| product.checked_mul(side.max(1)));
            }
        }
        if product.is_none() {
            let message = "its shape is no list of sizes that memory could hold";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
    }
    Ok(())
}

/// The decoder for a type of element and the element's size; `None` for what is no number.
fn decoder(dtype: &DType) -> Option<(usize, Decode)> {
    let DType::Plain(element) = dtype else {
        return None;
    };
    let size = dtype.num_bytes()?;
    let decode = match (element.type_char(), size) {
        (TypeChar::Float, 8) => decode_as(dtype, |value: f64| value),
        (TypeChar::Float, 4) => decode_as(dtype, |value: f32| value.into()),
        (TypeChar::Int, 1) => decode_as(dtype, |value: i8| value.into()),
        (TypeChar::Int, 2) => decode_as(dtype, |value: i16| value.into()),
        (TypeChar::Int, 4) => decode_as(dtype, |value: i32| value.into()),
        // Beyond 2⁵³ the nearest number of 64-bit floating point.
        (TypeChar::Int, 8) => decode_as(dtype, |value: i64| value as f64),
        (TypeChar::Uint, 1) => decode_as(dtype, |value: u8| value.into()),
        (TypeChar::Uint, 2) => decode_as(dtype, |value: u16| value.into()),
        (TypeChar::Uint, 4) => decode_as(dtype, |value: u32| value.into()),
        (TypeChar::Uint, 8) => decode_as(dtype, |value: u64| value as f64),
        (TypeChar::Bool, 1) => decode_as(dtype, |value: bool| value.into()),
        _ => None,
    };
    Some((size, decode?))
}

fn decode_as<T>(dtype: &DType, number: fn(T) -> f64) -> Option<Decode>
where
    T: Deserialize<TypeReader: 'static> + 'static,
{
    let reader = T::reader(dtype).ok()?;
    let size = dtype.num_bytes()?;
    Some(Box::new(move |bytes, values| {
        for element in bytes.chunks_exact(size) {
            values.push(number(reader.read_one(element)?));
        }
        Ok(())
    }))
}
