//! `mpirun -n RANKS passel-mpi-verbs`: how long a message takes, by its size. docs/performance.md says
//! what follows from it for searches and selections on these machines.

use std::{io, time::Instant};

use passel::ranks::Transport;

/// The number of calls whose median is printed.
const CALLS: usize = 201;

fn main() -> io::Result<()> {
    let (world, universe) = passel_mpi::initialize()?;
    let print = |line: &str| {
        if world.rank() == 0 {
            println!("{line}");
        }
    };
    print(&format!(
        "{} ranks; microseconds, median of {CALLS}",
        world.size()
    ));
    print("     bytes     gather  broadcast");
    for bytes in [16, 100, 1 << 10, 4 << 10, 32 << 10, 256 << 10, 2 << 20] {
        let own = vec![world.rank() as u8; bytes];
        let gather = median(|| world.gather(&own).map(drop))?;
        let broadcast = median(|| world.broadcast(0, own.clone()).map(drop))?;
        print(&format!("{bytes:>10} {gather:>10.2} {broadcast:>10.2}"));
    }
    drop(universe);
    Ok(())
}

/// The median time of a call. *Units:* microseconds.
fn median(mut call: impl FnMut() -> io::Result<()>) -> io::Result<f64> {
    let mut all = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let started = Instant::now();
        call()?;
        all.push(started.elapsed().as_secs_f64() * 1e6);
    }
    all.sort_by(f64::total_cmp);
    Ok(all[CALLS / 2])
}
