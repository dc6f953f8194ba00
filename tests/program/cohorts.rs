//! Genotypes with tables beside them: who is used, which variants, and what is told of bad files.

use std::fs;

use crate::support::Folder;
use serde_json::Value;

pub(crate) const PEOPLE: usize = 60;
pub(crate) const VARIANTS: usize = 12;

/// Copies of the counted allele; 3 where they are missing.
fn copies(person: usize, variant: usize) -> usize {
    match (variant, (person * 7 + variant * 13) % 31) {
        // Nobody varies, nobody is known, few have a copy.
        (9, _) => 0,
        (10, _) => 3,
        (11, _) => usize::from(person < 2),
        (_, 0) => 3,
        (_, rest) => (rest * rest + person * (variant + 2) + person / 5) % 3,
    }
}

fn known(person: usize, variant: usize) -> f64 {
    match copies(person, variant) {
        3 => 1.0,
        known => known as f64,
    }
}

/// A trait of two variants, age and chance.
fn trait_of(person: usize) -> f64 {
    let chance = (person * 37 % 11) as f64 / 10.0;
    known(person, 2) - 0.8 * known(person, 5) + age(person) / 20.0 + chance
}

pub(crate) fn age(person: usize) -> f64 {
    (20 + person * 17 % 50) as f64
}

pub(crate) fn bed(people: &[usize], variants: &[usize]) -> Vec<u8> {
    let mut bed = vec![0x6c, 0x1b, 0x01];
    for variant in variants {
        for four in people.chunks(4) {
            let codes = four
                .iter()
                .map(|person| [0b11, 0b10, 0b00, 0b01][copies(*person, *variant)]);
            bed.push(
                codes
                    .enumerate()
                    .fold(0, |byte, (at, code)| byte | code << (2 * at)),
            );
        }
    }
    bed
}

/// The three files, phenotypes in another order, covariates and lists.
pub(crate) fn folder() -> Folder {
    let folder = Folder::new();
    let (people, variants) = (Vec::from_iter(0..PEOPLE), Vec::from_iter(0..VARIANTS));
    fs::write(folder.path("d.bed"), bed(&people, &variants)).unwrap();
    let chromosome = |j: usize| if j < 6 { "1" } else { "chr2" };
    let bim = variants
        .iter()
        .map(|j| format!("{}\trs{j}\t0\t{}\tA\tG\n", chromosome(*j), 100 * j));
    folder.write("d.bim", &bim.collect::<String>());
    let fam = people.iter().map(|i| format!("f{i} p{i} 0 0 1 -9\n"));
    folder.write("d.fam", &fam.collect::<String>());
    let mut phenotypes = "#FID IID Y1 Y2\n".to_owned();
    let mut covariates = "IID,age,site\n".to_owned();
    for i in people.iter().rev() {
        let own = match i {
            4 => "NA".to_owned(),
            5 => "-9".to_owned(),
            i => trait_of(*i).to_string(),
        };
        if *i != 3 {
            phenotypes += &format!("f{i} p{i} {own} {}\n", u8::from(i % 3 == 0));
        }
        let site = ["north", "south"][i % 2];
        match i {
            6 => covariates += &format!("p{i},,{site}\n"),
            i => covariates += &format!("p{i},{},{site}\n", age(*i)),
        }
    }
    phenotypes += "elsewhere nobody 1 1\n";
    folder.write("pheno.txt", &phenotypes);
    folder.write("cov.csv", &covariates);
    folder.write(
        "some.txt",
        &people[..50]
            .iter()
            .map(|i| format!("f{i} p{i}\n"))
            .collect::<String>(),
    );
    folder.write("not.txt", "IID\np0\np1\n");
    folder.write("want.snps", "rs1 any\nrs2\nrs5\nrs7\nrs99\n");
    folder
}

pub(crate) fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = folder.run(&[&["select", "d.bed", "--format", "json"][..], arguments].concat());
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

pub(crate) fn names(values: &Value) -> Vec<&str> {
    let values = values.as_array().unwrap();
    values
        .iter()
        .map(|own| own["name"].as_str().unwrap())
        .collect()
}

pub(crate) const BESIDE: [&str; 4] = ["--phenotype", "pheno.txt:Y1", "--covariates", "cov.csv"];

#[test]
fn people_are_found_by_id_and_those_who_lack_something_are_told() {
    let folder = folder();
    let report = json(&folder, &BESIDE);
    // p3 is not there, p4 and p5 have no value, p6 no age.
    assert_eq!(report["n"], PEOPLE - 4);
    assert_eq!(report["response"], "Y1");
    assert_eq!(report["kept"], serde_json::json!(["age", "site=south"]));
    let warnings = report["warnings"].to_string();
    let told = "4 of 60 people were left out: 1 not in pheno.txt, 2 without a value of Y1, 1 without a value of a \
                covariate in cov.csv";
    assert!(warnings.contains(told), "{warnings}");
    let missing = (0..PEOPLE).filter(|i| !(3..=6).contains(i));
    let missing = missing.flat_map(|i| (0..VARIANTS).map(move |j| (i, j)));
    let count = missing.filter(|(i, j)| copies(*i, *j) == 3).count();
    assert!(
        warnings.contains(&format!("{count} missing values were replaced by the mean")),
        "{warnings}"
    );
    let aside = report["set_aside"].as_array().unwrap();
    let reasons: Vec<_> = aside
        .iter()
        .map(|own| (&own["name"], &own["reason"]))
        .collect();
    assert_eq!(
        reasons,
        [
            (&"rs9".into(), &"constant".into()),
            (&"rs10".into(), &"missing in every row".into())
        ]
    );
    let chosen = names(&report["selected"]);
    assert!(
        chosen.contains(&"rs2") && chosen.contains(&"rs5"),
        "{chosen:?}"
    );
    let variant = report["selected"]
        .as_array()
        .unwrap()
        .iter()
        .find(|own| own["name"] == "rs2");
    let variant = &variant.unwrap()["variant"];
    let facts =
        ["chromosome", "position", "counted_allele", "other_allele"].map(|name| &variant[name]);
    assert_eq!(
        serde_json::json!(facts),
        serde_json::json!(["1", 200, "A", "G"])
    );
}

/// The same numbers as a table without genotypes give, whose missing values were replaced by hand.
#[test]
fn the_model_is_that_of_a_table_of_the_same_people() {
    let folder = folder();
    let report = json(&folder, &BESIDE);
    let people: Vec<usize> = (0..PEOPLE).filter(|i| !(3..=6).contains(i)).collect();
    let mut csv = "Y1,age,site".to_owned();
    (0..VARIANTS).for_each(|j| csv += &format!(",rs{j}"));
    for i in &people {
        csv += &format!(
            "\n{},{},{}",
            trait_of(*i),
            age(*i),
            ["north", "south"][i % 2]
        );
        for j in 0..VARIANTS {
            let all = people.iter().map(|i| copies(*i, j)).filter(|own| *own < 3);
            let (count, sum) = all.fold((0, 0), |(count, sum), own| (count + 1, sum + own));
            csv += &match copies(*i, j) {
                3 if count > 0 => format!(",{}", f64::from(sum as u32) / f64::from(count)),
                3 => ",0".to_owned(),
                own => format!(",{own}"),
            };
        }
    }
    folder.write("d.csv", &csv);
    let ran = folder.run(&[
        "select",
        "d.csv",
        "--response",
        "Y1",
        "--keep",
        "age,site",
        "--format",
        "json",
    ]);
    let expected: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    assert_eq!(names(&report["selected"]), names(&expected["selected"]));
    let near = |a: &Value, b: &Value| {
        let [a, b] = [a, b].map(|own| own.as_f64().unwrap());
        assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{a} {b}");
    };
    near(
        &report["criterion"]["value"],
        &expected["criterion"]["value"],
    );
    let both = report["selected"]
        .as_array()
        .unwrap()
        .iter()
        .zip(expected["selected"].as_array().unwrap());
    for (own, other) in both {
        near(&own["coefficient"], &other["coefficient"]);
        near(&own["std_error"], &other["std_error"]);
    }
}

#[test]
fn variants_and_people_are_chosen_by_options() {
    let folder = folder();
    let p = |arguments: &[&str]| {
        let report = json(&folder, &[&BESIDE[..2], arguments].concat());
        (report["p"].as_u64().unwrap(), report["n"].as_u64().unwrap())
    };
    // Ten vary.
    assert_eq!(p(&[]), (10, 57));
    assert_eq!(p(&["--chromosome", "2"]), (4, 57));
    assert_eq!(p(&["--chromosome", "chr1"]), (6, 57));
    assert_eq!(p(&["--chromosome", "1,2", "--range", "2:600-800"]), (3, 57));
    assert_eq!(p(&["--extract", "want.snps"]), (4, 57));
    assert_eq!(p(&["--exclude", "want.snps"]), (6, 57));
    assert_eq!(p(&["--maf", "0.1"]), (9, 57));
    assert_eq!(p(&["--max-missing", "0.5"]), (10, 57));
    assert_eq!(p(&["--keep-people", "some.txt"]), (10, 47));
    // Of those who alone have a copy of rs11 none is left.
    assert_eq!(p(&["--remove", "not.txt"]), (9, 55));
    assert_eq!(
        p(&["--keep-people", "some.txt", "--remove", "not.txt"]),
        (9, 45)
    );
    // Who has a copy, and who has two.
    let of = |encoding: &str| {
        let report = json(
            &folder,
            &[
                &BESIDE[..2],
                &["--encode", encoding, "--keep", "rs2", "--max-size", "1"],
            ]
            .concat(),
        );
        report["selected"][0]["variant"]["frequency"]
            .as_f64()
            .unwrap()
    };
    let used = || (0..PEOPLE).filter(|i| !(3..=5).contains(i) && copies(*i, 2) < 3);
    let share = |least: usize| {
        used().filter(|i| copies(*i, 2) >= least).count() as f64 / used().count() as f64
    };
    assert!((of("dominant") - share(1) / 2.0).abs() < 1e-12);
    assert!((of("recessive") - share(2) / 2.0).abs() < 1e-12);
    assert!((of("additive") - (share(1) + share(2)) / 2.0).abs() < 1e-12);
}

#[test]
fn several_phenotypes_get_a_model_each_and_job_files_have_the_options() {
    let folder = folder();
    let report = json(
        &folder,
        &[
            "--phenotype",
            "pheno.txt:Y1,Y2",
            "--covariates",
            "cov.csv:age",
        ],
    );
    assert_eq!(report["responses"].as_array().unwrap().len(), 2);
    folder.write(
        "jobs.toml",
        "[defaults]\ncovariates = \"cov.csv\"\nmaf = 0.05\n\n[[job]]\nname = \"one\"\ndata = \"d.bed\"\nphenotype = \"pheno.txt:Y1\"\n\n\
         [[job]]\nname = \"events\"\ndata = \"d.bed\"\nphenotype = \"pheno.txt:Y2\"\nfamily = \"binomial\"\nmax-size = 3\n",
    );
    let ran = folder.run(&["run", "jobs.toml", "--output", "out"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    // A table that changed makes the results of before old.
    let again = folder.run(&["run", "jobs.toml", "--output", "out", "--progress", "plain"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let text = fs::read_to_string(folder.path("cov.csv")).unwrap();
    folder.write("cov.csv", &text.replace("p7,", "p7,1"));
    let check = folder.run(&["run", "jobs.toml", "--output", "out", "--check"]);
    assert!(
        format!("{}{}", check.stdout, check.stderr).contains('2'),
        "{}",
        check.stdout
    );
}

#[test]
fn covariates_of_any_kind_leave_genotypes_at_two_bits() {
    let folder = folder();
    let mut covariates = "FID IID site\n".to_owned();
    (0..PEOPLE).for_each(|i| {
        covariates += &format!("f{i} p{i} {}\n", ["north", "south", "west"][i % 3]);
    });
    folder.write("sites.txt", &covariates);
    let text = fs::read_to_string(folder.path("pheno.txt")).unwrap();
    let weighted = text
        .replace("Y2\n", "Y2 w\n")
        .replace(" 1\n", " 1 2\n")
        .replace(" 0\n", " 0 1\n");
    folder.write("weighted.txt", &weighted);
    for (more, kept) in [
        (&[][..], 2),
        (&["--no-intercept"], 3),
        (&["--weights", "w"], 2),
    ] {
        let own = [
            "--phenotype",
            "weighted.txt:Y1",
            "--covariates",
            "sites.txt",
        ];
        let report = json(&folder, &[&own, more].concat());
        let selected = report["selected"].as_array().unwrap();
        assert!(
            selected.iter().any(|own| own["variant"].is_object()),
            "{more:?}"
        );
        assert_eq!(report["kept"].as_array().unwrap().len(), kept, "{more:?}");
    }
    // Levels without order have columns of their own.
    json(
        &folder,
        &[
            "--phenotype",
            "pheno.txt:Y2",
            "--family",
            "multinomial",
            "--max-size",
            "2",
        ],
    );
    // One table of both, whose phenotype is no covariate.
    let report = json(
        &folder,
        &["--phenotype", "pheno.txt:Y1", "--covariates", "pheno.txt"],
    );
    assert_eq!(report["kept"], serde_json::json!(["Y2"]));
}

#[test]
fn copies_of_a_variant_are_its_twins() {
    let folder = Folder::new();
    let people = Vec::from_iter(0..PEOPLE);
    // The third has the alleles of the first exchanged, and the second is the same.
    let mut bed = bed(&people, &[2, 2, 2, 5]);
    let stride = PEOPLE.div_ceil(4);
    for byte in &mut bed[3 + 2 * stride..][..stride] {
        let both = |byte: u8| (byte >> 1 & 0x55, byte & 0x55);
        let (upper, lower) = both(*byte);
        let known = !(upper ^ lower) & 0x55;
        *byte ^= known | known << 1;
    }
    fs::write(folder.path("d.bed"), bed).unwrap();
    folder.write(
        "d.bim",
        "1 a 0 1 A G\n1 b 0 2 A G\n1 c 0 3 A G\n1 d 0 4 A G\n",
    );
    let fam = people
        .iter()
        .map(|i| format!("f{i} p{i} 0 0 1 {}\n", trait_of(*i)));
    folder.write("d.fam", &fam.collect::<String>());
    let report = json(&folder, &[]);
    assert_eq!(report["p"], 2);
    assert_eq!(
        report["selected"][0]["variant"]["twins"],
        serde_json::json!(["b", "c"])
    );
    let reasons = report["set_aside"].to_string();
    assert!(
        reasons.contains("duplicate of a, with the alleles exchanged"),
        "{reasons}"
    );
}
