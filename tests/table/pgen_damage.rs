//! A `.pgen` that is damaged.

use passel::memory::{MemoryBound, MemoryBudget};

use super::plink_2::written;
use super::*;

/// Files that PLINK wrote with some bytes changed, taken out or put in are read or told, in little memory.
#[test]
fn damage_makes_no_panic_and_takes_no_memory() {
    let mut state = 7_u64;
    let mut drawn = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % most
    };
    let (mut read_well, mut told) = (0, 0);
    for name in ["hard", "phased", "dosages"] {
        let folder = Folder::new();
        for ending in ["pvar", "psam"] {
            folder.write(&format!("t.{ending}"), written(&format!("{name}.{ending}")));
        }
        let whole = written(&format!("{name}.pgen"));
        for round in 0..2_000 {
            let mut pgen = whole.clone();
            for _ in 0..=drawn(3) {
                // The header and its index more often than the rest.
                let most = if round % 2 == 0 { pgen.len() } else { 120 };
                let at = drawn(most.min(pgen.len()));
                match drawn(8) {
                    0 => pgen.truncate(at.max(1)),
                    1 => pgen.insert(at, drawn(256) as u8),
                    2 => drop(pgen.remove(at)),
                    3 => pgen[at] = 0xff,
                    _ => pgen[at] ^= 1 << drawn(8),
                }
            }
            let budget = MemoryBudget::default().part(MemoryBound::Job, Some(1 << 20));
            let charge = budget.charge();
            let options = ReadOptions {
                memory: Some(&charge),
                ..ReadOptions::default()
            };
            match read(&folder.write("t.pgen", pgen), &options) {
                Ok(_) => read_well += 1,
                Err(error) => {
                    let error = error.to_string();
                    assert!(
                        error.contains("t.pgen: ") && !error.contains("memory"),
                        "{error}"
                    );
                    told += 1;
                }
            }
        }
    }
    assert!(read_well > 100 && told > 1_000, "{read_well} {told}");
}
