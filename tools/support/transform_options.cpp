// Deduces the transform from the options and the dataset, and refuses options that contradict each
// other or the dataset.
#include "support/transform_options.h"
#include "base/binding.h"

#include <cstdint>
#include <map>
#include <stdexcept>

#include "io/box.h"
#include "support/cli_options.h"
#include "support/effort_option.h"
#include "support/version_text.h"

namespace hybridfft::tools {

namespace {

const std::map<std::string, Direction> directions{{"forward", Direction::forward},
                                                  {"backward", Direction::backward}};
const std::map<std::string, Kind> kinds{{"c2c", Kind::c2c}, {"r2c", Kind::r2c}, {"c2r", Kind::c2r}};
const std::map<std::string, bool> precisions{{"single", false}, {"double", true}};
const std::map<std::string, Engine> engines{{"hybridfft", Engine::hybridfft},
                                            {"fftw", Engine::fftw}};

/// Returns the kind of transform set by the option or deduced from the dataset. "backward" alone
/// means c2r if the dataset was computed from real values.
Kind deduce_kind(const TransformOptions &o, bool real_input, bool knows_real_extent) {
  if (o.kind) return *o.kind;
  if (real_input) return Kind::r2c;
  const bool backward = o.direction == Direction::backward;
  return backward && (o.real_extent || knows_real_extent) ? Kind::c2r : Kind::c2c;
}

void require_direction(const TransformOptions &o, Kind kind) {
  if (!o.direction) return;
  const bool forward = *o.direction == Direction::forward;
  if (kind == Kind::r2c && !forward)
    throw std::invalid_argument("--direction: found backward for real values (r2c), expected "
                                "forward");
  if (kind == Kind::c2r && forward)
    throw std::invalid_argument("--direction: found forward for c2r, expected backward");
}

std::ptrdiff_t last_real_extent(const TransformOptions &o, std::ptrdiff_t half,
                                std::optional<std::int64_t> known) {
  const std::int64_t n = o.real_extent.value_or(known.value_or(half > 1 ? 2 * (half - 1) : 1));
  if (n < 1 || n / 2 + 1 != half)
    throw std::invalid_argument(
        "--real-extent: found " + std::to_string(n) + ", expected " +
        (half > 1 ? std::to_string(2 * half - 2) + " or " + std::to_string(2 * half - 1) : "1") +
        ", whose complex values have the last extent " + std::to_string(half));
  return n;
}

} // namespace

void add_options(CLI::App &app, TransformOptions &o) {
  app.set_version_flag("--version", version_text("hybridfft-transform"));
  app.add_option("-i,--input", o.input, "HDF5 file to read")->required();
  app.add_option("-o,--output", o.output, "HDF5 file to write; an existing one is replaced")
      ->required();
  app.add_option("--input-dataset", o.input_dataset, "Dataset to read")->capture_default_str();
  app.add_option("--output-dataset", o.output_dataset, "Dataset to write")->capture_default_str();
  add_choice(app, "--direction", o.direction, directions,
             "forward or backward; default forward, for c2r backward");
  add_choice(app, "--kind", o.kind, kinds,
             "c2c, r2c or c2r; default: real values r2c, complex values c2c, but c2r when they go\n"
             "backward and are the result of r2c by this program");
  add_choice(app, "--engine", o.engine, engines,
             "hybridfft, or fftw: serial FFTW on rank 0, to compare with")
      ->default_str("hybridfft");
  add_choice(app, "--precision", o.double_precision, precisions,
             "single or double, of the computation and of the output; default: that of the input");
  add_effort(app, o.effort);
  app.add_option("--real-extent", o.real_extent,
                 "Last extent of the real output of c2r; default: that of the input of r2c, else\n"
                 "2 (n - 1) for a last complex extent of n");
  app.add_flag("--normalize", o.normalize,
               "Divide by the number of points, so that forward and backward cancel");
  app.add_option("--threads", o.threads, "OpenMP threads per rank; default OMP_NUM_THREADS")
      ->check(between(std::int64_t{1}, max_threads()));
  app.add_flag("--verbose", o.verbose, "Print the plan");
}

TransformProblem resolve(const TransformOptions &o, const io::DatasetInfo &info,
                         std::optional<std::int64_t> real_extent) {
  const std::string dataset = o.input + ": dataset '" + o.input_dataset + "'";
  if (info.kind != io::NumberKind::floating && info.kind != io::NumberKind::complex)
    throw std::invalid_argument(dataset + ": expected real or complex floating values");
  if (info.shape.size() < 2)
    throw std::invalid_argument(dataset + ": found the shape " + io::to_string(info.shape) +
                                ", expected two dimensions at least");
  const bool real_input = info.kind == io::NumberKind::floating;
  TransformProblem p;
  p.kind = deduce_kind(o, real_input, real_extent.has_value());
  if ((p.kind == Kind::r2c) != real_input)
    throw std::invalid_argument("--kind: found " + std::string(name_of(p.kind)) + ", but " +
                                dataset + " has " + (real_input ? "real" : "complex") +
                                " values: expected " + (real_input ? "r2c" : "c2c or c2r"));
  require_direction(o, p.kind);
  if (o.real_extent && p.kind != Kind::c2r)
    throw std::invalid_argument("--real-extent: found it for " + std::string(name_of(p.kind)) +
                                ", expected it for c2r only");
  p.direction =
      o.direction.value_or(p.kind == Kind::c2r ? Direction::backward : Direction::forward);
  p.double_precision = o.double_precision.value_or(info.bytes >= (real_input ? 8u : 16u));
  p.extents.assign(info.shape.begin(), info.shape.end());
  if (p.kind == Kind::c2r) p.extents.back() = last_real_extent(o, p.extents.back(), real_extent);
  p.effort = o.effort;
  p.threads = o.threads;
  return p;
}

const char *name_of(Kind kind) {
  return kind == Kind::c2c ? "c2c" : kind == Kind::r2c ? "r2c" : "c2r";
}

} // namespace hybridfft::tools
