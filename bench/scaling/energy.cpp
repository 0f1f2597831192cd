// Reads the counters energy_uj in the folders intel-rapl:* of Linux.
#include "scaling/energy.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/mpi.h"

namespace hybridfft::bench {

namespace {

double number_in(const std::string &file) {
  std::ifstream text(file);
  double value = 0;
  if (!(text >> value))
    throw std::runtime_error(file + ": found no number, or no permission to read it (RAPL's "
                                    "counters are root's on most systems)");
  return value;
}

/// True for the counters of a package and of its memory. Counters of cores are included in their
/// package's, and "psys" includes the package.
bool counts(const std::string &zone) {
  std::ifstream text(zone + "/name");
  std::string name;
  text >> name;
  return name.rfind("package", 0) == 0 || name == "dram";
}

bool first_of_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
             "MPI_Comm_split_type");
  const bool first = mpi::rank(node) == 0;
  mpi::check(MPI_Comm_free(&node), "MPI_Comm_free");
  return first;
}

} // namespace

EnergyCounters::EnergyCounters(const std::string &folder) {
  // Folders with other prefixes give access to the same counters.
  const std::string prefix = "intel-rapl:";
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string zone = entry->path().string();
    if (entry->path().filename().string().rfind(prefix, 0) != 0 || !counts(zone)) continue;
    const std::string file = zone + "/energy_uj";
    counters_.push_back({file, number_in(zone + "/max_energy_range_uj"), number_in(file)});
  }
  if (counters_.empty())
    throw std::runtime_error(folder + ": found no folder " + prefix +
                             "* with the counter of a package, expected one per processor");
}

double EnergyCounters::joules() {
  double microjoules = 0;
  for (Counter &c : counters_) {
    const double now = number_in(c.file);
    microjoules += now - c.last + (now < c.last ? c.range : 0);
    c.last = now;
  }
  return 1e-6 * microjoules;
}

EnergyMeter::EnergyMeter(MPI_Comm comm, const std::string &folder) : comm_(comm) {
  const bool reads = first_of_node(comm);
  mpi::all_or_none(comm, [&] {
    if (reads) counters_.emplace(folder);
  });
}

double EnergyMeter::joules(const std::function<void()> &run, int executions) {
  joules();
  for (int k = 0; k < executions; ++k)
    run();
  return joules() / executions;
}

double EnergyMeter::joules() {
  double sum = 0;
  mpi::check(MPI_Barrier(comm_), "MPI_Barrier");
  mpi::all_or_none(comm_, [&] {
    if (counters_) sum = counters_->joules();
  });
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_), "MPI_Allreduce");
  return sum;
}

} // namespace hybridfft::bench
