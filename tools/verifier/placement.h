/// Model of layouts: the elements of each rank and their offsets in memory, computed from the
/// documented rules alone. It shares no code with the library.
#pragma once

#include <vector>

#include "hybridfft/layout.hpp"
#include "verifier/box.h"
#include "verifier/layout_problem.h"

namespace hybridfft::verifier {

/// Points start .. start+count-1 along each logical axis.
struct RankBox {
  Index start, count;
};

/// Returns the parts of all ranks.
std::vector<RankBox> parts_of(const LayoutSpec &layout, const std::vector<std::ptrdiff_t> &extents,
                              int ranks);

/// A rank's local array.
class Placement {
public:
  Placement(const LayoutProblem &problem, ArraySide side, int ranks, int rank);

  bool real() const { return real_; }
  /// Number of elements in memory, padding included.
  std::ptrdiff_t elements() const { return fields_ * points_; }
  const RankBox &part() const { return part_; }

  /// Calls f(offset, index, component) for every value except padding.
  template <class F> void for_each(F &&f) const {
    for (const std::ptrdiff_t n : part_.count)
      if (n == 0) return;
    Index index = part_.start;
    for (bool more = true; more; more = advance(index))
      for (std::ptrdiff_t v = 0; v < fields_; ++v)
        f(offset(index, v), std::as_const(index), v);
  }

private:
  bool advance(Index &index) const;
  std::ptrdiff_t offset(const Index &index, std::ptrdiff_t component) const;

  LayoutSpec layout_;
  RankBox part_;
  std::ptrdiff_t fields_;
  std::ptrdiff_t points_ = 1; ///< including padding
  bool real_;
};

/// Returns the same layout as an object of the library.
Layout library_layout(const LayoutProblem &problem, ArraySide side, int ranks);

} // namespace hybridfft::verifier
