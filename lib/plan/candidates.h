/// The set of candidate plans of a problem. A candidate is a Choice with a value for each property,
/// subject to the restrictions of the problem and of the environment. The search varies one
/// property at a time, the exhaustive search all of them.
#pragma once

#include <functional>
#include <vector>

#include "plan/cost_model.h"

namespace hybridfft::plan {

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
  /// slabs they are the model's cheapest choice for each exchange algorithm; if the cheapest of
  /// them uses FFTW alone, a choice of passes is added. Along other paths they are the default,
  /// blocks in shared memory if available, and messages of blocks.
  std::vector<Choice> first() const;
  /// Calls visit with every candidate, with some repeatedly. Along paths candidates differ only in
  /// the movement of data.
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
