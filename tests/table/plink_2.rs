//! Files that PLINK 2 wrote, in `pgen/`; what stands beside a `.pgen`; and what is wrong with one.

use passel::table::Cohort;

use super::pgen::{psam, pvar, record, three, variable};
use super::*;

/// The bytes of a file that `pgen.py` wrote.
pub(super) fn written(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/table/pgen");
    fs::read(Path::new(folder).join(name)).expect("a file of ours")
}

fn table_of(name: &str) -> Table {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/table/pgen");
    read(&Path::new(folder).join(name), &ReadOptions::default()).expect(name)
}

#[test]
fn plink_makes_the_same_bed_of_it() {
    for name in ["hard", "phased"] {
        let (own, bed) = (
            table_of(&format!("{name}.pgen")),
            table_of(&format!("{name}.bed")),
        );
        assert_eq!(own.columns[1..], bed.columns[1..]);
        assert_eq!(bits(&own.columns[0]), bits(&bed.columns[0]));
        assert_eq!(own.loci, bed.loci);
    }
    let own = table_of("hard.pgen");
    assert_eq!(names(&own)[..3], ["height", "rs0", "rs1"]);
    assert!(own.warnings[0].contains("has the phenotypes height, case: height is read"));
    assert_eq!(names(&table_of("phased.pgen"))[0], "phenotype");
}

#[test]
fn plink_writes_the_same_dosages() {
    let own = table_of("dosages.pgen");
    let raw = String::from_utf8(written("dosages.raw")).expect("text");
    for (person, line) in raw.lines().skip(1).enumerate() {
        for (column, field) in own.columns[1..].iter().zip(line.split('\t').skip(6)) {
            let copies = match &column.values {
                Values::Numbers(numbers) => numbers[person],
                Values::Genotypes(genotypes) => genotypes.copies(person),
                other => panic!("{other:?}"),
            };
            let expected: f64 = field.parse().unwrap_or(NAN);
            // PLINK writes four digits or so.
            let is_near = (copies - expected).abs() < 2e-4 || copies.is_nan() && expected.is_nan();
            assert!(is_near, "{} {person}: {copies} {expected}", column.name);
        }
    }
}

const ONE: [u8; 1] = [0b10_01_00];

/// A `.pgen` of three people and one variant or more, with 0, 1 and 2 copies.
fn small(variants: usize) -> Vec<u8> {
    variable(3, 0, &vec![(0, ONE.to_vec()); variants])
}

#[test]
fn variants_are_named_by_headers_or_in_the_order_of_a_bim() {
    for (pvar, allele) in [
        (
            "##x\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t7\trs\tA\tC\t.\t.\tA=1\n",
            "C",
        ),
        (
            "#CHROM POS ID REF ALT FORMAT s1 s2\n\n1 7 rs A C GT 0 1\n",
            "C",
        ),
        ("#CHROM ID CM POS ALT REF\n1 rs 0 7 C A\n", "C"),
        ("1 rs 0 7 C A\n", "C"),
        ("1\trs\t7\tC\tA\r\n", "C"),
        ("#CHROM POS ID REF ALT\n1 7 rs A .\n", "."),
    ] {
        let table = three(&small(1), pvar, &psam(3), &Cohort::default()).expect(pvar);
        let locus = table
            .loci
            .expect("a file has them")
            .of("rs")
            .expect("its own");
        let found = (&*locus.counted_allele, &*locus.other_allele, locus.position);
        assert_eq!(found, (allele, "A", 7));
        assert_eq!(
            table.columns[1].values,
            Values::Genotypes(passel::table::Genotypes::of_copies(&[0, 1, 2]))
        );
    }
}

#[test]
fn people_are_named_by_headers_or_in_the_order_of_a_fam() {
    for (psam, name, values) in [
        (
            "#FID IID SID PAT MAT SEX bmi\n1 a 0 0 0 1 1\n1 b 0 0 0 2 2\n1 c 0 0 0 2 0\n",
            "bmi",
            [1.0, 2.0, NAN],
        ),
        ("##x\n#IID bmi\na 1.5\nb NA\nc -9\n", "bmi", [1.5, NAN, NAN]),
        (
            "1 a 0 0 0 1.5\n1 b 0 0 1 2\n1 c 0 0 1 0\n",
            "phenotype",
            [1.5, 2.0, 0.0],
        ),
        ("1 a 0 0 0\n1 b 0 0 1\n1 c 0 0 1\n", "phenotype", [NAN; 3]),
        ("#IID SEX\na 1\nb 2\nc NA\n", "phenotype", [NAN; 3]),
    ] {
        let table = three(&small(1), &pvar(1), psam, &Cohort::default()).expect(psam);
        assert_eq!(table.columns[0].name, name);
        assert_numbers(&table, 0, &values);
    }
    let folder = Folder::new();
    folder.write("t.pvar", pvar(1));
    folder.write(
        "t.psam",
        "#IID bmi group age\na 1 x 30\nb 2 y 40\nc 3 z 50\n",
    );
    let path = folder.write("t.pgen", small(1));
    let of = |response| ReadOptions {
        response: Some(response),
        ..ReadOptions::default()
    };
    let table = read(&path, &of("age")).expect("good");
    assert_eq!(
        (names(&table), table.warnings.len()),
        (vec!["age", "v0"], 0)
    );
    assert_numbers(&table, 0, &[30.0, 40.0, 50.0]);
    let told = read(&path, &of("group"));
    assert_told(
        told,
        &[
            "line 2: \"x\" should be the sample's group, a number",
            "--phenotype",
            "t.psam:group",
        ],
    );
}

#[test]
fn a_bim_and_a_fam_stand_beside_it_too() {
    let folder = Folder::new();
    folder.write("t.bim", "1 rs 0 7 C A\n");
    folder.write("t.fam", "1 a 0 0 0 1.5\n1 b 0 0 1 2\n1 c 0 0 1 0\n");
    let path = folder.write("t.pgen", small(1));
    let options = ReadOptions::default();
    let table = read(&path, &options).expect("good");
    assert_eq!(names(&table), ["phenotype", "rs"]);
    fs::remove_file(path.with_extension("fam")).unwrap();
    assert_told(
        read(&path, &options),
        &[
            "t.psam: no such file; ",
            "t.pgen is read with the .pvar (or .bim) and .psam (or .fam)",
        ],
    );
    folder.write("t.psam", psam(3));
    fs::remove_file(path.with_extension("bim")).unwrap();
    assert_told(read(&path, &options), &["t.pvar: no such file; "]);
    folder.write("t.pvar.zst", "");
    assert_told(
        read(&path, &options),
        &["t.pvar.zst: compressed; write", "--make-pgen"],
    );
}

#[test]
fn what_is_wrong_with_the_text_is_told() {
    for (pvar, told) in [
        ("#CHROM ID REF ALT\n1 rs A C\n", "its header names no POS"),
        (
            "#CHROM POS ID REF ALT\n1 7 rs A\n",
            "line 2: 4 fields, but 5 are expected: CHROM, POS, ID, REF, ALT",
        ),
        (
            "#CHROM POS ID REF ALT\n1 x rs A C\n",
            "line 2: \"x\" should be",
        ),
        ("#CHROM POS ID REF ALT\n", "no variables"),
        (
            "1 rs 7 C\n",
            "line 1: 4 fields, but 6 are expected: CHROM, ID, CM",
        ),
        (
            "#CHROM POS ID REF ALT\n1 7 rs A C,G\n",
            "line 2: the variant \"rs\" has more than two alleles (\"C,G\"); leave such out with plink2 --max-alleles 2",
        ),
    ] {
        let result = three(&small(1), pvar, &psam(3), &Cohort::default());
        assert_told(result, &["t.pvar: ", told]);
    }
    for (psam, told) in [
        ("#FID SEX\n1 1\n", "its header names no IID"),
        (
            "#IID SEX bmi\na 1\n",
            "line 2: 2 fields, but 3 are expected: IID, SEX, bmi",
        ),
        (
            "#IID SEX bmi\na 1 big\n",
            "line 2: \"big\" should be the sample's bmi",
        ),
        ("#IID SEX bmi\n", "no observations"),
        ("", "no observations"),
    ] {
        let result = three(&small(1), &pvar(1), psam, &Cohort::default());
        assert_told(result, &["t.psam: ", told]);
    }
}

#[test]
fn files_of_other_programs_are_told_what_to_become() {
    for name in ["t.vcf", "t.vcf.gz", "t.bgen"] {
        assert_told(
            read_as(name, ""),
            &["genotypes of another program; write them with plink2 --make-pgen"],
        );
    }
    assert_told(read_as("t.psam", ""), &["name the .pgen or .bed"]);
}

/// The cohort of some variants alone.
fn extract(folder: &Folder, ids: &str) -> Cohort {
    Cohort {
        extract: Some(folder.write("ids", ids)),
        ..Cohort::default()
    }
}

#[test]
fn variants_of_three_alleles_are_refused_if_they_are_wanted() {
    let folder = Folder::new();
    let pvar = "#CHROM POS ID REF ALT\n1 1 a A C,G\n1 2 b A C\n1 3 c A C,T\n";
    let alleles = vec![0b1111_1111];
    let records = [
        (8, [&ONE[..], &alleles].concat()),
        (2, vec![0]),
        (8, [&ONE[..], &alleles].concat()),
    ];
    let pgen = variable(3, 0, &records);
    let told = three(&pgen, pvar, &psam(3), &Cohort::default());
    assert_told(told, &["line 2: the variant \"a\"", ", as 1 more have; "]);
    // What one of them is different from is read all the same.
    let table = three(&pgen, pvar, &psam(3), &extract(&folder, "b\n")).expect("good");
    assert_eq!(
        table.columns[1].values,
        Values::Genotypes(passel::table::Genotypes::of_copies(&[0, 1, 2]))
    );
    let told = three(
        &pgen,
        &super::pgen::pvar(3),
        &psam(3),
        &extract(&folder, "v2\n"),
    );
    assert_told(
        told,
        &["variant 3 (`v2`) is damaged: its record has genotypes of a third"],
    );
}

#[test]
fn a_pgen_of_another_form_or_size_is_refused() {
    let with = |at: usize, byte: u8| {
        let mut pgen = small(2);
        pgen[at] = byte;
        pgen
    };
    let again = "write it again with plink2 --make-pgen";
    for (pgen, told) in [
        (Vec::new(), "begins with the bytes []"),
        (
            with(0, 0),
            "begins with the bytes [00, 1b, 10], a .pgen with [6c, 1b]",
        ),
        (with(2, 0), "byte 3 is 00"),
        (with(2, 5), again),
        (
            with(2, 0x20),
            "its index is in another file, .pgi; write it again",
        ),
        (
            with(3, 3),
            "of 3 samples and 3 variants, but there are 3 samples in the .psam and 2 variants in the .pvar",
        ),
        (with(7, 9), "of 9 samples and 2 variants"),
        (
            with(11, 8),
            "its index is written in a form of files of few samples",
        ),
        (
            with(11, 3),
            "cut off at byte 25, in its index, which takes 29 bytes",
        ),
        (
            with(12, 1),
            "damaged: its index places variant 1 at byte 1, before",
        ),
        (with(19, 1), "cut off at byte 25, in variant 1 (`v0`)"),
        (with(20, 0xff), "variant 1 (`v0`) is damaged: its record"),
        (with(22, 200), "cut off at byte 25, in variant 2 (`v1`)"),
        (
            with(22, 0),
            "variant 2 (`v1`) is damaged: its record ends too early",
        ),
        (
            with(20, 0x02),
            "variant 1 (`v0`) is damaged: its record has differences from no variant",
        ),
        (
            small(2)[..24].to_vec(),
            "cut off at byte 24, in variant 2 (`v1`)",
        ),
        (small(2)[..15].to_vec(), "cut off at byte 15, in its index"),
        (small(2)[..8].to_vec(), "cut off at byte 8, in its index"),
        (vec![0x6c, 0x1b, 1, 0], "cut off at byte 4, in variant 2"),
        (
            [&[0x6c, 0x1b, 2, 2, 0, 0, 0, 3, 0, 0, 0, 0][..], &[0; 3]].concat(),
            "goes on at byte 14",
        ),
    ] {
        let result = three(&pgen, &pvar(2), &psam(3), &Cohort::default());
        assert_told(result, &["t.pgen: ", told]);
    }
}

#[test]
fn what_is_wrong_with_a_record_is_told() {
    let n = 300;
    let good = vec![1; n];
    for (kind, bytes, told) in [
        (0, vec![0; 76], "goes on behind its genotypes"),
        (1, [&[7][..], &[0; 39]].concat(), "does not say which two"),
        (4, vec![0xad, 2, 0], "lists more people than there are"),
        (
            4,
            vec![0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
            "has a number of more than five bytes",
        ),
        (
            4,
            vec![1, 0x2c, 1, 0],
            "lists somebody behind the last person",
        ),
        (4, vec![2, 5, 0, 0, 0], "lists people who do not ascend"),
        (4, vec![2, 5, 0, 0], "ends too early"),
        (
            0x40,
            [record(0, &good, &[]), vec![0; 598]].concat(),
            "ends too early",
        ),
        (
            0x40,
            [record(0, &good, &[]), vec![0x90; 600]].concat(),
            "has a dosage of more than two copies",
        ),
        (0x70, record(0, &good, &[]), "ends too early"),
    ] {
        let records = [(0, record(0, &good, &[])), (kind, bytes)];
        let pgen = variable(n, 0b111, &records);
        let result = three(&pgen, &pvar(2), &psam(n), &Cohort::default());
        assert_told(
            result,
            &[
                "t.pgen: variant 2 (`v1`) is damaged: its record ",
                told,
                "--make-pgen",
            ],
        );
    }
}
