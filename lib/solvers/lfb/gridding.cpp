#include "solvers/lfb/gridding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hybridfft::lfb {

namespace {

/// Width of the window in coarse cells. Six cells give an aliasing error of 1e-5 in the lower half
/// of the modes.
constexpr int width = 6;
/// Shape parameter of the paper for an oversampling factor of 2: beta = 0.976 pi W (1 - 1/4).
const double beta = 0.976 * std::numbers::pi * width * 0.75;

double window(double x) {
  const double y = 2 * x / width;
  return std::abs(y) < 1 ? std::exp(beta * (std::sqrt(1 - y * y) - 1)) : 0;
}

/// Returns the smallest number >= n without prime factors other than 2, 3 and 5.
std::ptrdiff_t smooth_number(std::ptrdiff_t n) {
  for (;; ++n) {
    std::ptrdiff_t rest = n;
    for (const int factor : {2, 3, 5})
      while (rest % factor == 0)
        rest /= factor;
    if (rest == 1) return n;
  }
}

} // namespace

Gridding::Gridding(std::ptrdiff_t n, double coarse)
    : n_(n), coarse_(coarse < static_cast<double>(n)
                         ? std::min(n, smooth_number(static_cast<std::ptrdiff_t>(
                                           std::ceil(std::max(coarse, 1.0)))))
                         : n) {}

double Gridding::position(std::ptrdiff_t j) const {
  return static_cast<double>(j) * static_cast<double>(coarse_) / static_cast<double>(n_);
}

double Gridding::response(std::ptrdiff_t m) const {
  if (coarse_ == n_) return 1;
  const double cycles = static_cast<double>(2 * m > coarse_ ? m - coarse_ : m) /
                        static_cast<double>(coarse_); // per coarse cell
  // Midpoint rule on half of the interval, since the integrand is even.
  constexpr int intervals = 512;
  constexpr double step = width / 2.0 / intervals;
  double sum = 0;
  for (int i = 0; i < intervals; ++i) {
    const double x = (i + 0.5) * step;
    sum += window(x) * std::cos(2 * std::numbers::pi * cycles * x);
  }
  return 2 * step * sum;
}

Gridding::Range Gridding::range(std::ptrdiff_t begin, std::ptrdiff_t end) const {
  if (coarse_ == n_) return {begin, end - begin};
  const auto first = static_cast<std::ptrdiff_t>(std::ceil(position(begin) - width / 2.0));
  const auto last = static_cast<std::ptrdiff_t>(std::floor(position(end - 1) + width / 2.0));
  if (last - first + 1 >= coarse_) return {0, coarse_};
  return {(first + coarse_) % coarse_, last - first + 1};
}

template <class Real>
SparseMatrix<Real> Gridding::to_fine(std::ptrdiff_t begin, std::ptrdiff_t end) const {
  SparseMatrix<Real> matrix;
  const auto add = [&](std::ptrdiff_t column, double factor) {
    matrix.columns.push_back(column);
    matrix.factors.push_back(static_cast<Real>(factor));
  };
  const Range all = range(begin, end);
  for (std::ptrdiff_t j = begin; j < end; ++j) {
    if (coarse_ == n_) {
      add(j - begin, 1);
    } else {
      const double x = position(j);
      const auto last = static_cast<std::ptrdiff_t>(std::floor(x + width / 2.0));
      for (auto i = static_cast<std::ptrdiff_t>(std::ceil(x - width / 2.0)); i <= last; ++i) {
        // A window wider than the axis wraps around it several times.
        const std::ptrdiff_t from_first = (i - all.first) % coarse_;
        add(from_first < 0 ? from_first + coarse_ : from_first, window(static_cast<double>(i) - x));
      }
    }
    matrix.ends.push_back(static_cast<std::ptrdiff_t>(matrix.columns.size()));
  }
  return matrix;
}

template <class Real>
SparseMatrix<Real> Gridding::to_coarse(std::ptrdiff_t begin, std::ptrdiff_t end) const {
  const SparseMatrix<Real> fine = to_fine<Real>(begin, end);
  const auto rows = static_cast<std::size_t>(range(begin, end).count);
  SparseMatrix<Real> matrix{std::vector<std::ptrdiff_t>(rows, 0),
                            std::vector<std::ptrdiff_t>(fine.columns.size()),
                            std::vector<Real>(fine.columns.size())};
  std::vector<std::ptrdiff_t> next(rows + 1, 0);
  for (const std::ptrdiff_t column : fine.columns)
    ++next[static_cast<std::size_t>(column + 1)];
  for (std::size_t row = 0; row < rows; ++row)
    matrix.ends[row] = next[row + 1] += next[row];
  for (std::ptrdiff_t j = 0; j < end - begin; ++j)
    for (std::ptrdiff_t t = 0; t < fine.terms(j); ++t) {
      const auto from = static_cast<std::size_t>(fine.begin(j) + t);
      const auto to =
          static_cast<std::size_t>(next[static_cast<std::size_t>(fine.columns[from])]++);
      matrix.columns[to] = j;
      matrix.factors[to] = fine.factors[from];
    }
  return matrix;
}

template SparseMatrix<float> Gridding::to_fine(std::ptrdiff_t, std::ptrdiff_t) const;
template SparseMatrix<double> Gridding::to_fine(std::ptrdiff_t, std::ptrdiff_t) const;
template SparseMatrix<float> Gridding::to_coarse(std::ptrdiff_t, std::ptrdiff_t) const;
template SparseMatrix<double> Gridding::to_coarse(std::ptrdiff_t, std::ptrdiff_t) const;

} // namespace hybridfft::lfb
