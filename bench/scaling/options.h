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
  std::vector<std::string> problems; ///< as strings
  std::vector<std::string> sizes;    ///< sizes of problems in the words of the next options
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

/// All problems of the options, strings first. Throws std::invalid_argument naming what was found
/// and what was expected.
std::vector<Problem> problems_of(const BenchOptions &options);

/// The peers that the options name, all if they name none; this library always comes first. Throws
/// std::invalid_argument naming those that exist.
std::vector<PeerType> peers_of(const BenchOptions &options);

} // namespace hybridfft::bench
