//! `mpirun -n RANKS passel-mpi-verbs`: how long a message takes, by its bytes. What a search or a
//! selection takes on these machines follows from it: docs/performance.md.

use std::{io, time::Instant};

use passel::ranks::Transport;

/// The median of so many.
const TIMES: usize = 201;

fn main() -> io::Result<()> {
    let (world, universe) = passel_mpi::begin()?;
    let tell = |line: &str| {
        if world.rank() == 0 {
            println!("{line}");
        }
    };
    tell(&format!(
        "{} ranks; microseconds, median of {TIMES}",
        world.size()
    ));
    tell("     bytes     gather  broadcast");
    for bytes in [16, 100, 1 << 10, 4 << 10, 32 << 10, 256 << 10, 2 << 20] {
        let own = vec![world.rank() as u8; bytes];
        let gather = median(|| world.gather(&own).map(drop))?;
        let broadcast = median(|| world.broadcast(0, own.clone()).map(drop))?;
        tell(&format!("{bytes:>10} {gather:>10.2} {broadcast:>10.2}"));
    }
    drop(universe);
    Ok(())
}

/// Microseconds of one call.
fn median(mut call: impl FnMut() -> io::Result<()>) -> io::Result<f64> {
    let mut all = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let began = Instant::now();
        call()?;
        all.push(began.elapsed().as_secs_f64() * 1e6);
    }
    all.sort_by(f64::total_cmp);
    Ok(all[TIMES / 2])
}
