/// The frame of every program: MPI with the thread level that plans need, options by CLI11, and
/// one exit status on all ranks.
#pragma once

#include <mpi.h>

#include <functional>

#include <CLI/CLI.hpp>

namespace hybridfft::tools {

/// Initialises MPI (MPI_THREAD_FUNNELED), parses the command line on every rank, and runs `body`
/// between MPI_Init and MPI_Finalize. Help, version and error texts come from rank 0 only.
/// `body` may throw on all ranks alike (io::IoError, Error, std::exception): rank 0 prints
/// "PROGRAM: error: REASON" on stderr and every rank returns 1; when it throws on some ranks only,
/// the job is aborted with status 1 so that no rank hangs. Returns the exit status of the process.
int run(int argc, char **argv, CLI::App &app, const std::function<int(MPI_Comm)> &body);

} // namespace hybridfft::tools
