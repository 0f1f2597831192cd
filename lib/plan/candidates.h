/// The set of candidate plans of a problem. A candidate is a Choice with a value for each property,
/// subject to the restrictions of the problem and of the environment. The search varies one
/// property at a time, the exhaustive search all of them.
#pragma once

#include <functional>
#include <vector>

#include "plan/cost_model.h"

namespace hybridfft::plan {

/// A property of choices: one setter for each of its values.
using Property = std::vector<std::function<void(Choice &)>>;

/// True if the problem's fields can be transformed one after another.
bool admits_fields(const Problem &problem);

/// True if the passes and the exchange of a choice serve a problem. FFTW's plan of the whole array
/// needs one rank and normal order. Pruned planes of two axes are one step with the library's own
/// kernels for real data, else two. Exchanges in place need slabs of equal blocks.
bool admits(const Problem &p, int ranks, const Choice &choice);

/// Candidates on paths between slabs or between any other layouts. A deterministic problem has one
/// form and one kernel per axis, determined by the problem alone. Only its data movement varies, as
/// it does no arithmetic.
class Candidates {
public:
  Candidates(const Problem &problem, const Machine &machine);

  /// Returns the properties in the order of expected gain. `wide` adds values that are rarely the
  /// fastest.
  std::vector<Property> properties(bool wide) const;

  /// Sets each property without effect on this choice to one value, so equal plans are equal
  /// choices.
  Choice canonical(Choice choice) const;
  /// True if the choice is a candidate.
  bool admit(const Choice &choice) const;
  /// Same as admit(), but ignores HFFT_EXCHANGE.
  bool admit_any_exchange(const Choice &choice) const;

  /// Returns the choices to try first, the likeliest first. Between slabs these are the cheapest
  /// choice of the model for each exchange algorithm, and a choice of passes if the cheapest choice
  /// uses FFTW alone. Along paths they are the default, blocks in shared memory if available, and
  /// messages of blocks. The last choice always has a plan.
  std::vector<Choice> first() const;
  /// Calls visit with every candidate, some of them repeatedly. Along paths only data movement
  /// varies.
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
  bool in_place_alone_ = false; ///< true if exchanges must work within the user's one array
  bool between_slabs_ = false;  ///< the paths come from slab_paths()
  /// Paths, the likeliest first. Between layouts other than slabs, paths in the better memory order
  /// come first, then the same paths in the other order.
  std::vector<std::shared_ptr<const OrderedPath>> paths_;
  std::size_t better_orders_ = 0; ///< number of paths with the better order
};

} // namespace hybridfft::plan
