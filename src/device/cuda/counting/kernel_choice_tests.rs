//! The choice of kernels is frozen: every shape of a grid is counted as it was when the rule was
//! measured (docs/performance.md).

use passel_kernels::tiny::TinyShape;

use super::{
    count_kernel::{GpuLimits, LaunchConfig, PackShape},
    entries::narrow_cells,
    form::Form,
    kernel_choice::choose,
};
use crate::fnv::Fnv;

/// The choice in words: the kernel and its variant, then what is launched.
fn chosen(pack: &PackShape, gpu: GpuLimits) -> String {
    let LaunchConfig {
        stem,
        threads,
        parts,
        columns,
        copies,
        cell_bytes,
        in_order,
    } = choose(pack, gpu).1;
    assert_eq!(in_order, parts > 1 || stem == "wide");
    let (x, w, cells) = (pack.x, pack.w, pack.cells());
    let bytes = match (stem, cell_bytes) {
        ("dense", bytes) => ((bytes * cells) << copies) * columns,
        ("entries", bytes @ (1 | 2)) => bytes * narrow_cells(x, w, pack.classes),
        ("entries", bytes) => bytes * cells,
        _ => 0,
    };
    assert!(bytes <= gpu.shared - 2048, "{pack:?}");
    // The GPU's memory is for what has no room in shared memory alone.
    if stem == "wide" {
        let least = cells.saturating_mul(2).saturating_add(3 * x * w);
        assert!(least > (gpu.shared - 4096) / 2, "{pack:?}");
    }
    match (stem, cell_bytes) {
        ("dense", 2) => format!("half {threads}"),
        ("dense", _) => format!("dense {columns} {copies} {threads} {parts}"),
        ("tiny", _) => {
            let shape = TinyShape::of(pack.x, pack.joint()).unwrap();
            assert_eq!((columns, threads), (shape.columns, 256));
            assert!(shape.levels >= x && shape.wide >= pack.joint());
            assert!((1..=(pack.n / 2048 / 8).max(1)).contains(&parts));
            format!("{} {parts}", shape.function)
        }
        ("entries", 4) => format!("many {threads}"),
        ("entries", _) => format!("few {cell_bytes} {threads}"),
        ("short_entries", _) => "short".to_owned(),
        ("wide", _) => "whole".to_owned(),
        (stem, _) => stem.to_owned(),
    }
}

const FORMS: [Form; 8] = [
    Form::Dense { bits: 4 },
    Form::Dense { bits: 8 },
    Form::Dense { bits: 16 },
    Form::Rows,
    Form::Short { each: 3 },
    Form::Few,
    Form::Many { threads: 128 },
    Form::Many { threads: 1024 },
];

/// Shared memory of a block and multiprocessors of an H100 and of a Turing GPU.
const GPUS: [(usize, usize); 2] = [(227 << 10, 132), (64 << 10, 40)];

fn limits((shared, processors): (usize, usize)) -> GpuLimits {
    GpuLimits { shared, processors }
}

/// A shape of the grid of a form, by its number, and the GPU.
fn grid_shape(form: Form, number: usize) -> (PackShape, GpuLimits) {
    let mut rest = number;
    // What is asked for first varies fastest.
    let mut digit = |count: usize| {
        let digit = rest % count;
        rest /= count;
        digit
    };
    let shape = PackShape {
        form,
        classes: [1, 2, 10][digit(3)],
        w: [1, 4, 13, 300][digit(4)],
        n: [90, 5000, 65_537, 1 << 20][digit(4)],
        x: [1, 3, 5, 64, 300][digit(5)],
        columns: [1, 130, 200_000][digit(3)],
        skewed: digit(2) == 1,
    };
    (shape, limits(GPUS[digit(2)]))
}

#[test]
fn every_shape_is_counted_by_the_kernel_that_was_measured_for_it() {
    let frozen: [u128; 8] = [
        91_236_674_651_707_744_860_423_847_556_594_449_869,
        251_485_779_220_591_622_913_137_824_109_402_932_557,
        251_485_779_220_591_622_913_137_824_109_402_932_557,
        2_080_670_906_634_609_043_159_799_662_986_741_133,
        175_197_430_355_019_954_984_982_962_666_435_179_085,
        103_155_147_695_263_014_802_368_777_833_288_090_525,
        259_565_303_944_172_510_277_230_095_238_114_789_037,
        12_979_198_103_106_025_891_953_838_206_541_472_541,
    ];
    for (form, frozen) in FORMS.into_iter().zip(frozen) {
        let hash = (0..2880).fold(Fnv::new(), |hash, number| {
            let (shape, gpu) = grid_shape(form, number);
            hash.part(chosen(&shape, gpu).as_bytes())
        });
        assert_eq!(hash.finish(), frozen, "{form:?}");
    }
}

/// Where the hashes of the grid differ, these rows show what changed.
#[test]
fn each_kernel_is_chosen_for_the_shapes_it_was_measured_best_for() {
    let dense = |bits| Form::Dense { bits };
    let many = |threads| Form::Many { threads };
    for (form, skewed, columns, x, n, w, classes, expected) in [
        (dense(4), true, 5000, 300, 90, 64, 1, "dense 1 0 512 1"),
        (dense(8), true, 1, 2, 1024, 64, 2, "dense 1 1 256 1"),
        (dense(8), true, 1, 1, 40_000, 300, 10, "dense 1 2 256 1"),
        (dense(16), true, 1, 5, 5000, 4, 10, "dense 1 3 256 1"),
        (dense(4), false, 1, 2, 1 << 20, 4, 10, "dense 1 5 256 16"),
        (dense(16), true, 2, 64, 40_000, 13, 10, "dense 2 1 1024 1"),
        (dense(8), true, 200_000, 64, 5000, 4, 2, "dense 2 2 256 1"),
        (dense(8), false, 5000, 2, 1 << 20, 4, 10, "dense 2 4 256 4"),
        (dense(16), false, 200_000, 5, 40_000, 4, 2, "half 256"),
        (dense(4), false, 1, 64, 90, 300, 2, "half 64"),
        (dense(4), false, 130, 2, 1 << 20, 1, 10, "tiny_2_12 64"),
        (dense(4), true, 200_000, 3, 1 << 20, 1, 2, "tiny_3_2 1"),
        (dense(4), false, 5000, 3, 40_000, 4, 1, "tiny_3_4 2"),
        (dense(4), false, 128, 3, 4096, 12, 1, "tiny_3_12 1"),
        (dense(4), false, 128, 3, 4095, 12, 1, "half 256"),
        (dense(4), false, 127, 3, 4096, 12, 1, "half 256"),
        (dense(4), false, 300, 5, 100_000, 2, 1, "dense 2 4 256 1"),
        (dense(4), false, 300, 4, 100_000, 8, 1, "tiny_4_8 6"),
        (dense(4), false, 300, 4, 100_000, 9, 1, "dense 2 4 256 1"),
        (dense(4), false, 300, 3, 100_000, 13, 1, "dense 2 4 256 1"),
        (dense(8), false, 300, 3, 100_000, 6, 1, "dense 2 4 256 1"),
        (dense(8), false, 200_000, 300, 1024, 300, 10, "whole"),
        (Form::Rows, true, 130, 5, 5000, 2, 10, "rows"),
        (Form::Rows, true, 130, 5, 5000, 66_000, 1, "whole"),
        (Form::Rows, true, 130, 40_000, 5000, 450, 1, "whole"),
        (Form::Short { each: 3 }, true, 2, 300, 90, 4, 10, "short"),
        (Form::Few, false, 200_000, 16, 90, 4, 1, "few 1 32"),
        (Form::Few, false, 1, 3, 1024, 300, 2, "few 1 64"),
        (Form::Few, false, 130, 300, 1 << 20, 300, 10, "whole"),
        (many(128), true, 200_000, 16, 1024, 64, 10, "few 2 128"),
        (many(128), true, 5000, 2, 90, 300, 2, "many 128"),
        (many(128), false, 1, 5, 5000, 64, 2, "many 512"),
        (many(1024), true, 2, 1, 90, 4, 1, "many 1024"),
        (many(1024), false, 130, 300, 1 << 20, 64, 10, "whole"),
    ] {
        let pack = PackShape {
            form,
            skewed,
            columns,
            x,
            n,
            w,
            classes,
        };
        assert_eq!(chosen(&pack, limits(GPUS[0])), expected, "{pack:?}");
    }
}
