/// hybridfft-transform: computes the Fourier transform of a dataset and writes it to another HDF5
/// file.

#include <omp.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include "base/mpi.h"
#include "io/box.h"
#include "io/hdf5.h"
#include "support/mpi_main.h"
#include "support/other_file.h"
#include "support/processor_use.h"
#include "support/transform_options.h"
#include "support/transformer.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools;

/// Attribute of an r2c result: the row length of the real array. Spectra of 2n and 2n+1 points have
/// equally many modes, so the shape of a spectrum does not determine this length.
constexpr const char *real_extent_attribute = "real_extent";

std::optional<std::int64_t> known_real_extent(const io::File &file, const std::string &dataset) {
  if (!file.has_attribute(dataset, real_extent_attribute)) return {};
  const std::string text = file.attribute(dataset, real_extent_attribute);
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size())
    throw io::IoError(file.path() + ": attribute '" + real_extent_attribute + "' of '" + dataset +
                      "': found '" + text + "', expected a number");
  return n;
}

/// Prints each phase of the program and its time on the slowest rank.
class Log {
public:
  explicit Log(MPI_Comm comm) : comm_(comm), speaks_(mpi::rank(comm) == 0) {}

  void line(const char *label, const std::string &text) const {
    if (speaks_) std::printf("%-12s %s\n", label, text.c_str());
    std::fflush(stdout);
  }

  double time(const std::function<void()> &step) const {
    mpi::check(MPI_Barrier(comm_), "MPI_Barrier");
    const double start = MPI_Wtime();
    step();
    double seconds = MPI_Wtime() - start;
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_),
               "MPI_Allreduce");
    return seconds;
  }

  void timed(const char *label, const std::function<void()> &step) const {
    line(label, number("%.3g s", time(step)));
  }

  static std::string number(const char *format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
  }

private:
  MPI_Comm comm_;
  bool speaks_;
};

double points(const TransformProblem &p) {
  return std::accumulate(
      p.extents.begin(), p.extents.end(), 1.0,
      [](double n, std::ptrdiff_t extent) { return n * static_cast<double>(extent); });
}

/// Returns the customary operation count, 5 N log2 N for complex transforms and half of it for real
/// ones.
double operations(const TransformProblem &p) {
  const double n = points(p);
  return (p.kind == Kind::c2c ? 5.0 : 2.5) * n * std::log2(n);
}

void announce(const Log &log, const TransformOptions &o, const TransformProblem &p, MPI_Comm comm) {
  const int ranks = mpi::size(comm);
  const int threads = p.threads != 0 ? p.threads : omp_get_max_threads();
  std::string engine =
      "hybridfft on " + std::to_string(ranks) + " ranks x " + std::to_string(threads) + " threads";
  if (o.engine == Engine::fftw)
    engine = ranks > 1 ? "serial FFTW on rank 0 alone, the other ranks wait" : "serial FFTW";
  log.line("problem", std::string(name_of(p.kind)) +
                          (p.direction == Direction::forward ? " forward, " : " backward, ") +
                          io::to_string({p.extents.begin(), p.extents.end()}) + ", " +
                          (p.double_precision ? "double" : "single") + " precision");
  log.line("engine", engine);
  if (o.engine == Engine::fftw) return;
  const bool chosen = p.threads != 0 || threads_chosen_by_environment();
  log.line("processors", processor_use(comm, threads, chosen).text);
}

int transform(const TransformOptions &o, MPI_Comm comm) {
  const Log log(comm);
  const io::File input = io::File::open(o.input, comm);
  require_other_file(o.output, o.input, "the input file");
  const TransformProblem problem =
      resolve(o, input.info(o.input_dataset), known_real_extent(input, o.input_dataset));
  // The output is created before the work, so an unwritable file is reported at once.
  io::File output = io::File::create(o.output, comm);
  announce(log, o, problem, comm);
  const auto transformer = make_transformer(o.engine, problem, comm);
  log.timed("planning", [&] { transformer->plan(); });
  if (o.verbose) {
    const std::string text = transformer->describe();
    log.line("plan", text.substr(0, text.find_last_not_of('\n') + 1));
  }
  log.timed("reading", [&] { transformer->read(input, o.input_dataset); });
  const double seconds = log.time([&] { transformer->execute(); });
  log.line("transform", Log::number("%.3g s", seconds) +
                            Log::number(", %.3g GFlop/s", 1e-9 * operations(problem) / seconds));
  if (o.normalize) transformer->scale(1.0 / points(problem));
  log.timed("writing", [&] {
    transformer->write(output, o.output_dataset);
    if (problem.kind == Kind::r2c)
      output.set_attribute(o.output_dataset, real_extent_attribute,
                           std::to_string(problem.extents.back()));
    output.commit();
  });
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Transforms a dataset of an HDF5 file into a dataset of another one: a distributed "
               "FFT of two or more dimensions.",
               "hybridfft-transform");
  TransformOptions options;
  add_options(app, options);
  return run(argc, argv, app, [&](MPI_Comm comm) { return transform(options, comm); });
}
