/// The cost of a choice by a model, before anything is timed.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "plan/choice.h"
#include "plan/machine.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// Each pass takes the longer of moving its bytes and computing its flops, an exchange its copies,
/// latencies and the wire. The rates are those of Machine::parameters: what counts is in which
/// order they put the choices. Of slabs the busiest rank, the first, is looked at; of paths
/// the steps of some ranks are. The problem must outlive the model.
class CostModel {
public:
  CostModel(const Problem &problem, const Machine &machine);

  double seconds(const Choice &choice) const;

  /// Whether FFTW, measuring, would time a large exchange, or one between nodes, over and over.
  bool long_to_measure(const Choice &choice) const;

  /// Whether the library's own kernels apply to the planes of a choice, or to their lines where it
  /// splits them, and to its columns: of the planes, where it splits them, and of the other pass.
  /// Along a path, to any axis that is transformed.
  bool simd_planes(const Choice &choice) const;
  bool simd_columns(const Choice &choice) const;
  bool simd_columns_of_planes(const Choice &choice) const { return simd_[plane_axis(choice)]; }

private:
  /// The work of a rank in a step along a path.
  struct Work {
    StepKind kind;
    double elements; ///< complex numbers that a pass reads and writes, or that a rank sends
    double flops;
    bool simd;
    double units; ///< rows of a pass, or messages
    double far;   ///< part of what is sent that leaves the node
  };

  double path(const Choice &choice) const;
  double work_seconds(const Work &w, const Choice &choice) const;
  const std::vector<std::vector<Work>> &works(const Choice &choice) const;
  std::vector<Work> works_of(const Choice &choice, int rank) const;
  Work exchange_of(const Step &step, int rank) const;
  /// One sweep over `elements` complex numbers.
  struct Sweep {
    double elements;
    double flops;
    bool simd;
    double units;         ///< units of work that threads share
    double extra_traffic; ///< multiple of the traffic where a sweep leaves the cache in between
  };

  double sweep(const Sweep &s, const Choice &choice) const;
  /// Whether the caches of the threads hold a sweep's source and destination.
  bool in_cache(double elements, const Choice &choice) const;
  double gathering(double elements, const Choice &choice) const;
  double planes(const Choice &choice) const;
  double columns(const Choice &choice) const;
  double exchange(double elements, const exchange::Algorithm *algorithm) const;
  /// `elements` go from this rank to `near` and `far` others, within the node and beyond it.
  double exchange(double elements, const exchange::Algorithm *algorithm, double near, double far,
                  double far_part) const;
  double whole(const Choice &choice) const;
  double flops(double elements, std::ptrdiff_t length, bool real, bool simd) const;
  int threads(const Choice &choice) const;
  const MachineParameters &rates() const { return machine_.parameters; }
  std::size_t plane_axis(const Choice &choice) const;
  /// The share that columns and exchanges of a pruned plan have of what planes would have.
  double kept(const Choice &choice) const { return rest_kept_ * kept_[plane_axis(choice)]; }

  const Problem &problem_;
  Machine machine_;
  int ranks_;
  std::vector<std::ptrdiff_t> extents_;
  bool real_ = false;
  bool back_ = false;
  std::size_t slow_ = 0, middle_ = 1;
  double rows_ = 0, columns_ = 0; ///< rows of the first rank before, and columns after the exchange
  double middle_points_ = 0, slow_points_ = 0, vec_ = 1;
  std::array<double, 2> kept_{1, 1}; ///< part of the modes of the first two axes
  double rest_kept_ = 1;             ///< and of the others
  std::array<bool, 2> simd_{};       ///< along the first two axes
  bool simd_rest_ = false;           ///< along the third axis, where that is all the rest
  bool simd_planes_ = false;         ///< besides along the axis that planes have of the first two
  bool simd_on_path_ = false;
  /// The work of some ranks by path, fields apart, messages in chunks, kernel of planes and
  /// threads.
  using Lowering = std::tuple<const OrderedPath *, bool, bool, local::Kernel, int>;
  mutable std::map<Lowering, std::vector<std::vector<Work>>> works_;
};

} // namespace hybridfft::plan
