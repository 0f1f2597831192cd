/// Wisdom about problems. It stores the measured choice between FFTW and HybridFFT, so that each
/// problem is measured once. The process also records the problems planned before, for
/// FFTW_WISDOM_ONLY. The stored choices and the records both have texts of problems as keys.
#pragma once

#include <memory>
#include <string>

#include "exchange/communicator.h"
#include "fftw3_mpi/handles.h"
#include "plan/arguments.h"

namespace hybridfft::fftw3_mpi {

/// Returns ", single precision" or ", double precision".
const char *precision_text(std::size_t real_bytes);

/// Returns a text such as "c2c forward 64x64x64, double precision, in place, transposed out, 4
/// ranks".
std::string problem_text(const plan::Arguments &arguments, MPI_Comm comm);
std::string problem_text(const plan::TranspositionArguments &arguments, MPI_Comm comm);

/// The faster library for one problem, stored in wisdom.
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

// Records the problems planned by the program. With FFTW_WISDOM_ONLY, FFTW returns plans for all
// problems planned before, including those without time for a measurement. HybridFFT's wisdom has
// only complete measurements.

/// Problem and planning parameters.
struct Planning {
  std::string problem; ///< text of the problem and all other inputs of planning
  unsigned flags = 0;  ///< FFTW's planner flags, including the effort
  double limit = -1;   ///< seconds; negative: none
};

/// Records a planned problem.
template <class Real> void note_planned(const Planning &planning);
/// Returns true if all ranks have planned the same problem before, with at least the same effort
/// and time. Collective.
template <class Real>
bool planned_before(const Planning &planning, const exchange::Communicator &comm);
/// Deletes all records of a precision.
template <class Real> void forget_problems();

} // namespace hybridfft::fftw3_mpi
