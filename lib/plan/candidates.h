/// The choices that a problem has, by property, and the restrictions on them.
#pragma once

#include <functional>
#include <vector>

#include "plan/cost_model.h"

namespace hybridfft::plan {

/// A property (a knob) of choices and the values it may take.
using Property = std::vector<std::function<void(Choice &)>>;

/// Whether fields can be transformed one after another.
bool admits_fields(const Problem &problem);

/// True if the passes and the exchange of a choice serve a problem. FFTW's plan of the whole array
/// needs one rank and normal order. Pruned planes of two axes are one step with the library's own
/// kernels for real data, else two. Exchanges in place need slabs of equal blocks.
bool admits(const Problem &p, int ranks, const Choice &choice);

/// Paths between slabs or between any other layouts. Deterministic problems have one form and one
/// kernel per axis, which depend on the problem alone; what moves data stays
/// free, as it does no arithmetic.
class Candidates {
public:
  Candidates(const Problem &problem, const Machine &machine);

  /// In the order of the gain that may be expected from varying them. `wide` adds values that
  /// seldom win.
  std::vector<Property> properties(bool wide) const;

  /// Properties that a choice does not depend on get one value, so that equal plans are equal
  /// choices.
  Choice canonical(Choice choice) const;
  /// Whether it is of this set.
  bool admit(const Choice &choice) const;
  /// The same of any exchange, whatever HFFT_EXCHANGE says.
  bool admit_any_exchange(const Choice &choice) const;

  /// Choices to begin with, the likeliest first: for each exchange algorithm of slabs the one that
  /// the model thinks cheapest, and passes where that leaves all to FFTW; along paths the default,
  /// and those with blocks in shared memory, if there is any, and in messages: the last one always
  /// has a plan.
  std::vector<Choice> first() const;
  /// Calls visit with every choice there is, some of them repeatedly; along paths with every way to
  /// move data.
  void for_all(const std::function<void(const Choice &)> &visit) const;

  /// Whether FFTW has to plan for it.
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
  /// Matrices are moved, not transformed.
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
  bool in_place_alone_ = false; ///< exchanges work within the user's one array
  bool between_slabs_ = false;  ///< the paths are those of slab_paths()
  /// The likeliest first; between other layouts those with the better order in memory, then those
  /// with the other one.
  std::vector<std::shared_ptr<const OrderedPath>> paths_;
  std::size_t better_orders_ = 0; ///< number of paths with the better order
};

} // namespace hybridfft::plan
