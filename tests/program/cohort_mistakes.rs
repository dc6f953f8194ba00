//! What is told of files beside genotypes that are wrong.

use crate::cohorts::{BESIDE, PEOPLE, age, folder};
use crate::support::Folder;

#[test]
fn what_is_wrong_is_told_with_its_mend() {
    let refused = |change: &dyn Fn(&Folder), arguments: &[&str], told: &[&str]| {
        let folder = folder();
        change(&folder);
        let ran = folder.run(&[&["select", "d.bed"][..], arguments].concat());
        assert_eq!(
            (ran.code, &*ran.stdout),
            (Some(2), ""),
            "{arguments:?} {}",
            ran.stderr
        );
        for part in told {
            assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
        }
    };
    let none = |_: &Folder| {};
    let write = |name: &'static str, text: &'static str| {
        move |folder: &Folder| {
            folder.write(name, text);
        }
    };
    refused(
        &none,
        &["--phenotype", "pheno.txt"],
        &["pheno.txt", "Y1, Y2", "pheno.txt:Y1"],
    );
    refused(
        &none,
        &["--phenotype", "pheno.txt:Y3"],
        &["pheno.txt", "`Y3`", "Y1"],
    );
    refused(&none, &["--phenotype", "none.txt:Y1"], &["none.txt"]);
    let of = |text| write("p.txt", text);
    // A column that is called as a variant is, unless the variant is left out.
    let called = |folder: &Folder| {
        let rows = (0..PEOPLE).map(|i| format!("p{i} {}\n", age(i)));
        folder.write(
            "c.txt",
            &("IID rs4\n".to_owned() + &rows.collect::<String>()),
        );
        folder.write("rs4.txt", "rs4\n");
    };
    let beside = [&BESIDE[..2], &["--covariates", "c.txt"]].concat();
    let told = ["error: c.txt: ", "`rs4`", "d.bim", "rename", "--exclude"];
    refused(&called, &beside, &told);
    let own = folder();
    called(&own);
    own.write(
        "jobs.toml",
        "[[job]]\ndata = \"d.bed\"\nphenotype = \"pheno.txt:Y1\"\ncovariates = \"c.txt\"\n",
    );
    let checked = own.run(&["run", "jobs.toml", "--check", "--open"]);
    assert_eq!(checked.code, Some(2), "{}", checked.stderr);
    let all = checked.stdout + &checked.stderr;
    assert!(all.contains("`rs4`") && all.contains("--exclude"), "{all}");
    let ran = own.run(&[&["select", "d.bed", "--exclude", "rs4.txt"], &beside[..]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    refused(
        &of("A B\n1 2\n"),
        &["--phenotype", "p.txt"],
        &["p.txt", "A, B", "FID and IID"],
    );
    refused(
        &of("FID IID Y\nx y 1\nz y 2\n"),
        &["--phenotype", "p.txt"],
        &["p.txt", "none of its people", "x y", "f0 p0"],
    );
    refused(
        &of("IID Y\np1 1\np2 2\np1 3\n"),
        &["--phenotype", "p.txt"],
        &["p.txt", "rows 1 and 3", "`p1`"],
    );
    refused(
        &of("IID\np1\np2\n"),
        &["--phenotype", "p.txt"],
        &["p.txt", "no other column"],
    );
    refused(
        &of("IID Y\np1 NA\np2 -9\n"),
        &["--phenotype", "p.txt"],
        &["nobody is left", "without a value of Y"],
    );
    let mut same = "IID Y\n".to_owned();
    (0..PEOPLE).for_each(|i| same += &format!("p{i} 2.5\n"));
    let same = move |folder: &Folder| {
        folder.write("p.txt", &same);
    };
    refused(&same, &["--phenotype", "p.txt"], &["`Y`", "2.5"]);
    let mut twice = "IID a b\n".to_owned();
    (0..PEOPLE).for_each(|i| twice += &format!("p{i} {} {}\n", age(i), 2.0 * age(i) + 1.0));
    let twice = move |folder: &Folder| {
        folder.write("c.txt", &twice);
    };
    refused(
        &twice,
        &[&BESIDE[..2], &["--covariates", "c.txt"]].concat(),
        &["--covariates", "the other kept variables explain it"],
    );
    refused(
        &none,
        &["--chromosome", "9"],
        &["d.bim", "--chromosome 9", "chr2"],
    );
    refused(
        &none,
        &["--range", "1:5000-6000"],
        &["d.bim", "none of its variants is left"],
    );
    refused(&none, &["--range", "1"], &["range", "CHROMOSOME:FROM-TO"]);
    refused(&none, &["--maf", "0.7"], &["maf", "0.5"]);
    refused(
        &none,
        &[&BESIDE[..2], &["--maf", "0.5", "--extract", "want.snps"]].concat(),
        &["no variant is left", "--maf"],
    );
    refused(
        &write("l.txt", "rs77\n"),
        &["--extract", "l.txt"],
        &["l.txt", "none of its 1 variants"],
    );
    refused(
        &write("l.txt", "\n"),
        &["--extract", "l.txt"],
        &["l.txt", "lists no variant"],
    );
    refused(
        &write("l.txt", "f9 p8\n"),
        &["--keep-people", "l.txt"],
        &["l.txt", "f9 p8"],
    );
    refused(
        &write("l.txt", ""),
        &["--remove", "l.txt"],
        &["l.txt", "lists nobody"],
    );
    refused(
        &none,
        &[&BESIDE[..2], &["--response", "Y2"]].concat(),
        &["phenotype", "response = Y2"],
    );
    refused(
        &none,
        &[&BESIDE[..], &["--interactions", "2"]].concat(),
        &["covariates", "formula or interactions"],
    );
    refused(
        &none,
        &[&BESIDE[..2], &["--method", "jmi", "--missing", "mean"]].concat(),
        &["--missing mean", "pairwise"],
    );
    refused(
        &none,
        &[&BESIDE[..], &["--method", "jmi"]].concat(),
        &["covariates has no effect"],
    );
    let csv = folder();
    let ran = csv.run(&["select", "cov.csv", "--response", "age", "--maf", "0.1"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("--maf is for genotypes"),
        "{}",
        ran.stderr
    );
}
