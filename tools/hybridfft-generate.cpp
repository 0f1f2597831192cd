/// hybridfft-generate: writes random arrays to HDF5 files, as input of transforms.

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/mpi.h"
#include "io/box.h"
#include "io/hdf5.h"
#include "support/cli_options.h"
#include "support/mpi_main.h"
#include "support/pieces.h"
#include "support/random_values.h"
#include "support/version_text.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools;

enum class Type { real, complex };
enum class Precision { single, double_ };

struct Arguments {
  std::string output;
  std::string dataset = "data";
  std::vector<std::int64_t> extents;
  Type type = Type::real;
  Precision precision = Precision::single;
  std::int64_t seed = 1;
  std::pair<double, double> range{0., 1000.};
};

void add_options(CLI::App &app, Arguments &a) {
  const std::map<std::string, Type> types{{"real", Type::real}, {"complex", Type::complex}};
  const std::map<std::string, Precision> precisions{{"single", Precision::single},
                                                    {"double", Precision::double_}};
  app.set_version_flag("--version", version_text("hybridfft-generate"));
  app.add_option("-o,--output", a.output, "HDF5 file to write; an existing one is replaced")
      ->required();
  app.add_option("--dataset", a.dataset, "Name of the dataset")->capture_default_str();
  add_list<std::int64_t>(
      app, "--extents", {.least = 2, .most = 8, .min_value = 1, .example = "64x64x64"},
      [&a](const auto &extents) { a.extents = extents; },
      "N0 N1 N2, the last one contiguous; 2 to 8 dimensions")
      ->required();
  add_choice(app, "--type", a.type, types, "Of the values")->default_str("real");
  add_choice(app, "--precision", a.precision, precisions, "Of the values")->default_str("single");
  app.add_option("--seed", a.seed, "Another seed, another matrix")
      ->capture_default_str()
      ->check(at_least(std::int64_t{0}));
  add_list<double>(
      app, "--range", {.least = 2, .most = 2, .example = "0,1000"},
      [&a](const auto &range) {
        a.range = {range[0], range[1]};
      },
      "LO HI: numbers (real and imaginary parts) are uniform in this interval")
      ->default_str("0,1000");
  app.footer("The values depend on the extents, type, seed and range only, not on the number of\n"
             "ranks (mpirun -np N) and threads (OMP_NUM_THREADS).");
}

void check_range(const Arguments &a) {
  const auto [low, high] = a.range;
  const double largest = a.precision == Precision::single
                             ? static_cast<double>(std::numeric_limits<float>::max())
                             : std::numeric_limits<double>::max() / 2;
  char found[96];
  std::snprintf(found, sizeof found, "--range: found %g %g, expected ", low, high);
  if (!(low <= high)) throw std::invalid_argument(found + std::string("LO <= HI"));
  if (low < -largest || high > largest)
    throw std::invalid_argument(found + std::string("numbers that the precision can hold"));
}

/// Fills a piece of an array with random numbers. A value has `parts` numbers: 2 if complex,
/// else 1.
template <class Real>
void fill(Real *numbers, const io::Hyperslab &piece, const io::Shape &shape, std::size_t parts,
          const Arguments &a) {
  const std::size_t total = io::volume(piece.count);
  if (total == 0) return;
  const std::size_t length = piece.count.back();
  const auto rows = static_cast<std::ptrdiff_t>(total / length);
  const double low = a.range.first;
  const double high = a.range.second;
  const auto seed = static_cast<std::uint64_t>(a.seed);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    // Index of the first value of the row. The last dimension varies along a row. From row to row
    // the other dimensions vary, the last of them fastest.
    io::Shape index = piece.offset;
    auto rest = static_cast<std::size_t>(row);
    for (std::size_t d = index.size() - 1; d-- > 0; rest /= piece.count[d])
      index[d] += rest % piece.count[d];
    const std::uint64_t first = parts * io::offset_of(index, shape);
    Real *out = numbers + static_cast<std::size_t>(row) * length * parts;
    for (std::size_t i = 0; i < length * parts; ++i)
      out[i] = static_cast<Real>(low + (high - low) * uniform(seed, first + i));
  }
}

template <class Real, class Value> void generate(const Arguments &a, MPI_Comm comm) {
  constexpr std::size_t piece_bytes = std::size_t{64} << 20;
  const io::Shape shape(a.extents.begin(), a.extents.end());
  io::File file = io::File::create(a.output, comm);
  file.create_dataset<Value>(a.dataset, shape);
  std::vector<Value> values;
  for_pieces(my_part(shape, comm), piece_bytes / sizeof(Value), comm, "generating",
             [&](const io::Hyperslab &piece) {
               mpi::all_or_none(comm, [&] { values.resize(io::volume(piece.count)); });
               fill(reinterpret_cast<Real *>(values.data()), piece, shape,
                    sizeof(Value) / sizeof(Real), a);
               file.write(a.dataset, piece, values.data());
             });
  file.commit();
}

int run_tool(const Arguments &a, MPI_Comm comm) {
  check_range(a);
  if (a.precision == Precision::single && a.type == Type::real)
    generate<float, float>(a, comm);
  else if (a.precision == Precision::single)
    generate<float, std::complex<float>>(a, comm);
  else if (a.type == Type::real)
    generate<double, double>(a, comm);
  else
    generate<double, std::complex<double>>(a, comm);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Writes an HDF5 file with a random matrix, in parallel.", "hybridfft-generate");
  Arguments arguments;
  add_options(app, arguments);
  return run(argc, argv, app, [&](MPI_Comm comm) { return run_tool(arguments, comm); });
}
