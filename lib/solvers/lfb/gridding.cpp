#include "solvers/lfb/gridding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/memory.h"
#include "base/threads.h"
#include "solvers/lfb/small_product.h"

namespace hybridfft::lfb {

namespace {

/// Width of the window in coarse cells. Six cells give an aliasing error of 1e-5 in the lower half
/// of the modes.
constexpr int width = 6;
/// Shape parameter of Barnett et al. (see gridding.h) for an oversampling factor of 2: beta = 0.976
/// pi W (1 - 1/4).
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

// Restricts and prolongs the fields of blocks on the host, as sparse matrix products along one axis
// after another.

namespace {

using grid::View;

/// Computes row `row` of the product of a sparse matrix and a dense matrix with rows of n values.
template <class Real>
void multiply_row(const SparseMatrix<Real> &matrix, Index row, const rows::Rows<Real> &from,
                  Real *to, Index n) {
  const Index begin = matrix.begin(row);
  rows::weighted_sum(from, matrix.columns.data() + begin, matrix.factors.data() + begin,
                     matrix.terms(row), to, n);
}

/// Calls f(first column, factors, terms) for each run of adjacent columns in a row of a sparse
/// matrix.
template <class Real, class F>
void for_runs(const SparseMatrix<Real> &matrix, Index row, const F &f) {
  const Index *columns = matrix.columns.data() + matrix.begin(row);
  const Real *factors = matrix.factors.data() + matrix.begin(row);
  const Index terms = matrix.terms(row);
  for (Index t = 0, end = 0; t < terms; t = end) {
    for (end = t + 1; end < terms && columns[end] == columns[end - 1] + 1;)
      ++end;
    f(columns[t], factors + t, end - t);
  }
}

/// BlockGridding for fields in host memory.
template <class Real> class HostGridding final : public BlockGridding<Real> {
public:
  HostGridding(std::vector<GriddedBlock<Real>> blocks, int threads)
      : blocks_(std::move(blocks)), threads_(threads) {
    for (const GriddedBlock<Real> &block : blocks_) {
      const Index planes = block.along[0].count;
      reserve(fine_rows_, planes * block.box.extent(1) * block.box.extent(2));
      reserve(coarse_rows_, planes * block.along[1].count * block.box.extent(2));
    }
  }

  void start_shares(std::size_t, std::span<const View<const Real>> fields,
                    std::span<Real *const> shares) override {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      restrict_block(blocks_[b], fields[b], shares[b]);
  }
  bool shares_at_once() const override { return true; }
  void await_shares(std::size_t) override {}
  void prolong(std::size_t, std::span<Real *const> shares,
               std::span<const View<Real>> fields) override {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      prolong_block(blocks_[b], shares[b], fields[b]);
  }

private:
  /// Grows the memory to at least `values` values.
  void reserve(Memory &memory, Index values) const {
    const auto bytes = static_cast<std::size_t>(values) * sizeof(Real);
    if (bytes > memory.bytes()) memory = Memory(bytes, threads_);
  }
  void restrict_block(const GriddedBlock<Real> &block, const View<const Real> &in, Real *share);
  void prolong_block(const GriddedBlock<Real> &block, const Real *share, const View<Real> &out);

  std::vector<GriddedBlock<Real>> blocks_;
  int threads_;
  Memory fine_rows_,
      coarse_rows_; ///< intermediate values of a block: [coarse][n1][n2] and [coarse][coarse][n2]
};

/// Restricts a block along axes 0, 1 and 2. Axis 0 takes most of the work and comes first, because
/// its rows are contiguous.
template <class Real>
void HostGridding<Real>::restrict_block(const GriddedBlock<Real> &block, const View<const Real> &in,
                                        Real *share) {
  const grid::Box &box = block.box;
  const Index n1 = box.extent(1), n2 = box.extent(2);
  const Gridding::Range &c0 = block.along[0], &c1 = block.along[1], &c2 = block.along[2];
  Real *fine = reinterpret_cast<Real *>(fine_rows_.data());
  Real *both = reinterpret_cast<Real *>(coarse_rows_.data());
  parallel_ranges(n1 * c0.count, threads_, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      const Index j = row / c0.count, i = row % c0.count;
      multiply_row(block.to_coarse[0], i, {&in(box.lo[0], box.lo[1] + j, box.lo[2]), in.stride(0)},
                   fine + (i * n1 + j) * n2, n2);
    }
  });
  parallel_ranges(c0.count * c1.count, threads_, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      Real *line = both + row * n2;
      multiply_row(block.to_coarse[1], row % c1.count, {fine + row / c1.count * n1 * n2, n2}, line,
                   n2);
      for (Index k = 0; k < c2.count; ++k) {
        Real sum = 0;
        for_runs(block.to_coarse[2], k, [&](Index begin, const Real *factors, Index terms) {
          sum += rows::product(line + begin, factors, terms);
        });
        share[row * c2.count + k] = sum;
      }
    }
  });
}

/// Prolongs a block along axes 2, 1 and 0, the transpose of restrict_block().
template <class Real>
void HostGridding<Real>::prolong_block(const GriddedBlock<Real> &block, const Real *share,
                                       const View<Real> &out) {
  const grid::Box &box = block.box;
  const Index n1 = box.extent(1), n2 = box.extent(2);
  const Gridding::Range &c0 = block.along[0], &c1 = block.along[1], &c2 = block.along[2];
  Real *fine = reinterpret_cast<Real *>(fine_rows_.data());
  Real *both = reinterpret_cast<Real *>(coarse_rows_.data());
  parallel_ranges(c0.count * c1.count, threads_, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      const Real *from = share + row * c2.count;
      Real *line = std::fill_n(both + row * n2, n2, Real(0)) - n2;
      for (Index k = 0; k < c2.count; ++k) {
        const Real value = from[k];
        for_runs(block.to_coarse[2], k, [&](Index begin, const Real *factors, Index terms) {
          rows::add(value, factors, line + begin, terms);
        });
      }
    }
  });
  parallel_ranges(c0.count * n1, threads_, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      multiply_row(block.to_fine[1], row % n1, {both + row / n1 * c1.count * n2, n2},
                   fine + row * n2, n2);
    }
  });
  parallel_ranges(n1 * box.extent(0), threads_, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      const Index j = row / box.extent(0), i = row % box.extent(0);
      multiply_row(block.to_fine[0], i, {fine + j * n2, n1 * n2},
                   &out(box.lo[0] + i, box.lo[1] + j, box.lo[2]), n2);
    }
  });
}

} // namespace

template <class Real>
std::unique_ptr<BlockGridding<Real>> grid_on_host(std::vector<GriddedBlock<Real>> blocks,
                                                  int threads) {
  return std::make_unique<HostGridding<Real>>(std::move(blocks), threads);
}

template std::unique_ptr<BlockGridding<float>> grid_on_host(std::vector<GriddedBlock<float>>, int);
template std::unique_ptr<BlockGridding<double>> grid_on_host(std::vector<GriddedBlock<double>>,
                                                             int);

} // namespace hybridfft::lfb
