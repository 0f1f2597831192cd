/// One sweep of all threads over a rank's local data.
#pragma once

#include <cstddef>
#include <string>

#include "base/poll.h"
#include "simd/transpose.h"

namespace hybridfft::local {

/// The library whose code transforms the lines of a tile.
enum class Kernel { fftw, simd };

/// Options of every pass.
struct PassOptions {
  int threads = 1;
  unsigned effort = 0;           ///< FFTW's planner flag
  std::ptrdiff_t tile_bytes = 0; ///< cache that a thread may fill with its tile
  Kernel kernel = Kernel::fftw;
  simd::Store store = simd::Store::cached; ///< store of simd kernels for results out of place
  simd::Isa isa = simd::active();
  /// The arithmetic of a line depends on nothing but the line: not on its place in the matrix or
  /// in memory, on the pass that transforms it, on timing, or on the number of threads.
  bool deterministic = false;
  double scale = 1; ///< factor of a transform's results
};

/// Rows first .. last-1 of the matrix that a pass works on.
struct RowRange {
  std::ptrdiff_t first, last;
};

/// A planned pass. Thread-safe executions are not promised: a pass may own scratch.
class Pass {
public:
  virtual ~Pass() = default;
  /// Reads these rows of `source` and writes them to `destination`, which may be the same array
  /// only if in_place(). Ranges may be executed apart and in any order; they begin and end at
  /// multiples of row_unit() or at the end. Opens its own parallel region, in which the calling
  /// thread polls between its tiles; does not throw or allocate.
  virtual void execute(std::byte *source, std::byte *destination, RowRange rows,
                       const Poll &poll) const = 0;
  /// Works on all rows, without polling.
  void execute(std::byte *source, std::byte *destination) const {
    execute(source, destination, {0, rows_}, Poll());
  }
  std::ptrdiff_t rows() const { return rows_; }
  /// Number of neighbouring rows that are executed together.
  virtual std::ptrdiff_t row_unit() const { return 1; }
  /// True if source and destination may be the same array.
  virtual bool in_place() const = 0;
  /// "columns n0=256, tiles of 16 lines, 2 threads".
  virtual std::string describe() const = 0;
  /// Scratch that the pass owns, in bytes.
  virtual std::size_t scratch_bytes() const = 0;

protected:
  explicit Pass(std::ptrdiff_t rows) : rows_(rows) {}

private:
  std::ptrdiff_t rows_;
};

} // namespace hybridfft::local
