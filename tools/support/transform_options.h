/// The options of hybridfft-transform, and the problem that they define with a dataset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/hdf5.h"
#include "support/transformer.h"

namespace CLI {
class App;
}

namespace hybridfft::tools {

struct TransformOptions {
  std::string input, output;
  std::string input_dataset = "data";
  std::string output_dataset = "data";
  std::optional<Direction> direction;
  std::optional<Kind> kind;
  std::optional<bool> double_precision;
  std::optional<std::int64_t> real_extent;
  Engine engine = Engine::hybridfft;
  Effort effort = Effort::estimate;
  int threads = 0;
  bool normalize = false;
  bool verbose = false;
};

void add_options(CLI::App &app, TransformOptions &options);

/// The transform of such a dataset by the options. `real_extent` is the extent of the real array
/// that the dataset was made from, if it has that attribute. Throws std::invalid_argument naming
/// the option or dataset, what was found and what was expected.
TransformProblem resolve(const TransformOptions &options, const io::DatasetInfo &info,
                         std::optional<std::int64_t> real_extent);

/// "c2c", "r2c" or "c2r".
const char *name_of(Kind kind);

} // namespace hybridfft::tools
