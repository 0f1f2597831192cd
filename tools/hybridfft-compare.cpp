/// hybridfft-compare: prints how much two datasets of HDF5 files differ.

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/mpi.h"
#include "io/box.h"
#include "io/hdf5.h"
#include "support/cli_options.h"
#include "support/deviation.h"
#include "support/mpi_main.h"
#include "support/version_text.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools;

struct Arguments {
  std::string a, b;
  std::string dataset = "data";
  std::optional<std::string> dataset_b;
  double tolerance = 1e-4;
  std::optional<double> absolute;
};

void add_options(CLI::App &app, Arguments &a) {
  app.set_version_flag("--version", version_text("hybridfft-compare"));
  app.add_option("A", a.a, "HDF5 file")->required();
  app.add_option("B", a.b, "HDF5 file to compare it with")->required();
  app.add_option("--dataset", a.dataset, "Dataset of A, and of B")->capture_default_str();
  app.add_option("--dataset-b", a.dataset_b, "Dataset of B, where it has another name");
  app.add_option("--tolerance", a.tolerance,
                 "Largest allowed deviation, relative to the largest magnitude in A and B. The "
                 "default suits transforms in single precision of up to 10^10 points; about 1e-12 "
                 "suits double precision")
      ->capture_default_str()
      ->check(at_least(0.));
  app.add_option("--absolute", a.absolute, "Largest allowed absolute deviation, in addition")
      ->check(at_least(0.));
  app.footer("The deviation of two complex values is the modulus of their difference. Relative\n"
             "deviations are relative to the larger magnitude of the two values. Values that are\n"
             "not finite count as beyond every tolerance.\n"
             "Exit status: 0 within the tolerances, 1 beyond, or when the comparison failed.");
}

std::string describe(const io::DatasetInfo &info) {
  const char *kind = info.kind == io::NumberKind::complex    ? "complex"
                     : info.kind == io::NumberKind::floating ? "real"
                     : info.kind == io::NumberKind::integer  ? "integer"
                                                             : "other";
  return std::string(kind) + " values of shape " + io::to_string(info.shape);
}

io::DatasetInfo require_same(const DatasetName &a, const DatasetName &b) {
  const io::DatasetInfo of_a = a.file.info(a.dataset);
  const io::DatasetInfo of_b = b.file.info(b.dataset);
  const std::string both = a.file.path() + ": dataset '" + a.dataset + "' has " + describe(of_a) +
                           ", " + b.file.path() + ": dataset '" + b.dataset + "' has " +
                           describe(of_b);
  if (of_a.kind != of_b.kind || of_a.shape != of_b.shape)
    throw std::invalid_argument(both + ", expected the same");
  if (of_a.kind != io::NumberKind::floating && of_a.kind != io::NumberKind::complex)
    throw std::invalid_argument(both + ", expected real or complex values");
  return of_a;
}

void print(const Deviation &d) {
  std::printf("values                          %llu\n", static_cast<unsigned long long>(d.values));
  std::printf("largest magnitude               %.6g\n", d.largest_magnitude);
  std::printf("absolute deviation              max %.6g  mean %.6g\n", d.max_absolute,
              d.mean_absolute());
  std::printf("relative deviation              max %.6g  mean %.6g\n", d.max_relative,
              d.mean_relative());
  std::printf("max relative to the largest     %.6g\n", d.relative_to_largest());
  if (d.max_absolute > 0.) std::printf("largest deviation at            %s\n", d.where.c_str());
  if (d.not_finite > 0)
    std::printf("not finite                      %llu\n",
                static_cast<unsigned long long>(d.not_finite));
}

int compare(const Arguments &arguments, MPI_Comm comm) {
  const io::File a = io::File::open(arguments.a, comm);
  const io::File b = io::File::open(arguments.b, comm);
  const DatasetName first{a, arguments.dataset};
  const DatasetName second{b, arguments.dataset_b.value_or(arguments.dataset)};
  const io::DatasetInfo info = require_same(first, second);
  const Deviation d = measure_deviation(first, second, info, comm);
  const bool within = d.not_finite == 0 && d.relative_to_largest() <= arguments.tolerance &&
                      d.max_absolute <= arguments.absolute.value_or(d.max_absolute);
  if (mpi::rank(comm) == 0) {
    print(d);
    std::printf("tolerance                       %g%s\n", arguments.tolerance,
                within ? ": within" : "");
    if (arguments.absolute)
      std::printf("absolute tolerance              %g\n", *arguments.absolute);
    if (!within) std::printf("BEYOND THE TOLERANCE\n");
  }
  return within ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Measures the deviation of two datasets of HDF5 files, in parallel.",
               "hybridfft-compare");
  Arguments arguments;
  add_options(app, arguments);
  return run(argc, argv, app, [&](MPI_Comm comm) { return compare(arguments, comm); });
}
