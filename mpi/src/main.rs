//! `mpirun -n RANKS passel-mpi select|pairs|run …`: passel on many machines, on the MPI that starts
//! it. What ranks do is in the library's `program/`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match passel_mpi::begin() {
        Ok((world, universe)) => {
            let ended = passel::program::main(Some(world));
            drop(universe);
            ended.exit()
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
