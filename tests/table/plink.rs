//! The files of PLINK 1.

use proptest::prelude::*;

use passel::table::Genotypes;

use super::*;

/// Seven samples: cases and controls of which two are not known, a quantity in another.
const FAM: &str = "f1 s1 0 0 1 1\nf2\ts2\t0\t0\t2\t2\r\nf3 s3 0 0 0 0\r\n\
                   f4  s4 s1 s2 1 -9\n\nf5 s5 0 0 x 2\nf6 s6 0 0 1 1\n f7 s7 0 0 2 1 ";
const BIM: &str = "1\trs1\t0\t100\tA\tG\r\n1 . 0 200 C T\n2 rs2 0.5 300 0 A\n\
                   2 rs2 0 400 A C\nX phenotype 0 -5 AT A\n";

/// The magic bytes, then two bytes for each of five variants; the bits above the seventh
/// sample are set in some.
const BED: &[u8] = &[
    0x6c,
    0x1b,
    0x01,
    // From the lowest bits on 00 01 10 11, then 11 10 01 and padding 11.
    0b11_10_01_00,
    0b11_01_10_11,
    // All A2.
    0b11_11_11_11,
    0b00_11_11_11,
    // All A1, padding 01.
    0b00_00_00_00,
    0b01_00_00_00,
    // All missing.
    0b01_01_01_01,
    0b01_01_01_01,
    // The last alone is missing.
    0b10_10_10_10,
    0b00_01_10_10,
];

/// A `.bed`, its `.bim` and its `.fam`, none where there is to be none.
fn three(
    name: &str,
    bed: &[u8],
    bim: Option<impl AsRef<[u8]>>,
    fam: Option<impl AsRef<[u8]>>,
) -> Result<Table, TableError> {
    let folder = Folder::new();
    let path = folder.write(name, bed);
    let ending = |lower: &str| match path.extension().is_some_and(|extension| extension == "BED") {
        true => path.with_extension(lower.to_uppercase()),
        false => path.with_extension(lower),
    };
    if let Some(bim) = bim {
        fs::write(ending("bim"), bim).unwrap();
    }
    if let Some(fam) = fam {
        fs::write(ending("fam"), fam).unwrap();
    }
    read(&path, &ReadOptions::default())
}

#[test]
fn every_code_is_read_for_every_sample() {
    for name in ["t.bed", "t.BED", "t.Bed", "a.b.bed"] {
        let table = three(name, BED, Some(BIM), Some(FAM)).expect(name);
        assert_eq!(
            (names(&table), table.rows, table.response),
            (
                vec!["phenotype", "rs1", "1:200", "2:300", "2:400", "X:-5"],
                7,
                Some(0)
            )
        );
        assert_numbers(&table, 0, &[1.0, 2.0, NAN, NAN, 2.0, 1.0, 1.0]);
        let values: Vec<&Values> = table.columns[1..]
            .iter()
            .map(|column| &column.values)
            .collect();
        let no = MISSING_BYTE;
        let are = |values: &Values, copies: [u8; 7]| {
            assert_eq!(*values, Values::Genotypes(Genotypes::of_copies(&copies)));
        };
        are(values[0], [2, no, 1, 0, 0, 1, no]);
        are(values[1], [0; 7]);
        are(values[2], [2; 7]);
        are(values[3], [no; 7]);
        are(values[4], [1, 1, 1, 1, 1, 1, no]);
    }
}

#[test]
fn a_quantity_has_zeros_and_only_minus_nine_is_missing() {
    let fam = |values: [&str; 5]| -> String {
        let line = |value: &&str| format!("f s 0 0 0 {value}\n");
        values.iter().map(line).collect()
    };
    let bed = [0x6c, 0x1b, 0x01, 0, 0];
    for (values, expected) in [
        (["0", "1", "2", "-9", "1.5"], [0.0, 1.0, 2.0, NAN, 1.5]),
        (["0", "1", "-9.0", "NA", "2e0"], [NAN, 1.0, NAN, NAN, 2.0]),
        (["0", "1", "1", "0", "3"], [0.0, 1.0, 1.0, 0.0, 3.0]),
        (["-9", "0", "nan", "-9", "0"], [NAN; 5]),
    ] {
        let table = three("t.bed", &bed, Some("1 a 0 1 A C"), Some(fam(values))).expect("good");
        assert_numbers(&table, 0, &expected);
        let two = Genotypes::of_copies(&[2; 5]);
        assert_eq!(table.columns[1].values, Values::Genotypes(two));
    }
}

#[test]
fn missing_genotypes_are_counted_dropped_and_written() {
    let mut table = three("t.bed", BED, Some(BIM), Some(FAM)).expect("good");
    let told = table.handle_missing(Missing::Refuse).unwrap_err();
    for part in [
        "12 missing values in 4 of 6",
        "`phenotype` 2 (first in row 3)",
        "`rs1` 2 (first in row 2)",
        "`X:-5` 1 (first in row 7)",
    ] {
        assert!(told.to_string().contains(part), "{told}");
    }
    let mut written = Vec::new();
    let form = passel::table::OutputFormat::of(Path::new("t.csv")).unwrap();
    form.write(&table, "simulate", &mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    assert!(written.contains("\n2,NA,0,2,NA,1\n"), "{written}");
    let again = csv(&written).expect("good");
    for (column, own) in again.columns.iter().zip(&table.columns) {
        assert_eq!(bits(column), bits(own), "{}", own.name);
    }

    table.columns.remove(4);
    assert_eq!(table.handle_missing(Missing::DropRows).unwrap(), 4);
    assert_numbers(&table, 0, &[1.0, 2.0, 1.0]);
    assert_numbers(&table, 1, &[2.0, 0.0, 1.0]);
    assert_numbers(&table, 4, &[1.0, 1.0, 1.0]);
}

#[test]
fn genotypes_may_be_levels_of_a_factor() {
    let folder = Folder::new();
    let path = folder.write("t.bed", BED);
    folder.write("t.bim", BIM);
    folder.write("t.fam", FAM);
    let factors = [String::from("rs1")];
    let options = ReadOptions {
        factors: &factors,
        ..ReadOptions::default()
    };
    let table = read(&path, &options).expect("good");
    let codes = [2, MISSING, 1, 0, 0, 1, MISSING];
    assert_factor(&table, 1, &["0", "1", "2"], &codes);
}

#[test]
fn a_bed_of_another_form_or_size_is_refused() {
    let with = |at: usize, byte: u8| {
        let mut bed = BED.to_vec();
        bed[at] = byte;
        bed
    };
    let make = "write it with plink --make-bed";
    for (bed, told) in [
        (vec![], make),
        (BED[..2].to_vec(), "begins with the bytes [6c, 1b], a PLINK"),
        (with(0, b'c'), "begins with the bytes [63, 1b, 01]"),
        (with(1, 0), make),
        (with(2, 2), make),
        (
            with(2, 0),
            "byte 3 is 00: genotypes sample by sample, an old form; write it again with plink \
             --make-bed",
        ),
        (BED[..2].to_vec(), make),
        (
            BED[..3].to_vec(),
            "cut off at byte 3, in variant 1 (`rs1`): 7 samples in the .fam and 5 variants in \
             the .bim ask for 13 bytes",
        ),
        (
            BED[..6].to_vec(),
            "cut off at byte 6, in variant 2 (`1:200`)",
        ),
        (
            BED[..12].to_vec(),
            "cut off at byte 12, in variant 5 (`X:-5`)",
        ),
        (
            [BED, &[0]].concat(),
            "goes on at byte 13: 7 samples in the .fam and 5",
        ),
    ] {
        let result = three("t.bed", &bed, Some(BIM), Some(FAM));
        assert_told(result, &["t.bed: ", told]);
    }
    let compressed = read_as("t.bed.gz", gzip(BED));
    assert!(matches!(compressed, Err(TableError::UnknownFormat { .. })));
}

#[test]
fn the_two_others_have_to_be_there() {
    let none = None::<&str>;
    let beside = "t.bed is read with the .bim and .fam of its name beside it";
    for (result, name) in [
        (three("t.bed", BED, none, Some(FAM)), "t.bim"),
        (three("t.bed", BED, Some(BIM), none), "t.fam"),
        (three("t.bed", BED, none, none), "t.fam"),
    ] {
        assert_told(result, &[name, "no such file", beside]);
    }
    let result = three("t.bed", BED, Some(BIM), Some("\n"));
    assert_told(result, &["t.fam: no observations"]);
    let result = three("t.bed", BED, Some(""), Some(FAM));
    assert_told(result, &["t.bim: no variables"]);
}

#[test]
fn lines_that_are_no_variant_or_sample_are_told() {
    for (line, told) in [
        ("1 rs9 0 5 A", "line 2: 5 fields, but 6 are expected"),
        (
            "1 rs9 0 5 A C G",
            "chromosome, variant, morgans, base pairs, A1, A2; mend",
        ),
        (
            "1 rs9 0 5.5 A C",
            "line 2: \"5.5\" should be the variant's base-pair",
        ),
        ("#CHROM ID CM POS ALT REF", "line 2: \"POS\" should be"),
    ] {
        let bim = format!("1 a 0 1 A C\n{line}\n");
        let result = three("t.bed", BED, Some(bim), Some(FAM));
        assert_told(result, &["t.bim: ", told]);
    }
    let result = three(
        "t.bed",
        BED,
        Some(b"1 a 0 1 A C\n1 \xff 0 1 A C\n"),
        Some(FAM),
    );
    assert_told(result, &["t.bim: line 2, column 2: not UTF-8"]);
    for (line, told) in [
        ("f s 0 0 1", "line 2: 5 fields, but 6 are expected: family"),
        ("f s 0 0 1 2 3", "line 2: 7 fields"),
        (
            "f s 0 0 1 case",
            "line 2: \"case\" should be the sample's phenotype, a number",
        ),
        ("f s 0 0 1 1e999", "line 2: \"1e999\" should be"),
        ("f s 0 0 1 inf", "line 2: \"inf\" should be"),
    ] {
        let fam = format!("f s 0 0 1 1\n{line}\n");
        let result = three("t.bed", BED, Some(BIM), Some(fam));
        assert_told(result, &["t.fam: ", told]);
    }
}

#[test]
fn variants_of_one_place_need_an_id() {
    for bim in [
        "1 . 0 7 A C\n\n1 . 0 7 A G\n",
        "1 a 0 7 A C\n\n1 a 0 7 A G\n",
        "1 1:7 0 3 A C\n\n1 . 0 7 A G\n",
    ] {
        let result = three("t.bed", BED, Some(bim), Some(FAM));
        let told = "lines 1 and 3: two variants at 1:7, with no id of their own; give them one";
        assert_told(result, &["t.bim: ", told]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Against the definition, read genotype by genotype.
    #[test]
    fn any_bytes_are_read_by_the_definition(
        samples in 1_usize..40,
        variants in 1_usize..12,
        bytes in prop::collection::vec(any::<u8>(), 120),
    ) {
        let stride = samples.div_ceil(4);
        let codes: Vec<u8> = bytes.iter().copied().cycle().take(stride * variants).collect();
        let bed = [&[0x6c, 0x1b, 0x01], &codes[..]].concat();
        let bim: String = (0..variants).map(|j| format!("1 v{j} 0 {j} A C\n")).collect();
        let fam: String = (0..samples).map(|i| format!("f s{i} 0 0 0 {i}.5\n")).collect();
        let table = three("t.bed", &bed, Some(bim), Some(fam)).expect("good");
        prop_assert_eq!((table.rows, table.columns.len()), (samples, variants + 1));
        for variant in 0..variants {
            let alleles = (0..samples).map(|sample| {
                let byte = codes[variant * stride + sample / 4];
                let high = byte & (2 << (sample % 4 * 2)) != 0;
                let low = byte & (1 << (sample % 4 * 2)) != 0;
                match (high, low) {
                    (false, false) => 2.0,
                    (false, true) => NAN,
                    (true, false) => 1.0,
                    (true, true) => 0.0,
                }
            });
            assert_numbers(&table, variant + 1, &alleles.collect::<Vec<f64>>());
        }
    }

    #[test]
    fn no_bytes_of_three_files_make_a_panic(
        bed in prop::collection::vec(any::<u8>(), 0..12),
        bim in prop::collection::vec(prop::sample::select(b"1 .:-a\n\r\t\xff".to_vec()), 0..40),
        fam in prop::collection::vec(prop::sample::select(b"1 09-.e\n\r\t\xff".to_vec()), 0..40),
    ) {
        let bed = [&[0x6c, 0x1b, 0x01], &bed[..]].concat();
        let _ = three("t.bed", &bed, Some(&bim), Some(&fam));
        let _ = three("t.bed", &bed, Some(BIM), Some(&fam));
        let _ = three("t.bed", &bed[2..], Some(&bim), Some(FAM));
    }
}

/// Blocks of variants, and variants longer than a block.
#[test]
fn columns_across_the_edges_of_a_block() {
    for (samples, variants) in [(4_001, 1_100), (5_000_003, 2)] {
        let stride = usize::div_ceil(samples, 4);
        let byte = |at: usize| (at * 31 + at / 257) as u8;
        let bed: Vec<u8> = [0x6c, 0x1b, 0x01]
            .into_iter()
            .chain((0..stride * variants).map(byte))
            .collect();
        let bim: String = (0..variants)
            .map(|j| format!("1 v{j} 0 {j} A C\n"))
            .collect();
        let fam = "f s 0 0 0 3\n".repeat(samples);
        let table = three("t.bed", &bed, Some(bim), Some(fam)).expect("good");
        for variant in [0, variants / 2, variants - 1] {
            let Values::Genotypes(genotypes) = &table.columns[variant + 1].values else {
                panic!("genotypes take two bits each");
            };
            let values = genotypes.to_bytes(255);
            assert_eq!(values.len(), samples);
            for sample in (0..samples).step_by(997).chain([samples - 1]) {
                let code = byte(variant * stride + sample / 4) >> (sample % 4 * 2) & 3;
                assert_eq!(values[sample], [2, 255, 1, 0][usize::from(code)]);
            }
        }
    }
}
