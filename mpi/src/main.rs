//! `mpirun -n RANKS passel-mpi select|pairs|run …`: passel on many machines, over the MPI that starts
//! it. What each rank does is in the library's module `program`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match passel_mpi::initialize() {
        Ok((world, universe)) => {
            let exit = passel::program::main(Some(world));
            drop(universe);
            exit.exit()
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
