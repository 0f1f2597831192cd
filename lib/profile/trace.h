/// HFFT_TRACE=FILE: what every thread of every rank does, as events for Perfetto or
/// chrome://tracing (Trace Event Format, "X" events; a process is a rank of MPI_COMM_WORLD).
///
/// The first plan of a rank starts its trace, together with those ranks of the plan's communicator
/// that have none yet. They write one file together when they leave MPI: FILE when rank 0 of
/// MPI_COMM_WORLD is among them, else FILE with the number of their first rank before the
/// extension. Until then the file is a valid, empty trace. With MPI_THREAD_MULTIPLE only the plans
/// of one thread of each rank are traced, of the one that plans first.
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

  /// Characters of HFFT_TRACE on this rank; 0: it is not set.
  static std::int64_t wanted();
  /// The trace of this rank, with room for events of `threads` threads; nullptr where `wanted`,
  /// that of rank 0 of `comm` on all ranks, is 0, and for threads that are not traced. Collective.
  /// Throws Failure(HFFT_ERROR_ENVIRONMENT) naming the file, on all ranks, when it cannot be
  /// written.
  static Trace *join(MPI_Comm comm, int threads, std::int64_t wanted);

  ~Trace();
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  /// A number for events of that name; `details` are shown with each of them.
  int label(const std::string &name, const std::string &details);

  /// Records an event of a thread. Neither allocates nor throws: what does not fit is counted.
  /// Different threads may call at the same time.
  void add(int label, int thread, Time begin, Time end) noexcept;

  /// Writes the file. Collective over the ranks of this trace. Does not throw: MPI_Finalize has no
  /// caller for errors, so they are printed on stderr, and the file stays as it was.
  void write() noexcept;

private:
  struct Event {
    int label;
    Time begin, end;
  };
  struct Thread {
    std::vector<Event> events; ///< a list of constant capacity
    long long dropped = 0;
  };
  struct Label {
    std::string name, details;
  };

  Trace() = default;
  /// Collective over `group`. Returns the first rank's number in MPI_COMM_WORLD.
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
