/// Stores the measured choice between FFTW and HybridFFT for a problem. Wisdom keeps it, so each
/// problem is measured once.
#pragma once

#include <memory>
#include <string>

#include "exchange/communicator.h"

namespace hybridfft::fftw3_mpi {

/// The entry of one problem in wisdom.
class LibraryChoice {
public:
  /// Reads the result for a problem from rank 0's wisdom, measured with the same effort (FFTW's
  /// planner flag) or more. Collective. Throws Failure on all ranks alike.
  LibraryChoice(std::shared_ptr<exchange::Communicator> comm, const std::string &problem,
                int threads, unsigned effort);

  bool known() const { return !choice_.empty(); }
  /// Returns true if the choice is FFTW; requires known().
  bool fftws() const;

  /// Adds the choice and its seconds to rank 0's wisdom. Collective. Throws Failure on all ranks
  /// alike.
  void remember(bool fftws, double seconds) const;

private:
  std::shared_ptr<exchange::Communicator> comm_;
  std::string key_;
  unsigned effort_;
  std::string choice_;
};

} // namespace hybridfft::fftw3_mpi
