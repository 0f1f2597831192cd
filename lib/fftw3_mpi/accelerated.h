/// A plan of ours, to which the program's fftw_plan is a handle.
#pragma once

#include <string>

namespace hybridfft::fftw3_mpi {

/// The interface of transforms and transpositions. Calls are those of one thread at a time.
class Accelerated {
public:
  virtual ~Accelerated() = default;
  Accelerated() = default;
  Accelerated(const Accelerated &) = delete;
  Accelerated &operator=(const Accelerated &) = delete;

  /// Throws Failure(HFFT_ERROR_MPI).
  virtual void execute(void *in, void *out) = 0;
  /// Lines for print_plan.
  virtual std::string describe() const = 0;
  /// A choice by measuring that is not in wisdom yet, as text "name=value".
  virtual std::string way() const { return ""; }
  /// Flops of one execution on this rank, and the bytes that it reads and writes.
  virtual double flops() const = 0;
  virtual double bytes() const = 0;

  void *planned_in = nullptr; ///< the arrays of fftw_execute()
  void *planned_out = nullptr;
  double seconds = 0; ///< time of one execution, as measured while planning; 0: not measured
};

} // namespace hybridfft::fftw3_mpi
