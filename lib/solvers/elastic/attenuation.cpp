#include "solvers/elastic/attenuation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hybridfft::elastic {

namespace {

constexpr int mechanisms = Mechanisms::number;
constexpr int samples = 200; ///< number of frequencies in the fit of the mechanisms

/// Ratios of the highest to the lowest frequency of a band. A band with a ratio below `narrow` is
/// fitted as part of a band with ratio `wide`. Otherwise its closely spaced relaxation times would
/// get weights of alternating sign, and negative weights make short waves grow. In a band with the
/// ratio `narrow` and quality factors of 40, short waves grow by a factor of e in 1.5 periods of
/// the highest frequency.
constexpr double narrow = 6, wide = 21;

/// Returns the i-th term of a geometric sequence of `count` numbers from `first` to `last`.
double geometric(double first, double last, int count, int i) {
  return first * std::pow(last / first, static_cast<double>(i) / (count - 1));
}

using Row = std::array<double, mechanisms + 1>; ///< coefficients, followed by the right-hand side

/// Solves a least-squares problem by Householder reflections. The last column of the rows is the
/// right-hand side.
std::array<double, mechanisms> least_squares(std::vector<Row> &rows) {
  const std::size_t m = rows.size();
  for (std::size_t c = 0; c < mechanisms; ++c) {
    double norm = 0;
    for (std::size_t r = c; r < m; ++r)
      norm += rows[r][c] * rows[r][c];
    norm = rows[c][c] > 0 ? -std::sqrt(norm) : std::sqrt(norm);
    std::vector<double> v(m);
    for (std::size_t r = c; r < m; ++r)
      v[r] = rows[r][c];
    v[c] -= norm;
    double square = 0;
    for (std::size_t r = c; r < m; ++r)
      square += v[r] * v[r];
    for (std::size_t column = c; column <= mechanisms; ++column) {
      double product = 0;
      for (std::size_t r = c; r < m; ++r)
        product += v[r] * rows[r][column];
      for (std::size_t r = c; r < m; ++r)
        rows[r][column] -= 2 * product / square * v[r];
    }
  }
  std::array<double, mechanisms> x{};
  for (std::size_t c = mechanisms; c-- > 0;) {
    double sum = rows[c][mechanisms];
    for (std::size_t other = c + 1; other < mechanisms; ++other)
      sum -= rows[c][other] * x[other];
    x[c] = sum / rows[c][c];
  }
  return x;
}

/// Returns the relative excess of the unrelaxed modulus over the modulus at the reference
/// frequency, for a quality factor of 1.
double part_at_once(const Mechanisms &m, double reference) {
  double real = 0;
  for (std::size_t i = 0; i < mechanisms; ++i) {
    const double x = 2 * std::numbers::pi * reference * m.tau[i];
    real += m.weight[i] / (1 + x * x);
  }
  return real;
}

/// Mechanism of each cell in a 2 x 2 x 2 group, indexed by 4 odd(x) + 2 odd(y) + odd(z). Adjacent
/// cells get distant relaxation times.
constexpr std::array<std::size_t, 8> mechanism_of{0, 5, 6, 3, 7, 2, 1, 4};

} // namespace

Mechanisms constant_quality(double lowest, double highest) {
  if (highest < narrow * lowest) {
    const double middle = std::sqrt(lowest * highest);
    lowest = middle / std::sqrt(wide);
    highest = middle * std::sqrt(wide);
  }
  Mechanisms m{};
  for (int i = 0; i < mechanisms; ++i)
    m.tau[static_cast<std::size_t>(i)] =
        1 / (2 * std::numbers::pi * geometric(lowest / 2, highest * 2, mechanisms, i));
  std::vector<Row> rows(samples);
  for (int s = 0; s < samples; ++s) {
    Row &row = rows[static_cast<std::size_t>(s)];
    const double omega = 2 * std::numbers::pi * geometric(lowest, highest, samples, s);
    for (std::size_t i = 0; i < mechanisms; ++i) {
      const double x = omega * m.tau[i];
      row[i] = x / (1 + x * x);
    }
    row[mechanisms] = 1;
  }
  m.weight = least_squares(rows);
  return m;
}

double unrelaxed_part(const Quality &quality) {
  return part_at_once(constant_quality(quality.lowest, quality.highest), quality.reference);
}

UnrelaxedModuli unrelaxed_moduli(const Quality &quality) {
  const double part = unrelaxed_part(quality);
  return {1 + part / quality.p, 1 + part / quality.s};
}

double min_quality(const Quality &quality) {
  const Mechanisms m = constant_quality(quality.lowest, quality.highest);
  return 8 * *std::ranges::max_element(m.weight) - part_at_once(m, quality.reference);
}

double growth_rate(const Quality &quality) {
  const Mechanisms m = constant_quality(quality.lowest, quality.highest);
  double rate = 0;
  for (std::size_t i = 0; i < mechanisms; ++i)
    rate = std::max(rate, -8 * m.weight[i] / (2 * m.tau[i]));
  return rate / std::min(quality.p, quality.s);
}

template <class Real>
Attenuation<Real>::Attenuation(const Problem &problem) : quality_(*problem.quality) {
  const Mechanisms m = constant_quality(quality_.lowest, quality_.highest);
  const auto odd = [&problem](int axis, Index i) {
    const Index n = problem.cells[axis];
    Index cell = i - (axis == 2 ? problem.planes_above() : 0);
    if (problem.periodic[static_cast<std::size_t>(axis)]) cell = (cell % n + n) % n;
    return static_cast<std::size_t>(cell & 1);
  };
  for (int axis = 0; axis < 2; ++axis)
    odd_[static_cast<std::size_t>(axis)] = AxisTable<Real>(
        problem.extents()[axis], [&](Index i) { return static_cast<double>(odd(axis, i)); });
  for (std::size_t row = 0; row < 4; ++row) {
    const auto table = [&](const auto &f) {
      return AxisTable<Real>(problem.extents()[2],
                             [&](Index k) { return f(mechanism_of[2 * row + odd(2, k)]); });
    };
    weight_[row] = table([&](std::size_t i) { return 8 * m.weight[i]; });
    decay_[row] = table([&](std::size_t i) { return std::exp(-problem.dt / m.tau[i]); });
    gain_[row] = table(
        [&](std::size_t i) { return -std::expm1(-problem.dt / m.tau[i]) * m.tau[i] / problem.dt; });
  }
}

template <class Real> void Attenuation<Real>::move_to(const ElasticExec &exec) {
  for (AxisTable<Real> &table : odd_)
    table.move_to(exec);
  for (auto *tables : {&weight_, &gain_, &decay_})
    for (AxisTable<Real> &table : *tables)
      table.move_to(exec);
}

template <class Real> kernels::Relaxation<Real> Attenuation<Real>::relaxation() const {
  kernels::Relaxation<Real> r{};
  for (std::size_t a = 0; a < 2; ++a)
    r.odd[a] = odd_[a].numbers();
  for (std::size_t row = 0; row < 4; ++row) {
    r.weight[row] = weight_[row].numbers();
    r.gain[row] = gain_[row].numbers();
    r.decay[row] = decay_[row].numbers();
  }
  return r;
}

template <class Real> kernels::UniformQuality<Real> Attenuation<Real>::uniform() const {
  const UnrelaxedModuli unrelaxed = unrelaxed_moduli(quality_);
  return {{static_cast<Real>(1 / quality_.p), static_cast<Real>(1 / quality_.s),
           static_cast<Real>(unrelaxed.p), static_cast<Real>(unrelaxed.s)}};
}

template <class Real>
kernels::CellQuality<Real> Attenuation<Real>::of_cells(const Medium<Real> &medium) const {
  return {medium.inverse_q_p().view().origin(), medium.inverse_q_s().view().origin(),
          static_cast<Real>(unrelaxed_part(quality_))};
}

template class Attenuation<float>;
template class Attenuation<double>;

template <class Real> SpongeProfiles<Real>::SpongeProfiles(const Problem &problem) {
  const auto [width, edge] = problem.sponge;
  const double a = width > 0 ? std::sqrt(-std::log(edge)) / static_cast<double>(width) : 0;
  const auto factor = [a, w = width](Index cell) {
    if (cell < 0 || cell >= w) return 1.;
    const double depth = a * static_cast<double>(w - cell);
    return std::exp(-depth * depth);
  };
  for (int axis = 0; axis < 3; ++axis) {
    const bool free = axis == 2 && problem.surface != Surface::none;
    const Index n = problem.cells[axis], above = axis == 2 ? problem.planes_above() : 0;
    profiles_[static_cast<std::size_t>(axis)] = AxisTable<Real>(n + above, [&](Index i) {
      if (problem.periodic[static_cast<std::size_t>(axis)]) return 1.;
      const Index cell = i - above;
      return (free ? 1. : factor(cell)) * factor(n - 1 - cell);
    });
  }
}

template class SpongeProfiles<float>;
template class SpongeProfiles<double>;

} // namespace hybridfft::elastic
