/// The options of hybridfft-bench.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scaling/contest.h"

namespace CLI {
class App;
}

namespace hybridfft::bench {

struct BenchOptions {
  std::vector<std::string> problems; ///< problems given as strings
  std::vector<std::string>
      sizes; ///< extents of further problems; `kind` to `threads` give their other properties
  Kind kind = Kind::c2c;
  std::optional<Direction> direction;
  bool single = true;
  bool transposed = false;
  bool in_place = false;
  int threads = 0; ///< 0: OMP_NUM_THREADS
  std::vector<std::string> peers;
  ContestOptions contest;
  std::string json, csv; ///< file names, empty for none
  bool plans = false;
};

void add_options(CLI::App &app, BenchOptions &options);

/// Returns all problems of the options; problem strings come first.
/// \throws std::invalid_argument with the value found and the value expected
std::vector<Problem> problems_of(const BenchOptions &options);

/// Returns the named peers, or all peers if none is named. This library is always first.
/// \throws std::invalid_argument with a list of all peers
std::vector<PeerType> peers_of(const BenchOptions &options);

} // namespace hybridfft::bench
