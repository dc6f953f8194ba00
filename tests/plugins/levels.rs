//! What a procedure over levels is lent of each kind of column.

use super::{
    c_runs,
    program::{Folder, Ran},
};

/// Writes every column's numbers and codes to a file.
const TELLS: &str = "BODY=FILE*to=fopen(\"told\",\"w\");\
    for(column=0;column<=problem->p;column++){\
    problem->numbers(problem,column,numbers);problem->codes(problem,column,codes,&levels);\
    fprintf(to,\"%zu:\",levels);for(size_t row=0;row<problem->n;row++)\
    fprintf(to,\" %g/%u\",numbers[row],codes[row]);fprintf(to,\"\\n\");}fclose(to)";

fn told(folder: &Folder, data: &str, more: &[&str]) -> Option<String> {
    c_runs(&folder.path(""), &["OVER=PASSEL_OVER_LEVELS", TELLS])?;
    let select = [
        "select",
        data,
        "--method",
        "c-run",
        "--plugins",
        "libruns.so",
    ];
    let Ran { code, stderr, .. } = folder.run(&[&select[..], more].concat());
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    // C writes a NaN with or without its sign.
    Some(folder.read("told").replace("-nan", "nan"))
}

#[test]
fn numbers_and_texts_arrive_with_their_codes() {
    let folder = Folder::new();
    folder.write(
        "small.csv",
        "a,y,t,b\n5,0,red,1\n-2.5,1,blue,0\n5,1,red,1\n1,0,green,0\n",
    );
    let more = ["--response", "y"];
    let Some(told) = told(&folder, "small.csv", &more) else {
        return;
    };
    assert_eq!(
        told,
        "10: 5/9 -2.5/0 5/9 1/4\n\
         3: 2/2 0/0 2/2 1/1\n\
         2: 1/1 0/0 1/1 0/0\n\
         2: 0/0 1/1 1/1 0/0\n"
    );
}

#[test]
fn what_is_missing_is_a_level_and_no_number() {
    let folder = Folder::new();
    folder.write("small.csv", "a,t,y\n5,red,0\nNA,NA,1\n4,blue,1\n4,red,0\n");
    let level = ["--response", "y", "--missing", "level"];
    let Some(level) = told(&folder, "small.csv", &level) else {
        return;
    };
    let mut lines = level.lines();
    assert_eq!(lines.next(), Some("3: 5/1 nan/2 4/0 4/0"));
    assert_eq!(lines.next(), Some("3: 1/1 nan/2 0/0 1/1"));
    // Rows that are dropped are so for both.
    let dropped = ["--response", "y", "--missing", "drop-rows", "--drop", "a"];
    let dropped = told(&folder, "small.csv", &dropped).unwrap();
    assert_eq!(dropped, "2: 1/1 0/0 1/1\n2: 0/0 1/1 0/0\n");
}

#[test]
fn sparse_columns_arrive_whole() {
    let folder = Folder::new();
    folder.write("small.svm", "1 1:2.5\n0 2:1\n1\n0 1:2.5 2:3\n");
    let Some(told) = told(&folder, "small.svm", &[]) else {
        return;
    };
    assert_eq!(
        told,
        "10: 2.5/9 0/0 0/0 2.5/9\n3: 0/0 1/1 0/0 3/2\n2: 1/1 0/0 1/1 0/0\n"
    );
}
