// Restricts and prolongs the fields of blocks on the host, as sparse matrix products along one axis
// after another.

#include <algorithm>

#include "base/memory.h"
#include "base/threads.h"
#include "solvers/lfb/block_gridding.h"
#include "solvers/lfb/weighted_rows.h"

namespace hybridfft::lfb {

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
