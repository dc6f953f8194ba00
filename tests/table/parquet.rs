//! Parquet, written by the crate itself and by pyarrow; and its refusals.

use std::sync::Arc;

use ::parquet::{
    data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type},
    file::{
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::parser::parse_message_type,
};
use passel::table::is_npy;
use proptest::prelude::*;

use super::*;

/// A file of this schema, the columns of each row group written by `write`.
fn file(
    schema: &str,
    groups: usize,
    write: impl Fn(usize, &mut SerializedRowGroupWriter<Vec<u8>>),
) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    // Pages of a few values, so that a column has many.
    let properties = WriterProperties::builder()
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(10)
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for at in 0..groups {
        let mut group = file.next_row_group().unwrap();
        write(at, &mut group);
        group.close().unwrap();
    }
    file.into_inner().unwrap()
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<Vec<u8>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) {
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<T>()
        .write_batch(values, levels, None)
        .unwrap();
    column.close().unwrap();
}

#[test]
fn every_type_that_pyarrow_writes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/table/columns.parquet");
    let table = read(&path, &ReadOptions::default()).expect("good");
    assert_eq!((table.rows, table.response), (5, None));
    let expected: [(&str, [f64; 5]); 13] = [
        ("f8", [1.5, NAN, -2.25, 1e300, 0.1]),
        ("f4", [1.5, 2.5, NAN, -0.5, 0.25]),
        ("f2", [1.5, -2.0, 6.103_515_625e-5, 65504.0, NAN]),
        ("i1", [1.0, -128.0, 127.0, NAN, 0.0]),
        ("u1", [1.0, 255.0, 0.0, 7.0, NAN]),
        ("i2", [1.0, -32768.0, 32767.0, 3.0, 4.0]),
        ("u2", [1.0, 65535.0, 0.0, 3.0, 4.0]),
        ("i4", [1.0, -2_147_483_648.0, 2_147_483_647.0, 3.0, 4.0]),
        ("u4", [1.0, 4_294_967_295.0, 2_147_483_648.0, 3.0, 4.0]),
        ("i8", [1.0, -(2f64.powi(63)), 2f64.powi(53), 3.0, NAN]),
        ("u8", [1.0, 2f64.powi(64), 2f64.powi(63), 3.0, NAN]),
        ("flag", [1.0, 0.0, NAN, 1.0, 0.0]),
        ("nothing", [NAN; 5]),
    ];
    for (name, values) in expected {
        println!("{name}");
        assert_numbers(&table, table.position(name).expect(name), &values);
    }
    let factor = |name, levels: &[&str], codes: &[u32]| {
        assert_factor(&table, table.position(name).expect(name), levels, codes);
    };
    factor("text", &["", "a", "b"], &[2, 1, MISSING, 2, 0]);
    factor("large", &["a", "z", "é"], &[2, 0, 1, 2, 0]);
    factor("coded", &["x", "y"], &[1, 0, 1, MISSING, 1]);
    assert_eq!(names(&table).len(), 16);
}

#[test]
fn many_pages_and_row_groups_join() {
    let rows = 40_000;
    let value = |row: usize| row as f64 / 7.0;
    let bytes = file(
        "required double a; optional int64 b; optional byte_array c (utf8);",
        3,
        |at, group| {
            // The second group is smaller, the third empty.
            let rows = (at * rows..).take([rows, rows / 3, 0][at]);
            let a: Vec<f64> = rows.clone().map(value).collect();
            column::<DoubleType>(group, &a, None);
            let there = |row: &usize| !row.is_multiple_of(3);
            let levels: Vec<i16> = rows.clone().map(|row| i16::from(there(&row))).collect();
            let b: Vec<i64> = rows.clone().filter(there).map(|row| row as i64).collect();
            column::<Int64Type>(group, &b, Some(&levels));
            let c = rows.filter(there).map(|row| format!("l{}", row % 50));
            let c: Vec<ByteArray> = c.map(|text| text.as_str().into()).collect();
            column::<ByteArrayType>(group, &c, Some(&levels));
        },
    );
    let table = read_as("t.Parquet", bytes).expect("good");
    assert_eq!(
        (names(&table), table.rows),
        (vec!["a", "b", "c"], rows + rows / 3)
    );
    let all = (0..table.rows).map(|row| if row < rows { row } else { row - rows + rows });
    let a: Vec<f64> = all.clone().map(value).collect();
    assert_numbers(&table, 0, &a);
    let b = all
        .clone()
        .map(|row| if row % 3 > 0 { row as f64 } else { NAN });
    assert_numbers(&table, 1, &b.collect::<Vec<_>>());
    let Values::Factor { levels, codes } = &table.columns[2].values else {
        panic!("text is a factor");
    };
    assert_eq!(levels.len(), 50);
    for (row, &code) in all.zip(codes) {
        match row % 3 {
            0 => assert_eq!(code, MISSING),
            _ => assert_eq!(levels[code as usize], format!("l{}", row % 50)),
        }
    }
}

#[test]
fn integers_that_floating_point_rounds_are_found() {
    let bytes = file(
        "required int64 a; required int64 b (integer(64, false)); required int64 c;",
        2,
        |_, group| {
            column::<Int64Type>(group, &[1 << 53, (1 << 53) + 1], None);
            column::<Int64Type>(group, &[-1, 1 << 53], None);
            column::<Int64Type>(group, &[i64::MIN, -1], None);
        },
    );
    let table = read_as("t.parquet", bytes).expect("good");
    let found = table.rounded.iter();
    let found: Vec<_> = found
        .map(|own| (own.position, own.row, &*own.number))
        .collect();
    let expected = [(0, 2, "9007199254740993"), (1, 1, "18446744073709551615")];
    assert_eq!(found, expected);
}

#[test]
fn numbers_are_read_as_factors_where_asked() {
    let bytes = file("required boolean a; required int64 b;", 1, |_, group| {
        column::<::parquet::data_type::BoolType>(group, &[true, false], None);
        column::<Int64Type>(group, &[10, 9], None);
    });
    let path = Folder::new();
    let path = path.write("t.parquet", bytes);
    let options = |factors| ReadOptions {
        factors,
        ..ReadOptions::default()
    };
    let named = ["a".to_owned(), "b".to_owned()];
    let table = read(&path, &options(&named)).expect("good");
    assert_factor(&table, 0, &["0", "1"], &[1, 0]);
    assert_factor(&table, 1, &["9", "10"], &[1, 0]);
    let none = ["bb".to_owned()];
    assert_told(
        read(&path, &options(&none)),
        &["t.parquet", "`bb`", "did you mean `b`"],
    );
    assert!(!is_npy(&path));
}

#[test]
fn columns_of_other_types_are_refused_by_name() {
    for (field, told) in [
        ("int32 d (decimal(9, 2));", "decimal numbers"),
        ("byte_array d (decimal(9, 2));", "decimal numbers"),
        ("int32 d (date);", "dates"),
        ("int64 d (timestamp(millis, true));", "times"),
        ("int64 d (timestamp(nanos, false));", "times"),
        ("int64 d (timestamp_micros);", "times"),
        ("int32 d (time(millis, true));", "times"),
        ("int64 d (time(nanos, true));", "times"),
        ("int96 d;", "times"),
        ("byte_array d;", "bytes"),
        ("byte_array d (json);", "bytes"),
        ("fixed_len_byte_array (4) d;", "bytes"),
        ("group d { required double inside; }", "nested values"),
        (
            "group d (list) { repeated group list { required double element; } }",
            "nested values",
        ),
    ] {
        let schema = format!("required double a; optional {field}");
        let bytes = file(&schema, 0, |_, _| {});
        assert_told(
            read_as("t.parquet", bytes),
            &["t.parquet", "column `d`", told, "; "],
        );
    }
    let bytes = file("repeated double d;", 0, |_, _| {});
    assert_told(
        read_as("t.parquet", bytes),
        &["column `d`", "nested values"],
    );
}

#[test]
fn files_that_are_no_table_are_refused() {
    let doubles = |schema: &str, values: &[f64]| {
        file(schema, 1, |_, group| {
            column::<DoubleType>(group, values, None)
        })
    };
    let read_parquet = |bytes: &[u8]| read_as("t.parquet", bytes);
    let good = doubles("required double a;", &[1.0, 2.0]);
    assert_eq!(read_parquet(&good).expect("good").rows, 2);
    let infinite = doubles("required double a;", &[1.0, f64::INFINITY]);
    assert_told(
        read_parquet(&infinite),
        &["t.parquet", "row 2", "`a`", "infinite"],
    );
    let index = doubles("required double __index_level_0__;", &[1.0]);
    assert_told(read_parquet(&index), &["pandas", "index=False"]);
    assert_told(
        read_parquet(&doubles("required double a;", &[])),
        &["no observations"],
    );
    assert_told(read_parquet(&file("", 0, |_, _| {})), &["no variables"]);
    for part in [0, 7, good.len() / 2, good.len() - 1] {
        assert_told(
            read_parquet(&good[..part]),
            &["t.parquet", "Parquet", "again"],
        );
    }
    assert_told(
        read_as("t.parquet", "u,v\n1,2\n"),
        &["t.parquet", "Parquet"],
    );
    assert_told(
        read_as("t.parquet.gz", gzip(&good)),
        &[".gz, or in .bed, .pgen or .parquet"],
    );
    let twice = file("required double a; required double a;", 1, |_, group| {
        column::<DoubleType>(group, &[1.0], None);
        column::<DoubleType>(group, &[1.0], None);
    });
    assert_told(read_parquet(&twice), &["columns 1 and 2", "`a`"]);
    let text = file("required byte_array a (utf8);", 1, |_, group| {
        let bad: ByteArray = vec![b'a', 0xff].into();
        column::<ByteArrayType>(group, &["good".into(), bad], None);
    });
    assert_told(read_parquet(&text), &["row 2", "UTF-8"]);
    let folder = Folder::new();
    std::fs::create_dir(folder.0.path().join("d.parquet")).unwrap();
    let directory = folder.0.path().join("d.parquet");
    assert_told(
        read(&directory, &ReadOptions::default()),
        &["d.parquet", "directory"],
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn no_damage_makes_a_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let mut bytes = include_bytes!("columns.parquet").to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.drain(..cut.index(8));
        }
        let _ = read_as("t.parquet", bytes);
    }
}
