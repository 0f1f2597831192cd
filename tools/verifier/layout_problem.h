/// Transforms between any two layouts, written as one-line strings.
///
/// Grammar (no blanks); it extends the grammar of problem.h, without its brackets and blocks:
///
///   problem := { letter } extents [ "*v" count ] [ "@" threads ] ":" axes ":" layout ">" layout
///
///   axes := "-" | axis { "." axis }
///
///   layout := part { "." part } [ "s" ] [ "%" seed | "#" seed ]
///
///   part := axis [ "/" parts ] [ "+" padding ]
///
/// "axes" are the axes to transform, "-" for none; r2c and c2r halve the last one. The parts of a
/// layout are its axes, from the slowest to the fastest in memory. "s": fields are stored one after
/// the other; "%": blocks of random sizes; "#": random boxes, one per rank.
///
/// Example: "ofr12x7x5*v2:0.2:0/2.1/3.2+1>1/2.2/3.0s" is an r2c transform of 12 x 7 x 5 points
/// along axes 0 and 2 (2 is halved) on 2 x 3 ranks, from pencils to pencils in another memory
/// order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/problem.h"

namespace hybridfft::verifier {

struct LayoutSpec {
  enum class Blocks { equal, unequal, boxes };
  struct AxisSpec {
    int axis = 0;
    int parts = 1;
    std::ptrdiff_t padding = 0;
    bool operator==(const AxisSpec &) const = default;
  };
  std::vector<AxisSpec> parts; ///< from the slowest to the fastest in memory
  bool separate = false;
  Blocks blocks = Blocks::equal;
  std::uint64_t seed = 0; ///< seed of blocks with random sizes
  bool operator==(const LayoutSpec &) const = default;
};

struct LayoutProblem {
  Problem base; ///< kind, direction, placement, precision, extents, howmany, threads
  std::vector<int> axes;
  LayoutSpec in, out;
  bool operator==(const LayoutProblem &) const = default;
};

/// True if a problem string describes a transform between two layouts.
inline bool names_layouts(std::string_view text) { return text.find(':') != text.npos; }

/// \throws std::invalid_argument with the text, the position and the expected input there
LayoutProblem parse_layout_problem(std::string_view text);
std::string to_string(const LayoutProblem &problem);

/// Extents of the real or the complex array.
std::vector<std::ptrdiff_t> extents(const LayoutProblem &problem, bool real);

/// Number of ranks of a layout; 0: any number.
int ranks_of(const LayoutSpec &layout);

struct LayoutSweep {
  std::uint64_t seed = 1;
  std::ptrdiff_t max_values = 2000; ///< maximum of points times howmany
  int max_threads = 1;
  int ranks = 1;
};

/// Returns problem number `index` of a sweep, equal on every rank and platform.
LayoutProblem random_layout_problem(const LayoutSweep &sweep, std::uint64_t index);

} // namespace hybridfft::verifier
