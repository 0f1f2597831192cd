/// The agreement of all ranks on what they were called with.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <initializer_list>

#include "base/fnv.h"

namespace hybridfft::plan {

/// One argument of a collective call.
struct Statement {
  const char *name;
  std::int64_t value;
  bool number = false; ///< the value means something to the reader of an error
};

/// What stands for an argument of several numbers.
inline std::int64_t digest(const Fnv1a &hash) {
  return static_cast<std::int64_t>(hash.value() >> 1U);
}

/// Throws Failure(HFFT_ERROR_MISMATCH), naming the first argument whose value is not the same on
/// all ranks. All ranks state the same names. Collective.
void require_agreement(std::initializer_list<Statement> statements, MPI_Comm comm);

} // namespace hybridfft::plan
