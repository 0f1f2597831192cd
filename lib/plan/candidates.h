/// The choices that a problem has, by property, and the restrictions on them.
#pragma once

#include <functional>
#include <vector>

#include "plan/cost_model.h"

namespace hybridfft::plan {

/// What the environment prescribes, the same on all ranks.
struct Prescriptions {
  const exchange::Algorithm *algorithm = nullptr; ///< HFFT_EXCHANGE; nullptr: any
  bool all_threads = false;                       ///< HFFT_THREADS=all

  bool any() const { return algorithm != nullptr || all_threads; }
  /// Reads the environment. Throws Failure(HFFT_ERROR_ENVIRONMENT) naming the expected values.
  static Prescriptions read();
};

/// A property of choices and the values it may take.
using Property = std::vector<std::function<void(Choice &)>>;

/// Deterministic problems have one form and one kernel per axis, which depend on the problem alone;
/// what moves data stays free, as it does no arithmetic.
class Candidates {
public:
  Candidates(const Problem &problem, std::size_t real_bytes, const Machine &machine, int ranks,
             const Prescriptions &prescriptions);

  /// In the order of the gain that may be expected from varying them. `wide` adds values that
  /// seldom win.
  std::vector<Property> properties(bool wide) const;

  /// Properties that a choice does not depend on get one value, so that equal plans are equal
  /// choices.
  Choice canonical(Choice choice) const;
  /// Whether it is of this set.
  bool admit(const Choice &choice) const;

  /// For each exchange algorithm the choice that the model thinks cheapest, cheapest first.
  std::vector<Choice> best_by_algorithm() const;
  /// Calls visit with every choice there is, some of them repeatedly.
  void for_all(const std::function<void(const Choice &)> &visit) const;

  /// Whether FFTW has to plan for it.
  bool uses_fftw(const Choice &choice) const;

  const CostModel &model() const { return model_; }

private:
  Choice start() const;
  bool fftw_columns(const Choice &choice) const;
  Choice best_by_model(const exchange::Algorithm *algorithm) const;

  const Problem &problem_;
  Machine machine_;
  int ranks_;
  Prescriptions prescriptions_;
  CostModel model_;
};

} // namespace hybridfft::plan
