/// Passes of operators. One applies the caller's work to an array between two transforms. The other
/// is a chain: a transform, the work and the next transform on a few rows at a time. Choose the
/// chain if a few rows fit into cache: the array between the transforms then causes no memory
/// traffic.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "hybridfft/layout.hpp"
#include "local/pass.h"

namespace hybridfft::local {

/// The caller's work on `count` points along an axis, from the point `first` on. It is called
/// concurrently, and must not throw.
struct PointWork {
  using Call = void (*)(const std::ptrdiff_t *first, int axis, std::ptrdiff_t count, void *values,
                        void *user);
  Call call = nullptr;
  void *user = nullptr;
};

/// A box of an array in memory, without gaps.
struct WorkBox {
  IndexBox box;
  std::vector<int> order;         ///< axes from the slowest to the fastest
  std::size_t bytes_of_point = 0; ///< bytes of all values of a point

  /// Number of rows of its passes: the points along the slowest axis, or 1 if it is the only axis.
  std::ptrdiff_t rows() const;
  std::size_t bytes_of_row() const;
  std::size_t bytes() const { return static_cast<std::size_t>(rows()) * bytes_of_row(); }
};

/// Makes a pass that applies the work to all points of the box, line by line, in place.
std::unique_ptr<Pass> make_work_pass(const WorkBox &box, const PointWork &work, int threads);

/// Passes with equally many rows, executed one after another on a few rows at a time.
struct PassChain {
  std::unique_ptr<Pass> before; ///< pass that writes the rows of the box
  std::unique_ptr<Pass> work;   ///< in place
  std::unique_ptr<Pass>
      after; ///< pass that reads the rows of the box; nullptr: the rows are the destination
};

/// Makes the pass of a chain. If there is a pass after the work, the box's rows lie in the scratch
/// of the chain. Throws std::bad_alloc.
std::unique_ptr<Pass> make_chain_pass(PassChain chain, const WorkBox &box, int threads);

} // namespace hybridfft::local
