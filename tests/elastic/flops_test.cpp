// Compares the number of operations reported by kernels with a count by a counting type of numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "solvers/elastic/kernels.h"

namespace hybridfft::elastic {
namespace {

/// A number type with counters of additions, subtractions, multiplications and divisions.
struct Counted {
  Counted() = default;
  Counted(double v) : value(v) {}
  friend Counted operator+(Counted a, Counted b) { return counted(a.value + b.value); }
  friend Counted operator-(Counted a, Counted b) { return counted(a.value - b.value); }
  friend Counted operator*(Counted a, Counted b) { return counted(a.value * b.value); }
  friend Counted operator/(Counted a, Counted b) { return counted(a.value / b.value); }
  explicit operator int() const { return static_cast<int>(value); }
  static Counted counted(double v) {
    ++operations;
    return v;
  }
  static inline int operations = 0;
  double value = 1;
};

/// Counts the operations of a kernel at a point in the middle of a block of 7 x 7 x 7 points.
template <class Kernel> class Operations {
public:
  int of(Kernel &kernel) {
    kernel.lattice = lattice();
    kernel.damping = {ones(), ones(), ones()};
    return count(kernel);
  }
  int of_memory(Kernel &kernel) {
    kernel.elastic.lattice = lattice();
    kernel.elastic.damping = {ones(), ones(), ones()};
    for (auto *tables : {kernel.relaxation.weight, kernel.relaxation.gain, kernel.relaxation.decay})
      std::fill_n(tables, 4, ones());
    std::fill_n(kernel.relaxation.odd, 2, &zeros_[0]);
    return count(kernel);
  }
  Counted *values() { return &field_[0]; }

private:
  static grid::Lattice lattice() { return {49, 7, 0}; }
  const Counted *ones() { return &field_[0]; }
  int count(const Kernel &kernel) {
    const auto row = kernel.row(3, 3);
    Counted::operations = 0;
    kernel.template advance<Counted>(row, 3);
    return Counted::operations;
  }

  std::array<Counted, 343> field_;
  std::array<Counted, 7> zeros_{0., 0., 0., 0., 0., 0., 0.};
};

template <class Kernel> void set_fields(Kernel &kernel, Counted *values) {
  std::fill_n(kernel.v, 3, values);
  std::fill_n(kernel.s, 6, values);
}

TEST(ElasticFlops, Kernels_ReportCountedOperations) {
  Operations<kernels::Velocity<Counted>> of_velocity;
  kernels::Velocity<Counted> velocity{};
  set_fields(velocity, of_velocity.values());
  velocity.rho = of_velocity.values();
  // The absorbing layer's factor along x and y is computed once per row, so its operations are not
  // counted.
  EXPECT_EQ(of_velocity.of(velocity), velocity.flops);

  Operations<kernels::Stress<Counted>> of_stress;
  kernels::Stress<Counted> stress{};
  set_fields(stress, of_stress.values());
  stress.moduli = {of_stress.values(), of_stress.values()};
  EXPECT_EQ(of_stress.of(stress), stress.flops);

  Operations<kernels::AnelasticStress<Counted>> of_uniform;
  kernels::AnelasticStress<Counted> uniform{};
  uniform.elastic = stress;
  std::fill_n(uniform.memory, 6, of_uniform.values());
  EXPECT_EQ(of_uniform.of_memory(uniform), uniform.flops);

  Operations<kernels::AnelasticStressOfCells<Counted>> of_cells;
  kernels::AnelasticStressOfCells<Counted> cells{};
  cells.elastic = stress;
  cells.quality = {of_cells.values(), of_cells.values(), 1.};
  std::fill_n(cells.memory, 6, of_cells.values());
  EXPECT_EQ(of_cells.of_memory(cells), cells.flops);
}

} // namespace
} // namespace hybridfft::elastic
