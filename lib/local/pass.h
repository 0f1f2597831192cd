/// Interface of a pass: one loop of all threads over a rank's local data. Plans are sequences of
/// passes and exchanges.
#pragma once

#include <cstddef>
#include <string>

#include "simd/transpose.h"

namespace hybridfft {

/// Reference to a callable that passes call repeatedly during their work, for example to progress
/// messages. A default Poll refers to none. The callable must outlive the Poll and must not throw.
class Poll {
public:
  Poll() = default;
  template <class F>
  explicit Poll(F &f) : object_(&f), call_([](void *object) { (*static_cast<F *>(object))(); }) {}
  /// Returns true if it refers to a callable.
  explicit operator bool() const { return call_ != nullptr; }
  void operator()() const {
    if (call_ != nullptr) call_(object_);
  }

private:
  void *object_ = nullptr;
  void (*call_)(void *) = nullptr;
};

} // namespace hybridfft

namespace hybridfft::local {

/// Library that transforms the lines of a tile.
enum class Kernel { fftw, simd };

/// Options of every pass.
struct PassOptions {
  int threads = 1;
  unsigned effort = 0;           ///< FFTW's planner flag
  std::ptrdiff_t tile_bytes = 0; ///< cache available to a thread's tile
  Kernel kernel = Kernel::fftw;
  simd::Store store =
      simd::Store::cached; ///< kind of store of SIMD kernels for results out of place
  simd::Isa isa = simd::active();
  /// True if the arithmetic of a line may depend only on the line: not on its place in the matrix
  /// or in memory, the pass, timing or the number of threads.
  bool deterministic = false;
  double scale = 1; ///< factor of the transform's results
};

/// Rows first .. last-1 of the matrix of a pass.
struct RowRange {
  std::ptrdiff_t first, last;
};

/// A planned pass. A pass may own scratch, so concurrent executions are not supported.
class Pass {
public:
  virtual ~Pass() = default;
  /// Transforms rows `rows` of `source` to the same rows of `destination`. Both arrays may be the
  /// same only if in_place(). Ranges may be executed separately and in any order. A range begins at
  /// a multiple of row_unit(); it ends at such a multiple or after the last row. The pass opens its
  /// own parallel region. The calling thread polls between its tiles. execute() neither throws nor
  /// allocates memory.
  virtual void execute(std::byte *source, std::byte *destination, RowRange rows,
                       const Poll &poll) const = 0;
  /// Executes all rows without polling.
  void execute(std::byte *source, std::byte *destination) const {
    execute(source, destination, {0, rows_}, Poll());
  }
  std::ptrdiff_t rows() const { return rows_; }
  /// Returns the number of adjacent rows that execute() must process together.
  virtual std::ptrdiff_t row_unit() const { return 1; }
  /// Returns true if source and destination may be the same array.
  virtual bool in_place() const = 0;
  /// Returns a description such as "columns n0=256, tiles of 16 lines, 2 threads".
  virtual std::string describe() const = 0;
  /// Returns the bytes of the pass's own scratch.
  virtual std::size_t scratch_bytes() const = 0;

protected:
  explicit Pass(std::ptrdiff_t rows) : rows_(rows) {}

private:
  std::ptrdiff_t rows_;
};

} // namespace hybridfft::local
