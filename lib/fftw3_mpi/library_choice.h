/// The faster library for a problem: the result of a measurement, kept with the
/// wisdom, so that the same problem is not measured again.
#pragma once

#include <memory>
#include <string>

#include "exchange/communicator.h"

namespace hybridfft::fftw3_mpi {

/// The entry of a problem in wisdom.
class LibraryChoice {
public:
  /// The result for a problem in rank 0's wisdom, from the same effort (FFTW's planner flag) or
  /// more. Collective. Throws Failure on all ranks alike.
  LibraryChoice(std::shared_ptr<exchange::Communicator> comm, const std::string &problem,
                int threads, unsigned effort);

  bool known() const { return !choice_.empty(); }
  /// True if the choice is FFTW; only if known().
  bool fftws() const;

  /// Adds to rank 0's wisdom what took so many seconds. Collective. Throws likewise.
  void remember(bool fftws, double seconds) const;

private:
  std::shared_ptr<exchange::Communicator> comm_;
  std::string key_;
  unsigned effort_;
  std::string choice_;
};

} // namespace hybridfft::fftw3_mpi
