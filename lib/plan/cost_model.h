/// The cost of a choice by a model, before anything is timed.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "plan/choice.h"
#include "plan/machine.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// Prices the steps of some ranks: each pass takes the longer of moving its bytes and computing its
/// flops, an exchange its copies, latencies and the wire. The rates are those of
/// Machine::parameters: what counts is in which order they put the choices. The problem must
/// outlive the model.
class CostModel {
public:
  CostModel(const Problem &problem, const Machine &machine);

  /// Takes no memory for a choice whose steps have been priced before.
  double seconds(const Choice &choice) const;

  /// Whether FFTW, measuring, would time a large exchange, or one between nodes, over and over.
  bool long_to_measure(const Choice &choice) const;

  /// Whether the library's own kernels apply to the planes of a choice, or to their lines where it
  /// splits them, and to its columns: of the planes, where it splits them, and of the other pass.
  /// Along a path, to any axis that is transformed.
  bool simd_planes(const Choice &choice) const;
  bool simd_columns(const Choice &choice) const;
  bool simd_columns_of_planes(const Choice &choice) const;

private:
  /// The work of a rank in a step.
  struct Work {
    StepKind kind = StepKind::copy;
    double elements = 0; ///< complex numbers that a pass reads and writes, or that a rank sends
    bool simd = true;    ///< the library's own kernels apply
    std::array<double, 2> flops{}; ///< with FFTW's kernels, and with the library's own
    double units = 1;              ///< of work that threads share, or messages
    double traffic = 1;            ///< multiple of it where a pass leaves the cache in between
    bool gathers = false;          ///< reads the columns that an exchange has left
    double far = 0;                ///< part of what is sent that leaves the node
    double copied = 0;             ///< complex numbers that an exchange copies in its own way
    double reordered = 0; ///< and those that it also brings into an order that is not its own
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
  /// Whether the caches of the threads hold a pass's source and destination.
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
  /// By choice without what its steps do not depend on.
  mutable std::vector<std::pair<Choice, std::vector<Works>>> works_;
};

} // namespace hybridfft::plan
