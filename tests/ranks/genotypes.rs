//! Genotypes at two bits, of which each rank holds its own.

use super::{same, with};

#[test]
fn searches_of_genotypes_are_those_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    // Covariates, some of whom miss one, and variants of which some are rare, miss many or have dosages.
    let beside = |name: &str, people: &[String]| {
        let mut text = "IID age sex height\n".to_owned();
        for (at, id) in people.iter().enumerate() {
            let age = match at {
                3 => "NA".to_owned(),
                _ => (at * 37 % 41).to_string(),
            };
            text += &format!("{id} {age} {} {}\n", at % 2, (at * at * 13 + at) % 101);
        }
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let fields = |path: &str, at: usize| -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| line.split_whitespace().nth(at).unwrap().to_owned())
            .collect()
    };
    let epistasis = beside("epistasis", &fields("examples/data/epistasis.fam", 1));
    let dosages = beside("dosages", &fields("tests/table/pgen/dosages.psam", 0));
    let walk = ["--particles", "6", "--iterations", "8", "--max-size", "6"];
    for (data, beside) in [
        ("examples/data/epistasis.bed", epistasis),
        ("tests/table/pgen/dosages.pgen", dosages),
    ] {
        let (phenotype, covariates) = (format!("{beside}:height"), format!("{beside}:age,sex"));
        for more in [
            &[][..],
            &["--maf", "0.2", "--max-missing", "0.2"],
            &[
                "--covariates",
                &covariates,
                "--maf",
                "0.1",
                "--encode",
                "dominant",
            ],
            &["--covariates", &covariates, "--criterion", "aic"],
            &["--encode", "genotypic", "--maf", "0.2"],
        ] {
            for over in ["columns", "sweeps", "particles"] {
                let own = ["--phenotype", &phenotype, "--over", over];
                let more = [&own, more, &walk].concat();
                same(&with("select", &[data], &more), &[2, 3]);
            }
        }
    }
}
