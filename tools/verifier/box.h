/// A rank's part of a distributed array, computed from the documented rules alone. Shares no code
/// with the library.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "verifier/problem.h"

namespace hybridfft::verifier {

enum class ArraySide { in, out };

using Index = std::vector<std::ptrdiff_t>;

/// Result of local_size_*: this rank's range of the distributed axis.
struct LocalRange {
  std::ptrdiff_t count = 0;
  std::ptrdiff_t start = 0;
};

class DataBox {
public:
  DataBox(const Problem &problem, ArraySide side, LocalRange range);

  /// Number of elements (reals or complex numbers) in memory, padding included.
  std::ptrdiff_t elements() const;
  bool real() const { return real_; }
  std::size_t dimensions() const { return axes_.size(); }

  /// Calls f(offset, index, component) for every value, except padding, in memory order. `index` is
  /// the global index in the order of the axes n0, n1, ..., also for transposed arrays.
  template <class F> void for_each(F &&f) const {
    if (range_.count == 0) return;
    Index at(axes_.size(), 0);
    Index index(axes_.size(), 0);
    for (bool more = true; more; more = advance(at)) {
      const std::ptrdiff_t offset = offset_of(at, index);
      for (std::ptrdiff_t v = 0; v < howmany_; ++v)
        f(offset + v, std::as_const(index), v);
    }
  }

private:
  struct Axis {
    std::size_t logical;
    std::ptrdiff_t count;
    std::ptrdiff_t start;
    std::ptrdiff_t allocated;
  };
  bool advance(Index &at) const;
  std::ptrdiff_t offset_of(const Index &at, Index &index) const;

  std::vector<Axis> axes_; ///< from the slowest to the fastest
  LocalRange range_;
  std::ptrdiff_t howmany_;
  bool real_;
};

} // namespace hybridfft::verifier
