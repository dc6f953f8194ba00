//! Sets of codes in several formats: whichever is read, the codes are the same.

use std::path::Path;

use passel::table::{ReadOptions, read};

use super::{
    problems::{golden, needed},
    *,
};

fn levels(file: &Path, response: Option<&str>) -> BinnedColumns {
    let table = read(file, &ReadOptions::default()).unwrap();
    let options = BinningOptions {
        response,
        ..BinningOptions::default()
    };
    bin(table, &options).unwrap()
}

/// A file of a set in fast-mRMR's format has the codes of the same set as text.
fn fast_mrmr_has_the_codes(text: &Path, bytes: &Path) {
    let (text, bytes) = (levels(text, Some("class")), levels(bytes, None));
    assert_eq!(text.n, bytes.n);
    assert_eq!(text.response.codes, bytes.response.codes);
    assert_eq!(text.columns.len(), bytes.columns.len());
    for (a, b) in text.columns.iter().zip(&bytes.columns) {
        assert_eq!(a.name.replace('f', "x"), b.name);
        assert_eq!((&a.codes, &a.rule, a.levels), (&b.codes, &b.rule, b.levels));
    }
}

#[test]
fn sets_of_fast_mrmr_have_the_codes_of_the_text() {
    for (text, bytes) in [
        (
            "../../examples/data/breast_cancer.csv.gz",
            "breast_cancer.mrmr.gz",
        ),
        ("simulated.csv.gz", "simulated.mrmr.gz"),
    ] {
        fast_mrmr_has_the_codes(&golden(text), &golden(bytes));
    }
}

#[test]
#[ignore = "needs ../shared/golden"]
fn larger_sets_of_fast_mrmr_have_the_codes_of_the_text() {
    for set in ["breast_cancer", "digits", "synth200"] {
        let file = |ending| needed(&format!("golden/data/{set}.{ending}.gz"));
        fast_mrmr_has_the_codes(&file("csv"), &file("mrmr"));
    }
}

#[test]
fn a_set_of_many_zeros_is_the_same_as_libsvm() {
    same_as_libsvm(&golden("sparse.csv.gz"));
}

#[test]
#[ignore = "needs ../shared/golden"]
fn a_larger_set_of_many_zeros_is_the_same_as_libsvm() {
    same_as_libsvm(&needed("golden/data/sparse3000.csv.gz"));
}

/// Writes a set as libsvm's text, and compares the codes of both.
fn same_as_libsvm(file: &Path) {
    let text = read(file, &ReadOptions::default()).unwrap();
    let number = |at: usize, row: usize| match &text.columns[at].values {
        Values::Numbers(values) => values[row],
        _ => panic!("codes are numbers"),
    };
    let class = text.columns.len() - 1;
    let mut lines = String::new();
    for row in 0..text.rows {
        lines += &number(class, row).to_string();
        for j in 0..class {
            // In the first row zeros are written too, so that no column lacks.
            if number(j, row) != 0.0 || row == 0 {
                lines += &format!(" {j}:{}", number(j, row));
            }
        }
        lines.push('\n');
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.svm");
    std::fs::write(&path, lines).unwrap();
    let (text, sparse) = (levels(file, Some("class")), levels(&path, None));
    assert_eq!(text.response.codes, sparse.response.codes);
    assert_eq!(text.columns.len(), sparse.columns.len());
    for (a, b) in text.columns.iter().zip(&sparse.columns) {
        check(b, sparse.n);
        assert_eq!(a.codes.dense(), b.codes.dense());
        assert_eq!((&a.name, a.index, &a.rule), (&b.name, b.index, &b.rule));
    }
}
