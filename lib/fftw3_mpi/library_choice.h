/// Stores the measured choice between FFTW and HybridFFT for a problem in wisdom, so that each
/// problem is measured once.
#pragma once

#include <memory>
#include <string>

#include "exchange/communicator.h"

namespace hybridfft::fftw3_mpi {

/// Entry of one problem in wisdom.
class LibraryChoice {
public:
  /// Looks up a problem in rank 0's wisdom. Finds choices measured with the same effort (FFTW's
  /// planner flag) or a greater one. Collective. Throws Failure on all ranks.
  LibraryChoice(std::shared_ptr<exchange::Communicator> comm, const std::string &problem,
                int threads, unsigned effort);

  bool known() const { return !choice_.empty(); }
  /// Returns true if FFTW is the faster library. Requires known().
  bool fftws() const;

  /// Adds a choice and its measured time to rank 0's wisdom. Collective. Throws Failure on all
  /// ranks.
  void remember(bool fftws, double seconds) const;

private:
  std::shared_ptr<exchange::Communicator> comm_;
  std::string key_;
  unsigned effort_;
  std::string choice_;
};

} // namespace hybridfft::fftw3_mpi
