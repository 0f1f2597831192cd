#include "local/line_sweep.h"

#include <algorithm>

#include "base/threads.h"

namespace hybridfft::local {

template <class Real>
LineSweep<Real>::LineSweep(simd::Isa isa, const SplitRows &shape, std::ptrdiff_t lines, int inputs,
                           int threads)
    : Pass(shape.rows), isa_(isa), lines_(lines), inputs_(inputs), threads_(threads),
      forward_(isa, shape.columns, -1), backward_(isa, shape.columns, 1),
      tiles_(cached_tiles_of_run<Real>(lanes(), (static_cast<std::size_t>(inputs_) + 1) *
                                                    forward_.tile_bytes())) {
  scratch_each_ =
      static_cast<std::size_t>((inputs_ + 1) * tiles_ * forward_.tile_step()) * sizeof(Real) +
      whole_lines(forward_.tile_bytes()) +
      whole_lines(std::max(forward_.work_bytes(), backward_.work_bytes()));
  scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
  pointers_.resize(static_cast<std::size_t>(2 * shape.columns * threads_));
}

template <class Real> std::ptrdiff_t LineSweep<Real>::rest_until(std::ptrdiff_t end) const {
  if (left_over() == 0) return 0;
  return end == rows() ? (rows() + row_unit() - 1) / row_unit() : end / row_unit();
}

template <class Real> TileBox LineSweep<Real>::box(std::ptrdiff_t chunk) const {
  if (chunk < whole_chunks()) return {chunk / across(), 1, chunk % across() * lanes(), lanes()};
  const std::ptrdiff_t row = (chunk - whole_chunks()) * row_unit();
  return {row, std::min(row_unit(), rows() - row), across() * lanes(), left_over()};
}

template <class Real> SpectralTable<Real> LineSweep<Real>::make_table(const BinFunction &f) const {
  SpectralTable<Real> table;
  const std::ptrdiff_t bins = forward_.size() / 2 + 1;
  table.each_ = bins * lanes();
  table.memory_ = Memory(static_cast<std::size_t>(table.each_ * chunks()) * sizeof(Real), threads_);
  Real *values = reinterpret_cast<Real *>(table.memory_.data());
  parallel_ranges(chunks(), threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t c = first; c < last; ++c) {
      const TileBox b = box(c);
      for (std::ptrdiff_t bin = 0; bin < bins; ++bin)
        for (std::ptrdiff_t l = 0; l < b.lines(); ++l)
          values[c * table.each_ + bin * lanes() + l] =
              static_cast<Real>(f(b.first_row + l / b.vec, bin, b.first_vec + l % b.vec));
    }
  });
  return table;
}

/// Returns the number of chunks processed together, starting with chunk i: chunks of the same row
/// before `end`.
template <class Real>
std::ptrdiff_t LineSweep<Real>::batch(std::ptrdiff_t i, std::ptrdiff_t end) const {
  if (i >= end) return 1;
  return std::min({tiles_, end - i, across() - i % across()});
}

/// Processes chunks on one thread.
template <class Real> class LineSweep<Real>::Worker {
public:
  Worker(const LineSweep &sweep, int thread)
      : sweep_(sweep), inputs_(sweep.call_.inputs), products_(sweep.call_.products),
        memory_(sweep.scratch_.data() + static_cast<std::size_t>(thread) * sweep.scratch_each_),
        in_(sweep.pointers_.data() + 2 * sweep.forward_.size() * thread),
        out_(in_ + sweep.forward_.size()) {
    for (std::size_t p = 0; p < products_.size() && p < max_products; ++p)
      outputs_[p] = output(products_[p].to);
  }

  void finish() const { sweep_.backward_.moves().fence(); }

  /// Processes `count` chunks from chunk c on. Several chunks must be full tiles of the same row.
  void chunks(std::ptrdiff_t c, std::ptrdiff_t count) {
    const TileBox box = sweep_.box(c);
    const bool whole = box.rows == 1 && box.vec == sweep_.lanes();
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      read(inputs_[i], box, whole, tiles(i, count));
    const simd::FftTiles<Real> results = tiles(static_cast<std::size_t>(sweep_.inputs_), count);
    for (std::size_t p = 0; p < products_.size(); ++p) {
      for (std::ptrdiff_t t = 0; t < count; ++t)
        multiply(products_[p], c, t, results.first + t * results.stride);
      write(products_[p].to, box, whole, outputs_[p], results);
    }
  }

private:
  static constexpr std::ptrdiff_t element = 2 * sizeof(Real);

  /// Computes the spectrum of a product for chunk c + t, whose inputs are in tile t.
  void multiply(const LineProduct<Real> &product, std::ptrdiff_t c, std::ptrdiff_t t,
                Real *result) {
    simd::FilterTerm<Real> terms[max_terms];
    const auto count = std::min<std::size_t>(product.terms.size(), max_terms);
    for (std::size_t i = 0; i < count; ++i) {
      const LineTerm<Real> &term = product.terms[i];
      const auto input = tiles(static_cast<std::size_t>(term.from), 1);
      terms[i] = {input.first + t * input.stride,
                  term.table != nullptr ? term.table->chunk(c + t) : nullptr,
                  reinterpret_cast<const Real *>(term.factors)};
    }
    const LineFft<Real> &back = sweep_.backward_;
    back.moves().filter(terms, static_cast<std::ptrdiff_t>(count), back.size(), back.positions(),
                        result);
  }

  void read(const LineArray<Real> &a, const TileBox &box, bool whole,
            const simd::FftTiles<Real> &tiles) {
    const LineFft<Real> &fft = sweep_.forward_;
    if (whole) {
      point_at_columns(*a.rows, box.first_row, reals(a.array), fft.positions(), in_);
      fft.run_to_tiles(in_, 2 * box.first_vec, tiles, work());
      return;
    }
    gather_tile(sweep_.isa_, element, *a.rows, box, a.array, staging(), strides(box));
    for (std::ptrdiff_t j = 0; j < fft.size(); ++j)
      in_[fft.positions()[j]] = reals(staging()) + 2 * fft.lanes() * j;
    fft.run_to_tiles(in_, 0, tiles, work());
  }

  void write(const LineArray<Real> &a, const TileBox &box, bool whole, Output output,
             const simd::FftTiles<Real> &tiles) {
    const LineFft<Real> &fft = sweep_.backward_;
    if (whole) {
      point_at_columns(*a.rows, box.first_row, reals(a.array), nullptr, out_);
      fft.run_from_tiles(tiles, false, out_, 2 * box.first_vec, output, work());
      return;
    }
    for (std::ptrdiff_t j = 0; j < fft.size(); ++j)
      out_[j] = reals(staging()) + 2 * fft.lanes() * j;
    fft.run_from_tiles(tiles, false, out_, 0, Output::by_point, work());
    scatter_tile(sweep_.isa_, element, *a.rows, box, staging(), strides(box), a.array);
  }

  /// Returns the way of writing an output. Fields that are also inputs are in cache already.
  Output output(const LineArray<Real> &to) const {
    const auto same = [&](const LineArray<Real> &a) {
      return a.array == to.array && *a.rows == *to.rows;
    };
    if (std::any_of(inputs_.begin(), inputs_.end(), same)) return Output::in_runs;
    return is_aligned(to.array) && lines_align<Real>(*to.rows) ? Output::streamed
                                                               : Output::by_point;
  }

  TileStrides strides(const TileBox &box) const { return {box.vec, sweep_.lanes(), 1}; }
  /// Returns the first `count` tiles of input i. If i is the maximum number of inputs, returns the
  /// tiles of a result.
  simd::FftTiles<Real> tiles(std::size_t i, std::ptrdiff_t count) const {
    const std::ptrdiff_t step = sweep_.forward_.tile_step();
    return {reals(memory_) + static_cast<std::ptrdiff_t>(i) * sweep_.tiles_ * step, count, step};
  }
  std::byte *staging() const {
    return reinterpret_cast<std::byte *>(
        tiles(static_cast<std::size_t>(sweep_.inputs_) + 1, 1).first);
  }
  Real *work() const { return reals(staging() + whole_lines(sweep_.forward_.tile_bytes())); }
  static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }

  const LineSweep &sweep_;
  std::span<const LineArray<Real>> inputs_;
  std::span<const LineProduct<Real>> products_;
  std::byte *memory_;
  Real **in_, **out_;
  Output outputs_[max_products] = {};
};

template <class Real>
void LineSweep<Real>::execute(std::byte *, std::byte *, RowRange rows, const Poll &poll) const {
  const std::ptrdiff_t whole = (rows.last - rows.first) * across();
  const std::ptrdiff_t first_rest = whole_chunks() + rest_until(rows.first);
  const std::ptrdiff_t rest = rest_until(rows.last) - rest_until(rows.first);
  parallel_ranges(
      whole + rest, threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
        Worker worker(*this, thread);
        for (std::ptrdiff_t i = first, count = 1; i < last; i += count) {
          count = batch(i, std::min(last, whole));
          worker.chunks(i < whole ? rows.first * across() + i : first_rest + i - whole, count);
          if (thread == 0 && i % poll_interval < count) poll();
        }
        worker.finish();
      });
}

template <class Real> std::string LineSweep<Real>::describe() const {
  return "lines of " + std::to_string(forward_.size()) + ", " + simd::name(isa_) + " kernels " +
         forward_.factors() + " on " + std::to_string(lanes()) + " lines";
}

template class LineSweep<float>;
template class LineSweep<double>;

} // namespace hybridfft::local
