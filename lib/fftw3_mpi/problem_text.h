/// Describes problems as texts, for the log and as keys of wisdom.
#pragma once

#include <string>

#include "fftw3_mpi/accelerated.h"
#include "plan/arguments.h"

namespace hybridfft::fftw3_mpi {

/// Returns ", single precision" or ", double precision".
const char *precision_text(std::size_t real_bytes);

/// Returns a text such as "c2c forward 64x64x64, double precision, in place, transposed out, 4
/// ranks".
std::string problem_text(const plan::Arguments &arguments, MPI_Comm comm);
std::string problem_text(const plan::TranspositionArguments &arguments, MPI_Comm comm);

} // namespace hybridfft::fftw3_mpi
