#include "fftw3_mpi/problem_text.h"

#include <fftw3-mpi.h>

#include "base/mpi.h"

namespace hybridfft::fftw3_mpi {

namespace {

std::string kind_word(const plan::Arguments &a) {
  if (a.kind == plan::Kind::r2c) return "r2c ";
  if (a.kind == plan::Kind::c2r) return "c2r ";
  if (a.kind == plan::Kind::r2r) {
    std::string words = "r2r ";
    for (int i = 0; a.kinds != nullptr && i < a.rank; ++i)
      words += std::string(local::name(static_cast<local::LineKind>(a.kinds[i]))) + " ";
    return words;
  }
  return a.sign == FFTW_FORWARD ? "c2c forward " : "c2c backward ";
}

std::string ranks_word(MPI_Comm comm) {
  return mpi::running() ? ", " + std::to_string(mpi::size(comm)) + " ranks" : "";
}

std::string shape_words(std::ptrdiff_t howmany, std::ptrdiff_t iblock, std::ptrdiff_t oblock) {
  std::string text;
  if (howmany != 1) text += " x " + std::to_string(howmany);
  if (iblock != 0 || oblock != 0)
    text += ", blocks " + std::to_string(iblock) + " and " + std::to_string(oblock);
  return text;
}

std::string order_words(unsigned flags) {
  return std::string((flags & FFTW_MPI_TRANSPOSED_IN) != 0 ? ", transposed in" : "") +
         ((flags & FFTW_MPI_TRANSPOSED_OUT) != 0 ? ", transposed out" : "") +
         ((flags & FFTW_MPI_SCRAMBLED_IN) != 0 ? ", scrambled in" : "") +
         ((flags & FFTW_MPI_SCRAMBLED_OUT) != 0 ? ", scrambled out" : "");
}

} // namespace

const char *precision_text(std::size_t real_bytes) {
  return real_bytes == sizeof(float) ? ", single precision" : ", double precision";
}

std::string problem_text(const plan::Arguments &a, MPI_Comm comm) {
  std::string text = kind_word(a);
  for (int i = 0; i < a.rank && a.n != nullptr; ++i)
    text += (i > 0 ? "x" : "") + std::to_string(a.n[i]);
  // FFTW determines the blocks of 1D complex transforms, so the text omits them.
  const bool line = a.rank == 1 && a.kind == plan::Kind::c2c;
  text += shape_words(a.howmany, line ? 0 : a.iblock, line ? 0 : a.oblock) +
          precision_text(a.real_bytes);
  text += a.in == a.out ? ", in place" : ", out of place";
  return text + order_words(a.flags) + ranks_word(comm);
}

std::string problem_text(const plan::TranspositionArguments &a, MPI_Comm comm) {
  return "transpose " + std::to_string(a.n0) + "x" + std::to_string(a.n1) +
         shape_words(a.howmany, a.block0, a.block1) + precision_text(a.real_bytes) +
         (a.in == a.out ? ", in place" : ", out of place") + order_words(a.flags) +
         ranks_word(comm);
}

} // namespace hybridfft::fftw3_mpi
