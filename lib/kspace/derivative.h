/// The spatial derivatives of the time step, whatever computes them.
#pragma once

#include <functional>

#include "kspace/field.h"

namespace hybridfft::kspace {

/// Staggered first derivatives with the k-space correction, axis 0, 1, 2 = x, y, z. Collective.
/// Results lie in work space that is valid during `use` only; `use` may change other fields.
class Derivative {
public:
  virtual ~Derivative() = default;

  using UseComponent = std::function<void(int axis, const Field &component)>;
  using Use = std::function<void(const Field &result)>;

  /// For each axis in turn: d p / d axis, half a cell ahead of the points of p. Overwrites p.
  virtual void gradient(Field &p, const UseComponent &use) = 0;
  /// d u / d axis, half a cell behind the points of u. Keeps u.
  virtual void divergence_term(int axis, const Field &u, const Use &use) = 0;
};

} // namespace hybridfft::kspace
