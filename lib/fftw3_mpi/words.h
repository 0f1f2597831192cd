/// Problems in words, for the log and for knowing them again.
#pragma once

#include <string>

#include "fftw3_mpi/transposition.h"
#include "plan/problem.h"

namespace hybridfft::fftw3_mpi {

/// ", single precision"
const char *precision_word(std::size_t real_bytes);

/// "c2c forward 64x64x64, double precision, in place, transposed out, 4 ranks"
std::string problem_words(const plan::Arguments &arguments, std::size_t real_bytes, MPI_Comm comm);
std::string problem_words(const TranspositionArguments &arguments, MPI_Comm comm);

} // namespace hybridfft::fftw3_mpi
