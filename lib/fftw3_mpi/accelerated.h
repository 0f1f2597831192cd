/// A plan of ours, as the program's fftw_plan leads to it.
#pragma once

#include <string>

namespace hybridfft::fftw3_mpi {

class Accelerated {
public:
  virtual ~Accelerated() = default;
  Accelerated() = default;
  Accelerated(const Accelerated &) = delete;
  Accelerated &operator=(const Accelerated &) = delete;

  /// Throws Failure(HFFT_ERROR_MPI).
  virtual void execute(void *in, void *out) = 0;
  /// Lines of words, for print_plan.
  virtual std::string describe() const = 0;
  /// What has been chosen by measuring and wisdom does not know yet, as words "name=value".
  virtual std::string way() const { return ""; }
  /// Of one execution on this rank.
  virtual double flops() const = 0;
  virtual double bytes() const = 0;

  void *planned_in = nullptr; ///< the arrays that fftw_execute() means
  void *planned_out = nullptr;
  double seconds = 0; ///< of one execution, as measured while planning; 0: not measured
};

} // namespace hybridfft::fftw3_mpi
