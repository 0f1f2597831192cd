/// \file trace.hpp
/// Adds the stages of a program to a trace. If the environment variable HFFT_TRACE names a file,
/// the library writes the trace to it: times of these stages and of the library's transforms.
#ifndef HYBRIDFFT_TRACE_HPP
#define HYBRIDFFT_TRACE_HPP

#include "hybridfft/require_cxx20.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/mpi_kind.h"

namespace hybridfft {

/// A set of traced stages. Without HFFT_TRACE nothing is traced, and add() costs a branch.
class HFFT_EXPORT TracedStages {
public:
  /// Time of an event.
  using Time = std::chrono::steady_clock::time_point;

  /// Registers stages. Collective, with equal numbers of stages on all ranks.
  /// \param comm ranks of the trace
  /// \param stages names of the stages
  /// \param rows number of event rows of a rank in the trace: one for each thread, or for each
  ///   activity that runs concurrently
  /// \throws Error on all ranks: HFFT_ERROR_ENVIRONMENT for an unwritable file, with its name;
  ///   HFFT_ERROR_ARGUMENT for fewer than one row
  TracedStages(MPI_Comm comm, const std::vector<std::string> &stages, int rows);
  ~TracedStages();
  /// Moves the stages; the source keeps none.
  TracedStages(TracedStages &&) noexcept;
  /// Moves the stages. Collective, like the destructor.
  TracedStages &operator=(TracedStages &&) noexcept;

  /// Returns true if HFFT_TRACE is set.
  bool active() const;
  /// Records an event of a stage in a row. Events of a row are nested or disjoint. The call neither
  /// allocates nor throws. Without room for more events it drops the event, and the trace reports
  /// the number of dropped events. Different threads may use different rows.
  void add(std::size_t stage, int row, Time begin, Time end) noexcept;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace hybridfft

#endif
