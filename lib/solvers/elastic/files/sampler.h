/// Copies values of fields at listed points to the host, for records.
#pragma once

#include <vector>

#include "solvers/elastic/record_kernels.h"
#include "solvers/elastic/solver.h"

namespace hybridfft::elastic {

/// Number of the pressure in place of a field's number.
constexpr int pressure = -1;

/// Returns the kernel argument for a velocity or for the pressure.
template <class Real> kernels::Quantity<Real> quantity_of(Solver<Real> &solver, int field) {
  const auto origin = [&](int f) -> const Real * { return solver.field(f).view().origin(); };
  if (field == pressure) return {origin(sxx), origin(syy), origin(szz)};
  return {origin(field)};
}

/// Gathers values at points of this rank. The solver must outlive it.
template <class Real> class Sampler {
public:
  /// \param points points of this rank's block, in indices of the grid
  Sampler(Solver<Real> &solver, const std::vector<Index3> &points) : solver_(&solver) {
    const grid::Lattice lattice(solver.field(0).view());
    std::vector<Index> offsets;
    for (const Index3 &p : points)
      offsets.push_back(lattice.at(p[0], p[1], p[2]));
    offsets_ = List<Index>(offsets, solver.exec());
    values_ = List<Real>(offsets_.size(), solver.exec());
  }

  /// Copies the current value of a quantity at each point to `values`, in the memory used by exec.
  /// A device copies after its earlier work.
  void gather(int field, Real *values) const {
    for_points(solver_->exec(), grid::Box(1, 1, offsets_.size()),
               kernels::Gather<Real>{quantity_of(*solver_, field), offsets_.data(), values});
  }
  /// Copies the current value of a quantity at each point to host memory, and waits for the values.
  void take(int field, Real *values) {
    const ElasticExec &exec = solver_->exec();
    if (!exec.device) return gather(field, values);
    if (offsets_.size() == 0) return;
    gather(field, values_.data());
    exec.device->copy(values, values_.data(),
                      static_cast<std::size_t>(offsets_.size()) * sizeof(Real));
  }

private:
  Solver<Real> *solver_;
  List<Index> offsets_;
  List<Real> values_;
};

} // namespace hybridfft::elastic
