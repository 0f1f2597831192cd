/// HFFT_TRACE=FILE: records the work of every thread of every rank as events for Perfetto or
/// chrome://tracing (Trace Event Format, "X" events; a process is a rank of MPI_COMM_WORLD).
///
/// A rank starts its trace with its first plan, together with all ranks of the plan's communicator
/// that have no trace yet. These ranks write one file together in MPI_Finalize. It is FILE if rank
/// 0 of MPI_COMM_WORLD is among them, else FILE with the number of their first rank before the
/// extension. Until MPI_Finalize the file is a valid, empty trace. With MPI_THREAD_MULTIPLE each
/// rank traces only the plans of one thread, the first to plan.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hybridfft::profile {

class Trace {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// Returns the length of HFFT_TRACE on this rank in characters; 0 if it is not set.
  static std::int64_t wanted();
  /// Returns the trace of this rank, with memory for events of `threads` threads. All ranks pass
  /// rank 0's result of wanted(). Collective.
  /// \return nullptr if `wanted` is 0, and for threads that are not traced
  /// \throws Failure(HFFT_ERROR_ENVIRONMENT) with the file, on all ranks, if it cannot be written
  static Trace *join(MPI_Comm comm, int threads, std::int64_t wanted);

  ~Trace();
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  /// Registers a name of events and returns its number. A viewer shows `details` with each event.
  int label(const std::string &name, const std::string &details);

  /// Records an event of a thread. Neither allocates nor throws; events beyond the capacity are
  /// only counted. Different threads may call it concurrently.
  void add(int label, int thread, Time begin, Time end) noexcept;

  /// Writes the file. Collective over the ranks of this trace. Called within MPI_Finalize, where
  /// nobody could catch an exception: errors are printed on stderr, and the file remains unchanged.
  void write() noexcept;

private:
  struct TracedSpan {
    int label;
    Time begin, end;
  };
  struct Thread {
    std::vector<TracedSpan> events; ///< list whose capacity does not change
    long long dropped = 0;
  };
  struct Label {
    std::string name, details;
  };

  Trace() = default;
  /// Agrees with the ranks of `group` on a common trace. Collective.
  /// \return the first rank's number in MPI_COMM_WORLD
  int begin(MPI_Comm group);
  void reserve(int threads);
  std::string events() const;

  MPI_Comm group_ = MPI_COMM_NULL;
  std::string file_; ///< the first rank's file name
  int process_ = 0;
  Time start_;
  std::vector<Thread> threads_;
  std::vector<Label> labels_;
};

} // namespace hybridfft::profile
