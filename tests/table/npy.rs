//! Arrays of NumPy, with and without a response.

use super::*;

fn npy(dtype: &str, fortran: bool, shape: &str, elements: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let padding = 64 - (10 + header.len() + 1) % 64;
    let header = format!("{header}{}\n", " ".repeat(padding));
    let length = (header.len() as u16).to_le_bytes();
    [
        b"\x93NUMPY\x01\x00",
        &length[..],
        header.as_bytes(),
        elements,
    ]
    .concat()
}

fn f8(values: &[f64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

#[test]
fn arrays_of_either_order_and_compressed() {
    let c = npy(
        "<f8",
        false,
        "(2, 3)",
        &f8(&[1.0, 2.0, 3.0, 4.0, NAN, -0.0]),
    );
    let fortran = npy("<f8", true, "(2, 3)", &f8(&[1.0, 4.0, 2.0, NAN, 3.0, -0.0]));
    for (name, bytes) in [
        ("t.npy", c.clone()),
        ("t.npy", fortran),
        ("t.npy.gz", gzip(&c)),
    ] {
        let table = read_as(name, bytes).expect("good");
        assert_eq!((names(&table), table.rows), (vec!["x0", "x1", "x2"], 2));
        assert_eq!(table.response, None);
        assert_numbers(&table, 0, &[1.0, 4.0]);
        assert_numbers(&table, 1, &[2.0, NAN]);
        assert_numbers(&table, 2, &[3.0, -0.0]);
    }
}

#[test]
fn arrays_larger_than_any_block() {
    let (rows, width) = (5_003, 37);
    let value = |row: usize, column: usize| (row * width + column) as f64;
    let each = |outer, inner, value: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (0..outer)
            .flat_map(|i| (0..inner).map(move |j| (i, j)))
            .map(|(i, j)| value(i, j))
            .collect()
    };
    let shape = format!("({rows}, {width})");
    let c = npy("<f8", false, &shape, &f8(&each(rows, width, &value)));
    let fortran = npy(
        "<f8",
        true,
        &shape,
        &f8(&each(width, rows, &|j, i| value(i, j))),
    );
    let table = read_as("t.npy", c).expect("good");
    for (position, column) in table.columns.iter().enumerate() {
        let expected: Vec<f64> = (0..rows).map(|row| value(row, position)).collect();
        assert_eq!(column.values, Values::from(expected));
    }
    assert_eq!(
        read_as("t.npy", fortran).expect("good").columns,
        table.columns
    );
}

#[test]
fn elements_of_every_numeric_type() {
    let wide = (1_i64 << 53) + 1;
    let cases: [(&str, Vec<u8>, [f64; 2]); 15] = [
        ("<f8", f8(&[1.5, -2.5]), [1.5, -2.5]),
        (
            ">f8",
            [1.5_f64.to_be_bytes(), (-2.5_f64).to_be_bytes()].concat(),
            [1.5, -2.5],
        ),
        (
            "<f4",
            [1.5_f32.to_le_bytes(), 0.1_f32.to_le_bytes()].concat(),
            [1.5, 0.1_f32.into()],
        ),
        (
            ">f4",
            [1.5_f32.to_be_bytes(), 0.1_f32.to_be_bytes()].concat(),
            [1.5, 0.1_f32.into()],
        ),
        ("|i1", vec![1, 0xfe], [1.0, -2.0]),
        ("|u1", vec![1, 0xfe], [1.0, 254.0]),
        ("|b1", vec![0, 1], [0.0, 1.0]),
        ("<i2", vec![1, 0, 0xfe, 0xff], [1.0, -2.0]),
        (">i2", vec![0, 1, 0xff, 0xfe], [1.0, -2.0]),
        ("<u2", vec![1, 0, 0xfe, 0xff], [1.0, 65534.0]),
        (
            "<i4",
            [1_i32.to_le_bytes(), (-2_i32).to_le_bytes()].concat(),
            [1.0, -2.0],
        ),
        (
            ">u4",
            [1_u32.to_be_bytes(), u32::MAX.to_be_bytes()].concat(),
            [1.0, 4294967295.0],
        ),
        (
            "<i8",
            [wide.to_le_bytes(), (-2_i64).to_le_bytes()].concat(),
            [9007199254740992.0, -2.0],
        ),
        (
            "<u8",
            [1_u64.to_le_bytes(), u64::MAX.to_le_bytes()].concat(),
            [1.0, 2_f64.powi(64)],
        ),
        (
            ">u8",
            [1_u64.to_be_bytes(), u64::MAX.to_be_bytes()].concat(),
            [1.0, 2_f64.powi(64)],
        ),
    ];
    for (dtype, elements, expected) in cases {
        let table = read_as("t.npy", npy(dtype, false, "(2, 1)", &elements)).expect(dtype);
        assert_numbers(&table, 0, &expected);
        // What 64-bit floating point rounds is known, for it is refused where it is used.
        let rounded = table.rounded.iter();
        let found: Vec<_> = rounded.map(|own| (own.row, &*own.number)).collect();
        match dtype {
            "<i8" => assert_eq!(found, [(1, "9007199254740993")]),
            "<u8" | ">u8" => assert_eq!(found, [(2, "18446744073709551615")]),
            _ => assert_eq!(found, []),
        }
    }
    for dtype in ["<f2", "<c16", "<M8[ns]", "<U2", "|O", "|S8"] {
        assert_told(
            read_as("t.npy", npy(dtype, false, "(1, 1)", &[0; 16])),
            &["t.npy", "type"],
        );
    }
    assert_told(
        read_as("t.npy", npy("|b1", false, "(1, 1)", &[7])),
        &["t.npy", "bool"],
    );
}

fn npy_with(response: &str, bytes: &[u8]) -> Result<Table, TableError> {
    let folder = Folder::new();
    let design = folder.write("t.npy", npy("<f8", false, "(3, 2)", &f8(&[1.0; 6])));
    let response = folder.write(response, bytes);
    let options = ReadOptions {
        response: response.to_str(),
        ..ReadOptions::default()
    };
    read(&design, &options)
}

#[test]
fn a_second_array_is_the_response() {
    let y = [7.0, NAN, 9.0];
    for (name, shape) in [
        ("yield.npy", "(3,)"),
        ("yield.NPY", "(3, 1)"),
        ("yield.npy.gz", "(3,)"),
    ] {
        let bytes = npy("<f8", false, shape, &f8(&y));
        let bytes = if name.ends_with("gz") {
            gzip(&bytes)
        } else {
            bytes
        };
        let table = npy_with(name, &bytes).expect(name);
        assert_eq!(
            (names(&table), table.response),
            (vec!["x0", "x1", "yield"], Some(2))
        );
        assert_numbers(&table, 2, &y);
    }
    let good = npy("<f8", false, "(3,)", &f8(&y));
    assert_told(
        npy_with("x1.npy", &good),
        &["t.npy", "columns 2 and 3", "`x1`"],
    );
    assert_told(npy_with("y.csv", &good), &["y.csv", ".npy"]);
    let four = npy("<f8", false, "(4,)", &f8(&[1.0; 4]));
    assert_told(
        npy_with("y.npy", &four),
        &["t.npy", "(3, 2)", "y.npy", "(4,)"],
    );
    let wide = npy("<f8", false, "(3, 2)", &f8(&[1.0; 6]));
    assert_told(npy_with("y.npy", &wide), &["y.npy", "(3, 2)", "n × 1"]);
    let infinite = npy("<f8", false, "(3,)", &f8(&[1.0, 2.0, f64::INFINITY]));
    assert_told(npy_with("y.npy", &infinite), &["y.npy", "row 3", "`y`"]);
}

#[test]
fn arrays_of_other_shapes_are_refused() {
    for (shape, elements) in [("(6,)", 6), ("(1, 2, 3)", 6), ("()", 1)] {
        let bytes = npy("<f8", false, shape, &f8(&vec![1.0; elements]));
        assert_told(read_as("t.npy", bytes), &["t.npy", shape, "n × p"]);
    }
    assert_told(
        read_as("t.npy", npy("<f8", false, "(0, 2)", b"")),
        &["t.npy", "no observations"],
    );
    assert_told(
        read_as("t.npy", npy("<f8", false, "(2, 0)", b"")),
        &["t.npy", "no variables"],
    );
}

#[test]
fn infinite_elements_are_refused_at_their_place() {
    let values = f8(&[1.0, 2.0, 3.0, 4.0, f64::NEG_INFINITY, 6.0]);
    let c = npy("<f8", false, "(2, 3)", &values);
    assert_told(read_as("t.npy", c), &["t.npy", "row 2", "`x1`", "infinite"]);
    let fortran = npy("<f8", true, "(2, 3)", &values);
    assert_told(
        read_as("t.npy", fortran),
        &["t.npy", "row 1", "`x2`", "infinite"],
    );
}

#[test]
fn arrays_cut_off_or_overblown_are_refused() {
    let whole = npy("<f8", false, "(2, 3)", &f8(&[1.0; 6]));
    for end in 0..whole.len() {
        assert_told(read_as("t.npy", &whole[..end]), &["t.npy"]);
    }
    for (name, bytes) in [
        ("t.npy", whole.clone()),
        ("t.npy.gz", gzip(&whole[..whole.len() - 9])),
    ] {
        let bytes = if name == "t.npy" {
            &bytes[..bytes.len() - 9]
        } else {
            &bytes
        };
        assert_told(read_as(name, bytes), &[name, "48 bytes", "39 found"]);
    }
    for shape in [
        "(4294967296, 4294967296)",
        "(4294967296, 268435456)",
        "(1099511627776, 2)",
        "(2, 1099511627776)",
        "(0, 4294967296, 4294967296)",
        "(99999999999999999999999, 1)",
        "(0xffffffffffff, 0xffffffffffff)",
        "(-1, 2)",
        "(2L, 2)",
        "5",
        &format!("{}1{}", "(".repeat(5_000), ")".repeat(5_000)),
    ] {
        for fortran in [false, true] {
            let bytes = npy("<f8", fortran, shape, &[0; 64]);
            assert_told(read_as("t.npy", &bytes), &["t.npy"]);
            assert_told(read_as("t.npy.gz", gzip(&bytes)), &["t.npy.gz"]);
        }
    }
    assert_told(
        read_as("t.npy", "a,b\n1,2\n"),
        &["t.npy", "not an .npy array"],
    );
}
