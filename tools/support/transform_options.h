/// What a person can ask of hybridfft-transform, and what follows from it for a dataset.
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

/// The transform that the options ask for of such a dataset. `real_extent` is what the dataset says
/// about the array it was made from, if it does. Throws std::invalid_argument naming the option or
/// dataset, what was found and what was expected.
TransformProblem resolve(const TransformOptions &options, const io::DatasetInfo &info,
                         std::optional<std::int64_t> real_extent);

/// "c2c", "r2c" or "c2r".
const char *name_of(Kind kind);

} // namespace hybridfft::tools
