/// Options of hybridfft-transform, and the resulting transform of a dataset.
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

/// Returns the transform defined by options and dataset.
/// \param real_extent for the result of an r2c transform: the last extent of the real array, read
/// from the dataset's attribute
/// \throws std::invalid_argument with the option or dataset, the value found and the value expected
TransformProblem resolve(const TransformOptions &options, const io::DatasetInfo &info,
                         std::optional<std::int64_t> real_extent);

/// Returns "c2c", "r2c" or "c2r".
const char *name_of(Kind kind);

} // namespace hybridfft::tools
