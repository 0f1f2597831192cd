/// Steps that either succeed on all ranks of a communicator or fail on all.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"
#include "io/hdf5.h"

namespace hybridfft::io {

/// Runs the step on every rank. Throws IoError on all ranks if it failed on any. Collective.
inline void together(MPI_Comm comm, const std::function<void()> &step) {
  try {
    mpi::all_or_none(comm, step);
  } catch (const Failure &e) {
    throw IoError(e.what());
  }
}

/// Broadcasts rank 0's bytes, in pieces within the range of MPI's int counts. Collective.
inline void broadcast(MPI_Comm comm, void *data, std::size_t bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;
  auto *p = static_cast<std::byte *>(data);
  for (std::size_t done = 0; done < bytes; done += most)
    mpi::check(
        MPI_Bcast(p + done, static_cast<int>(std::min(most, bytes - done)), MPI_BYTE, 0, comm),
        "MPI_Bcast");
}

/// Runs `step` on rank 0 alone and broadcasts its result. Many ranks should not read the same few
/// bytes from the disk. Collective.
/// \throws IoError on all ranks if the step failed
template <class Step> auto from_root(MPI_Comm comm, const Step &step) {
  using Result = std::invoke_result_t<Step>; // a vector or string of trivial elements
  Result result;
  const bool root = mpi::rank(comm) == 0;
  together(comm, [&] {
    if (root) result = step();
  });
  std::uint64_t size = result.size();
  broadcast(comm, &size, sizeof size);
  together(comm, [&] { result.resize(static_cast<std::size_t>(size)); });
  broadcast(comm, result.data(), result.size() * sizeof(typename Result::value_type));
  return result;
}

/// Calls `question` on rank 0 and broadcasts the answer, true or false. Collective; throws like
/// from_root().
template <class Question> bool asked_at_root(MPI_Comm comm, const Question &question) {
  return from_root(comm, [&] { return std::string(question() ? "y" : ""); }) == "y";
}

} // namespace hybridfft::io
