/// The set of candidate plans of a problem, and their costs by a model. A candidate is a Choice
/// with a value for each property, subject to the restrictions of the problem and of the
/// environment. The search varies one property at a time; the exhaustive search tries all
/// combinations.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "plan/choice.h"
#include "plan/machine.h"
#include "plan/step.h"

namespace hybridfft::plan {

// The cost model estimates the seconds of a choice from the rates of the machine. The search uses
// it to order candidates and to skip slow ones. HFFT_ESTIMATE takes the cheapest choice without
// timing.

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

  /// Return true if the library's own kernels support some transforms of a choice: simd_planes()
  /// refers to its planes (or to their lines if planes are split), simd_columns() to its columns,
  /// and simd_columns_of_planes() to the columns of split planes. On paths between other layouts
  /// than slabs all three functions return true if the kernels support any transformed axis.
  bool simd_planes(const Choice &choice) const;
  bool simd_columns(const Choice &choice) const;
  bool simd_columns_of_planes(const Choice &choice) const;

private:
  /// Work of a rank in one step.
  struct Work {
    StepKind kind = StepKind::copy;
    double elements = 0; ///< number of complex numbers that a pass reads and writes, or that an
                         ///< exchange sends
    bool simd = true;    ///< true if the library's own kernels support the step
    std::array<double, 2> flops{}; ///< flops with FFTW's kernels and with the library's own
    double units = 1;              ///< number of independent units of work, or of messages
    double traffic = 1;            ///< factor of the memory traffic if the data of a pass exceed
                                   ///< the cache
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

/// A property of choices, as a list of functions: each sets the property to one of its values.
using Property = std::vector<std::function<void(Choice &)>>;

/// True if the problem's fields can be transformed one after another.
bool admits_fields(const Problem &problem);

/// True if the passes and the exchange of a choice can compute a problem. FFTW's plan of the
/// complete array needs one rank and normal order. Pruned planes of two axes are one step for real
/// data with the library's own kernels, else two steps. Exchanges in place need slabs of equal
/// blocks.
bool admits(const Problem &p, int ranks, const Choice &choice);

/// Candidates on paths between slabs or between any other layouts. For a deterministic problem the
/// problem alone determines the passes and the kernel of each axis. Candidates differ only in the
/// movement of data, which does no arithmetic.
class Candidates {
public:
  Candidates(const Problem &problem, const Machine &machine);

  /// Returns the properties in the order of expected gain. `wide` adds values that are rarely the
  /// fastest.
  std::vector<Property> properties(bool wide) const;

  /// Returns the choice with each property that has no effect set to one fixed value. Choices with
  /// equal plans then are equal.
  Choice canonical(Choice choice) const;
  /// True if the choice is a candidate.
  bool admit(const Choice &choice) const;
  /// True if the choice is a candidate when HFFT_EXCHANGE is ignored.
  bool admit_any_exchange(const Choice &choice) const;

  /// Returns the choices to try first, the likeliest first. The last one always has a plan. Between
  /// slabs they are the model's cheapest choice for each exchange algorithm. If the first of them
  /// is FFTW's plan of the complete array, the default choice is added, because it has a plan in
  /// any case. On other paths they are the default choice, the same choice with blocks read from
  /// shared memory (if the ranks share memory), and the same choice with messages of blocks.
  std::vector<Choice> first() const;
  /// Calls visit() with all combinations of property values. Some of them are no candidates, and
  /// some are equal to others. On paths between other layouts than slabs they differ only in the
  /// movement of data.
  void for_all(const std::function<void(const Choice &)> &visit) const;

  /// True if FFTW has to plan for the choice.
  bool uses_fftw(const Choice &choice) const;

  const CostModel &model() const { return model_; }

private:
  Choice start() const;
  Choice start_on_path() const;
  void add_paths();
  Property paths(std::size_t number) const;
  std::vector<Property> moving_properties(bool wide) const;
  std::vector<Property> kernel_properties(bool wide) const;
  Property algorithms(bool wide) const;
  bool admit_deterministic(const Choice &choice) const;
  bool spares_memory() const;
  /// True for a pure transposition between slabs, without any FFT.
  bool copies_only() const { return between_slabs_ && problem_.axes.empty(); }
  bool on_one_node() const { return machine_.ranks_per_node == ranks_ && ranks_ > 1; }
  static bool uses(const Choice &choice, const exchange::Algorithm &algorithm);
  bool has_transpositions_only(const Path &path) const;
  bool fftw_columns(const Choice &choice) const;
  Choice best_by_model(const exchange::Algorithm *algorithm) const;

  const Problem &problem_;
  Machine machine_;
  int ranks_;
  CostModel model_;
  bool in_place_alone_ =
      false; ///< true if input and output are one array, and exchanges must work within it
  bool between_slabs_ = false; ///< the paths come from slab_paths()
  /// Paths, the likeliest first. Between layouts other than slabs each path is listed in two memory
  /// orders: all paths in the better order come first.
  std::vector<std::shared_ptr<const OrderedPath>> paths_;
  std::size_t better_orders_ = 0; ///< number of paths with the better order
};

} // namespace hybridfft::plan
