/// Estimates the seconds of a choice from the rates of the machine. The search uses it to order
/// candidates and to skip slow ones. HFFT_ESTIMATE takes the cheapest choice without timing.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "plan/choice.h"
#include "plan/machine.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// Estimates a choice from the steps of a sample of the ranks. A pass costs the longer of its
/// memory traffic and its computation. An exchange costs its copies, latencies and network time.
/// Rates come from Machine::parameters. Only the order of the costs matters. The problem must
/// outlive the model.
class CostModel {
public:
  CostModel(const Problem &problem, const Machine &machine);

  /// Returns the estimated seconds of an execution. Allocates nothing if the steps of this choice
  /// have been estimated before.
  double seconds(const Choice &choice) const;

  /// True if FFTW's planning by measurement would execute a large exchange, or an exchange between
  /// nodes, many times.
  bool long_to_measure(const Choice &choice) const;

  /// True if the library's own kernels support the transforms of a choice: those of its planes (or
  /// of their lines if planes are split), of its columns, and of the columns of split planes. Along
  /// a path all three functions return true if the kernels support any transformed axis.
  bool simd_planes(const Choice &choice) const;
  bool simd_columns(const Choice &choice) const;
  bool simd_columns_of_planes(const Choice &choice) const;

private:
  /// Work of a rank in one step.
  struct Work {
    StepKind kind = StepKind::copy;
    double elements = 0; ///< complex numbers, read and written by a pass or sent by a rank
    bool simd = true;    ///< true if the library's own kernels support it
    std::array<double, 2> flops{}; ///< flops with FFTW's kernels and with the library's own
    double units = 1;              ///< independent units of work for threads, or number of messages
    double traffic = 1;            ///< factor of the memory traffic of passes larger than the cache
    bool gathers =
        false; ///< true for a pass over columns that reads them in the order of received blocks
    double far = 0;    ///< fraction of the sent numbers with a destination on another node
    double copied = 0; ///< complex numbers copied by an exchange in its usual memory order
    double reordered =
        0; ///< complex numbers that an exchange copies in addition to change their order
  };
  using Works = std::vector<Work>;

  double seconds(const Work &w, const Choice &choice) const;
  double pass(const Work &w, const Choice &choice) const;
  double exchange(const Work &w, const Choice &choice) const;
  double gathering(const Work &w, const Choice &choice) const;
  const exchange::Algorithm *algorithm(const Choice &choice) const;
  /// The work of each sampled rank.
  const std::vector<Works> &works(const Choice &choice) const;
  Works works_of(const Choice &choice, int rank) const;
  Steps steps_of(const Choice &choice, int rank) const;
  Work pass_of(const Step &step) const;
  Work exchange_of(const Step &step, int rank) const;
  bool simd(const Step &step) const;
  std::array<double, 2> flops(const Step &step) const;
  /// True if the caches of all threads together hold source and destination of a pass.
  bool in_cache(double elements, const Choice &choice) const;
  double bytes(double elements) const {
    return elements * 2 * static_cast<double>(problem_.real_bytes);
  }
  int threads(const Choice &choice) const;
  const MachineParameters &rates() const { return machine_.parameters; }
  bool applies(int axis) const;

  const Problem &problem_;
  Machine machine_;
  int ranks_;
  /// Works of earlier choices, as a cache. Properties that do not affect steps have their defaults
  /// in these choices.
  mutable std::vector<std::pair<Choice, std::vector<Works>>> works_;
};

} // namespace hybridfft::plan
