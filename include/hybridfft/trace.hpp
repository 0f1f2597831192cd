/// \file trace.hpp
/// Stages of a program's own in the trace that HFFT_TRACE=FILE turns on, together with those of the
/// library's transforms.
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

/// Some stages. If HFFT_TRACE is not set, nothing is traced, and add() costs a branch.
class HFFT_EXPORT TracedStages {
public:
  /// Times of events.
  using Time = std::chrono::steady_clock::time_point;

  /// Collective, with as many stages on all ranks. Throws Error on all ranks:
  /// HFFT_ERROR_ENVIRONMENT for a file that cannot be written, by its name; HFFT_ERROR_ARGUMENT for
  /// fewer than one row.
  /// \param rows number of rows of events that the trace shows for a rank: one for each thread, or
  ///             for work that goes on next to threads
  TracedStages(MPI_Comm comm, const std::vector<std::string> &stages, int rows);
  ~TracedStages();
  /// The object that is moved from has no stages.
  TracedStages(TracedStages &&) noexcept;
  /// Collective, as the destructor is.
  TracedStages &operator=(TracedStages &&) noexcept;

  /// True if there is a trace.
  bool active() const;
  /// An event of a stage in a row. Events of a row lie within each other or apart. Neither
  /// allocates nor throws; events without room are counted. Different rows may have different
  /// threads.
  void add(std::size_t stage, int row, Time begin, Time end) noexcept;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace hybridfft

#endif
