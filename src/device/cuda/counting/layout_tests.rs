//! What lies on a GPU is what the columns say, whatever form it has; no GPU is needed.

use passel_kernels::counting::{ColumnCodes, UNFILLED};

use super::{form::Form, kernel_choice::plan_columns, layout::Layout};
use crate::{
    binning::BinnedColumn,
    device::counting::tests::{binned, column, entries_off},
    random::{Stream, uniform_below},
};

/// Columns of all kinds: few levels and many, dense and of every length of entries.
fn columns(n: usize, p: usize, seed: u64) -> Vec<BinnedColumn> {
    let mut stream = Stream::new(seed, 0);
    let mut draw = |bound: usize| uniform_below(stream.next_word(), bound);
    let column_at = |at: usize| {
        let levels = [2, 16, 17, 256, 300, 65_536][at % 6];
        let (sparse, share) = (at.is_multiple_of(2), [1, 2, 40, 400][at / 2 % 4]);
        let rarely = draw(3);
        let code = |_| match sparse {
            true if draw(share) > 0 => 0,
            true => 1 + draw(levels - 1),
            false if rarely > 0 && draw(50) > 0 => levels / 2,
            false => draw(levels),
        };
        let codes: Vec<u16> = (0..n).map(code).map(|code| code as u16).collect();
        match sparse {
            true => binned(entries_off(&codes, 0), levels, None),
            false => column(codes, levels, false, false),
        }
    };
    (0..p).map(column_at).collect()
}

/// The codes at a place of a pack that lies at address 0.
fn read(place: &ColumnCodes, bytes: &[u8], n: usize) -> Vec<u16> {
    let word = |at: u64| u16::from_le_bytes([bytes[at as usize], bytes[at as usize + 1]]);
    let of = |row: u64| match place.bits {
        4 => u16::from(bytes[(place.address + row / 2) as usize] >> (4 * (row % 2)) & 15),
        8 => u16::from(bytes[(place.address + row * u64::from(place.length)) as usize]),
        _ => word(place.address + 2 * row),
    };
    if place.bits != 0 {
        return (0..n as u64).map(of).collect();
    }
    let mut codes = vec![place.most as u16; n];
    for entry in 0..u64::from(place.length) {
        let at = place.address + 4 * entry;
        let row = u32::from(word(at)) | u32::from(word(at + 2)) << 16;
        let code = word(place.codes + 2 * entry);
        if code != UNFILLED {
            codes[row as usize] = code;
        }
    }
    codes
}

#[test]
fn codes_lie_where_their_places_say() {
    let mut forms = Vec::new();
    for (n, p, classes) in [(7, 60, 2), (97, 64, 2), (1500, 48, 3), (40_000, 24, 1)] {
        let columns = columns(n, p, n as u64);
        let planned = plan_columns(&columns, (n, classes));
        for most in [usize::MAX, 8 * n, 1] {
            let layout = Layout::of(&planned, 5, n, most);
            let mut seen = vec![0; p];
            for pack in &layout.packs {
                forms.push(pack.form);
                let numbers = &layout.numbers[pack.first..][..pack.count];
                let own = numbers.iter().map(|&number| &planned[number as usize - 5]);
                let own: Vec<_> = own.collect();
                let bytes = pack.bytes_of(&own);
                assert_eq!(bytes.len(), pack.bytes);
                let places = pack.places(0, &own);
                for (&number, place) in numbers.iter().zip(&places) {
                    let at = number as usize - 5;
                    seen[at] += 1;
                    assert_eq!(place.levels as usize, columns[at].levels);
                    assert!(pack.levels >= columns[at].levels);
                    let codes = columns[at].codes.dense();
                    assert_eq!(read(place, &bytes, n), codes, "{:?} of {n} rows", pack.form);
                }
            }
            assert!(seen.iter().all(|times| *times == 1), "{seen:?}");
        }
    }
    let dense = [4, 8, 16].map(|bits| Form::Dense { bits });
    for form in dense
        .iter()
        .chain(&[Form::Rows, Form::Short { each: 5 }, Form::Few])
    {
        assert!(forms.contains(form), "{form:?} is not in {forms:?}");
    }
    assert!(forms.iter().any(|form| matches!(form, Form::Many { .. })));
}
