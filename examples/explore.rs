#![allow(missing_docs, clippy::unwrap_used)]
#[path = "../tests/support/problems.rs"]
mod support;
use passel::{Design, Pass, criteria, search::{self, Interrupt}};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threads: usize = args[1].parse().unwrap();
    let runs: u64 = args[2].parse().unwrap();
    let only = args.get(3).cloned();
    let works = [
        ("400x4000 16x32", 400, 4000, 16, 32, "hdbic", [0.0215, 0.0164], 0.8),
        ("400x4000 256x16", 400, 4000, 256, 16, "hdbic", [0.107, 0.064], 0.5),
        ("400x4000 256x64", 400, 4000, 256, 64, "hdbic", [0.377, 0.221], 0.5),
        ("1000x20000 64x32", 1000, 20000, 64, 32, "hdbic", [0.64, 0.36], 0.5),
        ("hung 1_1 16x256", 0, 0, 16, 256, "hdhqc", [0.0194, 0.0111], 0.8),
    ];
    for (forward, backward) in [([0.1, 0.8, 0.1], [0.9, 0.1]), ([0.2, 0.6, 0.2], [0.2, 0.8])] {
    println!("{forward:?} {backward:?}");
    let mut last = (0, None);
    for (name, n, p, k, i, crit, orig, must) in works {
        if only.as_ref().is_some_and(|o| !name.contains(o.as_str())) { continue; }
        if last.0 != n || last.1.is_none() {
            last = (n, if n == 0 { support::hung("1_1") } else {
                let (x, y) = support::ing_lai(n, p, 10, 7);
                Some(Design::from_matrices(&x, &y, None).unwrap())
            });
        }
        let design = last.1.as_ref().unwrap();
        let crit = criteria::named(crit, &[]).unwrap();
        let mut times = Vec::new(); let mut vals = Vec::new();
        for seed in 0..runs {
            let pass = Pass { particles: k, iterations: i, forward, backward, seed, ..Pass::default() };
            let f = search::search(design, &*crit, &pass, std::num::NonZeroUsize::new(threads), &Interrupt::default(), &mut |_| {}).unwrap();
            times.push(f.seconds); vals.push(f.value - design.n() as f64 * design.tss().ln());
        }
        times.sort_by(f64::total_cmp);
        let med = times[times.len()/2];
        let lo = vals.iter().copied().fold(f64::INFINITY, f64::min);
        let hit = vals.iter().filter(|v| **v < lo + 1e-6).count();
        println!("{name:20} median {med:.4} min {:.4} of original {:.2} (must {must}) best {lo:.2} hit {hit}/{runs}", times[0], med / orig[threads-1]);
    }
    }
}
