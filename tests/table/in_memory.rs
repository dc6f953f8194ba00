//! Tables and designs of what a caller has in memory.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design,
    design::{DesignError, DesignOptions, MatrixOptions},
    table::{MISSING, Missing, Table, TableError, Values},
};

#[test]
fn columns_of_several_kinds_make_one_table() {
    let columns: [(&str, Values); 5] = [
        ("number", vec![0.5, f64::NAN, -1.0].into()),
        ("byte", vec![0_u8, 255, 7].into()),
        ("whole", vec![-3_i32, 0, 70_000].into()),
        ("text", vec!["b", "a", "b"].into()),
        ("gaps", vec![Some("z"), None, Some("")].into()),
    ];
    let table = Table::from_columns(columns).unwrap();
    assert_eq!((table.rows, table.response), (3, None));
    let values = |name: &str| &table.columns[table.position(name).unwrap()].values;
    let factor = |levels: &[&str], codes: &[u32]| Values::Factor {
        levels: levels.iter().map(|level| (*level).to_owned()).collect(),
        codes: codes.to_vec(),
    };
    assert!(matches!(values("number"), Values::Numbers(values) if values[1].is_nan()));
    assert_eq!(values("byte"), &Values::Bytes(vec![0, 255, 7]));
    assert_eq!(values("whole"), &Values::from(vec![-3.0, 0.0, 70_000.0]));
    assert_eq!(values("text"), &factor(&["a", "b"], &[1, 0, 1]));
    assert_eq!(values("gaps"), &factor(&["", "z"], &[1, MISSING, 0]));
}

#[test]
fn columns_that_make_no_table_are_refused() {
    let refused = |columns: Vec<(&str, Values)>| Table::from_columns(columns).unwrap_err();
    let numbers = |values: &[f64]| Values::from(values);
    let told = |error: TableError| error.to_string();
    assert!(Table::from_columns([("a", vec![1.0].into()), ("b", vec!["u"].into())]).is_ok());
    assert!(matches!(refused(vec![]), TableError::NoColumns { .. }));
    let empty = refused(vec![("a", numbers(&[]))]);
    assert!(matches!(empty, TableError::NoRows { .. }), "{empty}");
    let one = || ("a", numbers(&[1.0, 2.0]));
    assert_eq!(
        told(refused(vec![one(), ("b", numbers(&[1.0]))])),
        "the columns: column `b` has 1 values, but 2 are expected"
    );
    assert_eq!(
        told(refused(vec![one(), (" ", numbers(&[1.0, 2.0]))])),
        "the columns: column 2 has no name; give it one"
    );
    assert_eq!(
        told(refused(vec![one(), one()])),
        "the columns: columns 1 and 2 are both named `a`; rename one"
    );
    assert_eq!(
        told(refused(vec![("a", numbers(&[1.0, f64::INFINITY]))])),
        "the columns: row 2, column `a` is infinite; mend the value, or make it NaN"
    );
}

fn matrices() -> (DMatrix<f64>, DVector<f64>) {
    let x = DMatrix::from_fn(12, 4, |i, j| ((i + 2) * (3 * j + 5) % 11) as f64);
    let y = DVector::from_fn(12, |i, _| (i * i % 7) as f64);
    (x, y)
}

#[test]
fn a_design_of_matrices_is_that_of_a_table_with_their_columns() {
    let (mut x, y) = matrices();
    x[(5, 1)] = f64::NAN;
    let weights: Vec<f64> = (0..12).map(|i| f64::from(i % 4)).collect();
    let names = ["a", "b", "weights", "d"];
    let of_matrices = Design::from_matrices(
        &x,
        &y,
        &MatrixOptions {
            names: Some(&names),
            response: "out",
            weights: Some(&weights),
            keep: &[3, 1],
            missing: Missing::DropRows,
            intercept: false,
            p_total: Some(9),
            ..MatrixOptions::default()
        },
    )
    .unwrap();
    let columns = names.iter().zip(x.column_iter());
    let columns = columns.map(|(name, values)| (*name, values.as_slice().into()));
    let response = std::iter::once(("out", y.as_slice().into()));
    let w = std::iter::once(("w", weights.clone().into()));
    let table = Table::from_columns(response.chain(columns).chain(w)).unwrap();
    let of_table = Design::from_table(
        table,
        &DesignOptions {
            response: Some("out"),
            weights: Some("w"),
            keep: &["d", "b"].map(str::to_owned),
            missing: Missing::DropRows,
            intercept: false,
            p_total: Some(9),
            ..DesignOptions::default()
        },
    )
    .unwrap();
    // A column of X may bear the name that the weights would have.
    assert_eq!(of_matrices.weights(), Some("weights_"));
    assert_eq!(of_matrices.n(), 8);
    let name = |j: &u32| of_matrices.variables()[*j as usize].name.as_str();
    let kept: Vec<&str> = of_matrices.keep().iter().map(name).collect();
    assert_eq!(kept, ["b", "d"]);
    assert_eq!(of_matrices.columns().values(), of_table.columns().values());
    assert_eq!(of_matrices.y(), of_table.y());
    assert_eq!(of_matrices.variables(), of_table.variables());
    assert_eq!(of_matrices.response(), of_table.response());
    assert_eq!(of_matrices.weight_values(), of_table.weight_values());
    assert_eq!(of_matrices.p_total(), Some(9));
    assert_eq!(of_matrices.warnings(), of_table.warnings());
}

#[test]
fn matrices_that_do_not_fit_are_refused() {
    let (x, y) = matrices();
    let refused = |options: &MatrixOptions| Design::from_matrices(&x, &y, options).unwrap_err();
    let default = MatrixOptions::default;
    let told = |options: &MatrixOptions| refused(options).to_string();
    let short = Design::from_matrices(&x, &DVector::zeros(11), &default()).unwrap_err();
    assert_eq!(
        short.to_string(),
        "X is 12 × 4, y has 11 values: each needs one a row"
    );
    let weights = [1.0; 3];
    let with = MatrixOptions {
        weights: Some(&weights),
        ..default()
    };
    assert_eq!(
        told(&with),
        "X is 12 × 4, y has 12 values and there are 3 weights: each needs one a row"
    );
    let names = MatrixOptions {
        names: Some(&["a", "b"]),
        ..default()
    };
    assert_eq!(told(&names), "2 names for 4 columns: X needs one a column");
    let twice = MatrixOptions {
        names: Some(&["a", "b", "y", "d"]),
        ..default()
    };
    assert_eq!(
        told(&twice),
        "the matrices: columns 1 and 4 are both named `y`; rename one"
    );
    let keep = MatrixOptions {
        keep: &[0, 4],
        ..default()
    };
    assert_eq!(
        told(&keep),
        "column 4 is to be kept, but X has 4 columns, counted from 0"
    );
    assert!(matches!(
        refused(&keep),
        DesignError::KeptColumn {
            column: 4,
            columns: 4
        }
    ));
}
