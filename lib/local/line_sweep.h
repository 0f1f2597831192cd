/// One sweep over the lines along the columns of matrices: forward transforms, products in the
/// spectrum, and backward transforms. Choose it for operators on several fields: each field is read
/// and written once in memory.
#pragma once

#include <complex>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/memory.h"
#include "layout/split_rows.h"
#include "local/box_copy.h"
#include "local/pass.h"
#include "local/simd_lines.h"

namespace hybridfft::local {

/// A real factor for each bin of a LineSweep, in the order in which the sweep needs them. Factors
/// are even in the index along the columns.
template <class Real> class SpectralTable {
public:
  SpectralTable() = default;

private:
  template <class> friend class LineSweep;
  const Real *chunk(std::ptrdiff_t i) const {
    return reinterpret_cast<const Real *>(memory_.data()) + i * each_;
  }
  std::ptrdiff_t each_ = 0;
  Memory memory_;
};

/// An array and the matrix that describes its rows.
template <class Real> struct LineArray {
  const SplitRows *rows = nullptr;
  std::byte *array = nullptr;
};

/// A term of a product: spectrum of input `from`, times the table, times the factors (one for each
/// bin along the columns). Table and factors may be nullptr.
template <class Real> struct LineTerm {
  int from = 0;
  const SpectralTable<Real> *table = nullptr;
  const std::complex<Real> *factors = nullptr;
};

/// An output of the sweep: the backward transform of the sum of its terms, at least one.
template <class Real> struct LineProduct {
  LineArray<Real> to;
  std::span<const LineTerm<Real>> terms;
};

/// One sweep: the arrays that a LineSweep reads and writes.
template <class Real> struct LineCall {
  std::span<const LineArray<Real>> inputs;
  std::span<const LineProduct<Real>> products;
};

/// Pass that runs sweeps over lines. It owns its scratch, so only one execution runs at a time.
template <class Real> class LineSweep final : public Pass {
public:
  /// Plans sweeps over matrices like `shape` with at most `inputs` inputs. Only the first `lines`
  /// of the vec elements are transformed. Throws std::bad_alloc, or
  /// Failure(HFFT_ERROR_UNSUPPORTED).
  LineSweep(simd::Isa isa, const SplitRows &shape, std::ptrdiff_t lines, int inputs, int threads);

  /// Returns the factor of a bin along the columns, bin <= columns/2, for one row and element of
  /// vec.
  using BinFunction =
      std::function<double(std::ptrdiff_t row, std::ptrdiff_t bin, std::ptrdiff_t element)>;
  /// Makes a table of f for all bins of this rank. Throws std::bad_alloc.
  SpectralTable<Real> make_table(const BinFunction &f) const;

  /// Sets the next sweep. Its lists must stay valid until the sweep has ended.
  void set(const LineCall<Real> &call) { call_ = call; }
  /// Executes rows of the sweep, whose arrays set() defines. All inputs of a tile of lines are read
  /// before an output is written, so inputs and outputs may be the same arrays.
  void execute(std::byte *, std::byte *, RowRange rows, const Poll &poll) const override;
  /// Returns the number of rows that are processed together. Each row has left_over() lines after
  /// its full tiles, and these lines of several rows share a tile.
  std::ptrdiff_t row_unit() const override { return left_over() == 0 ? 1 : lanes() / left_over(); }
  bool in_place() const override { return true; }
  std::size_t scratch_bytes() const override { return scratch_.bytes(); }
  std::string describe() const override;

private:
  class Worker;
  static constexpr std::size_t max_terms = 4, max_products = 4;

  std::ptrdiff_t lanes() const { return forward_.lanes(); }
  /// Returns the number of chunks. A chunk is the lines of one tile: first come the full tiles of
  /// every row, then tiles of the remaining lines of several rows.
  std::ptrdiff_t chunks() const { return whole_chunks() + rest_chunks(); }
  std::ptrdiff_t across() const { return lines_ / lanes(); }
  std::ptrdiff_t left_over() const { return lines_ % lanes(); }
  std::ptrdiff_t whole_chunks() const { return rows() * across(); }
  std::ptrdiff_t rest_chunks() const { return rest_until(rows()); }
  /// Returns the number of chunks of remaining lines with all rows before `end`.
  std::ptrdiff_t rest_until(std::ptrdiff_t end) const;
  TileBox box(std::ptrdiff_t chunk) const;
  std::ptrdiff_t batch(std::ptrdiff_t i, std::ptrdiff_t end) const;

  simd::Isa isa_;
  std::ptrdiff_t lines_;
  int inputs_, threads_;
  LineFft<Real> forward_, backward_;
  std::ptrdiff_t tiles_; ///< number of tiles transformed together, for every input and for a result
  std::size_t scratch_each_ = 0;
  Memory scratch_;
  mutable std::vector<Real *> pointers_; ///< one part for each thread
  LineCall<Real> call_;                  ///< the current sweep
};

} // namespace hybridfft::local
