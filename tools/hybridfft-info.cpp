/// hybridfft-info: prints how the library was built and the machine's properties, for bug reports.

#include <hdf5.h>
#include <omp.h>

#include <array>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <CLI/CLI.hpp>

#include "base/environment.h"
#include "base/machine_parameters.h"
#include "base/mpi.h"
#include "hybridfft/hybridfft.hpp"
#include "support/gather_texts.h"
#include "support/machine_info.h"
#include "support/measure_machine.h"
#include "support/mpi_main.h"
#include "support/processor_use.h"
#include "support/version_text.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools;

std::string thread_level() {
  int level = MPI_THREAD_SINGLE;
  mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
  switch (level) {
  case MPI_THREAD_SINGLE:
    return "MPI_THREAD_SINGLE";
  case MPI_THREAD_FUNNELED:
    return "MPI_THREAD_FUNNELED";
  case MPI_THREAD_SERIALIZED:
    return "MPI_THREAD_SERIALIZED";
  default:
    return "MPI_THREAD_MULTIPLE";
  }
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  int version = 0;
  int subversion = 0;
  mpi::check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  mpi::check(MPI_Get_version(&version, &subversion), "MPI_Get_version");
  std::string library(text.data());
  while (!library.empty() && (library.back() == '\n' || library.back() == ' '))
    library.pop_back();
  return library + ", MPI " + std::to_string(version) + "." + std::to_string(subversion);
}

std::string hdf5_library() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

class Printer {
public:
  explicit Printer(MPI_Comm comm) : comm_(comm), root_(mpi::rank(comm) == 0) {}

  void line(const std::string &label, const std::string &text) const {
    if (root_) std::printf("%s: %s\n", label.c_str(), text.c_str());
  }
  void text(const std::string &lines) const {
    if (root_) std::fputs(lines.c_str(), stdout);
  }

  /// Prints each distinct text of the ranks once, with the numbers of its ranks. Collective.
  void grouped(const std::string &label, const std::string &mine) const {
    for (const auto &[text, ranks] : group_by_text(gather_texts(mine, comm_)))
      std::printf("%s, ranks %s:%s%s\n", label.c_str(), ranks.c_str(),
                  text.find('\n') == std::string::npos ? " " : "\n", text.c_str());
  }

private:
  MPI_Comm comm_;
  bool root_;
};

int ranks_on_my_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
             "MPI_Comm_split_type");
  const int ranks = mpi::size(node);
  mpi::check(MPI_Comm_free(&node), "MPI_Comm_free");
  return ranks;
}

/// Makes a small plan and returns its description, or "FAILED: " and the reason, such as a wrong
/// environment variable. Collective.
std::string plan_trial(MPI_Comm comm) {
  unsetenv("HFFT_TRACE"); // the trial plan must not replace an existing trace by an empty one
  try {
    std::array<std::complex<double>, 64> data{};
    const std::array<std::ptrdiff_t, 3> n{4, 4, 4};
    Options options;
    options.comm = comm;
    return Plan<double, Kind::c2c>(n, data, data, options).describe();
  } catch (const Error &e) {
    return std::string("FAILED: ") + e.what();
  }
}

std::string judgement(MPI_Comm comm) {
  const ProcessorUse use =
      processor_use(comm, omp_get_max_threads(), threads_chosen_by_environment());
  return (use.wrong ? "WRONG: " : "") + use.text;
}

/// Prints each environment variable of the library with its present value and its possible values.
int print_environment(MPI_Comm comm) {
  if (mpi::rank(comm) != 0) return 0;
  for (const EnvironmentVariable &v : environment_variables()) {
    const char *value = std::getenv(v.name);
    std::printf("%s=%s\n  values: %s\n  %s\n", v.name, value != nullptr ? value : "", v.values,
                v.meaning);
  }
  return 0;
}

/// Prints the environment variables as the table of docs/environment.md.
int print_environment_table(MPI_Comm comm) {
  if (mpi::rank(comm) != 0) return 0;
  std::printf("| variable | values | meaning |\n|---|---|---|\n");
  for (const EnvironmentVariable &v : environment_variables())
    std::printf("| `%s` | %s | %s |\n", v.name, v.values, v.meaning);
  return 0;
}

/// Prints the machine's parameters, used for estimates, as a file for HFFT_MACHINE. Measures them
/// first if `measured` is true; else prints the parameters in use. Collective.
int print_machine(MPI_Comm comm, bool measured) {
  MachineParameters machine;
  if (measured)
    machine = measure_machine(comm, omp_get_max_threads());
  else
    mpi::all_or_none(comm, [&] {
      if (mpi::rank(comm) != 0) return;
      machine = machine_of_environment(with_this_node({}));
    });
  if (mpi::rank(comm) != 0) return 0;
  std::printf("# A machine's file for HFFT_MACHINE: %s\n",
              measured                 ? "measured by hybridfft-info --measure"
              : machine_file().empty() ? "the defaults of HybridFFT"
                                       : machine_file().c_str());
  std::fputs(machine_text(machine).c_str(), stdout);
  return 0;
}

/// Prints the licences of this library and of FFTW, and their conditions for users and
/// distributors.
int print_license(MPI_Comm comm) {
  if (mpi::rank(comm) != 0) return 0;
  std::fputs(
      "The sources of HybridFFT are under the BSD 3-Clause licence (file LICENSE).\n"
      "The library and the programs are linked with FFTW, which is under the GNU General Public\n"
      "License (GPL), version 2 or later. What that means:\n"
      "\n"
      "  You run programs, at home, at work or on a cluster: nothing. The GPL is about passing\n"
      "    programs on; results of runs are yours.\n"
      "  You write a program that calls HybridFFT, and pass on its sources: they may be under any\n"
      "    licence that lets users combine them with the GPL. They need not contain HybridFFT or "
      "FFTW.\n"
      "  You pass on binaries that are linked with HybridFFT and FFTW, or an image of a container\n"
      "    with them: the whole has to be under the GPL, so with its sources, for those who get "
      "it.\n"
      "  You sell a program whose sources stay yours: link an FFTW for which you have another\n"
      "    licence (the Massachusetts Institute of Technology sells them); HybridFFT asks for its\n"
      "    notice only.\n"
      "  You take parts of HybridFFT's sources into yours, without FFTW: keep the notice.\n"
      "\n"
      "HDF5, libdeflate and CLI11, which the programs also use, have licences of the BSD\n"
      "and MIT kinds. The file NOTICE, installed with the library, has the notices. This is a\n"
      "summary, and no legal advice.\n",
      stdout);
  return 0;
}

int print_info(MPI_Comm comm) {
  const Printer printer(comm);
  printer.text(hfft_build_info());
  printer.line("HDF5", hdf5_library());
  printer.line("MPI", mpi_library());
  printer.line("MPI thread level", thread_level());
  printer.line("ranks", std::to_string(mpi::size(comm)));
  printer.grouped("node",
                  host_name() + ", " + std::to_string(ranks_on_my_node(comm)) + " ranks per node");
  printer.grouped("CPU", cpu_description());
  printer.grouped("threads per rank", std::to_string(omp_get_max_threads()));
  printer.grouped("bound to processors", processor_set());
  printer.grouped("network cards", network_cards());
  printer.grouped("environment", relevant_environment());
  printer.line("use of processors", judgement(comm));
  printer.line("plan of 4 x 4 x 4", plan_trial(comm));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Prints what a bug report needs: versions, build, processors, MPI, ranks, threads, "
               "binding, environment. Start it as you start your program.",
               "hybridfft-info");
  app.set_version_flag("--version", version_text("hybridfft-info"));
  bool environment = false;
  app.add_flag("--environment", environment,
               "Print the environment variables that are read, their values and what they mean");
  bool table = false;
  app.add_flag("--environment-table", table, "Print them as the table of docs/environment.md");
  bool machine = false;
  app.add_flag(
      "--machine", machine,
      "Print the rates and latencies that estimates compute with, as a file for HFFT_MACHINE");
  bool measure = false;
  app.add_flag("--measure", measure,
               "Measure them with the ranks and threads of this program, and print that file");
  bool license = false;
  app.add_flag("--license", license,
               "Print what the licences mean, and for whom, FFTW's GPL above all");
  return run(argc, argv, app, [&](MPI_Comm comm) {
    if (license) return print_license(comm);
    if (machine || measure) return print_machine(comm, measure);
    if (table) return print_environment_table(comm);
    return environment ? print_environment(comm) : print_info(comm);
  });
}
