#include "support/kspace_options.h"

#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/mpi.h"

namespace hybridfft::tools {

namespace {

/// k-Wave takes the last of several values of an option.
template <class T>
CLI::Option *option(CLI::App &app, const std::string &names, T &value, const std::string &help) {
  return app.add_option(names, value, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->capture_default_str();
}

void refuse(const std::string &name) {
  throw CLI::ValidationError(name, "not supported by this version");
}

void declare_refused(CLI::App &app) {
  const std::string group = "Known from k-Wave, refused by this version";
  for (const char *name :
       {"--p_rms", "--p_min", "--p_max_all", "--p_min_all", "-u,--u_raw", "--u_non_staggered_raw",
        "--u_rms", "--u_max", "--u_min", "--u_max_all", "--u_min_all", "--u_final"}) {
    const std::string names = name;
    app.add_flag_callback(names, [names] { refuse(names); })->group(group);
  }
  for (const char *name :
       {"--checkpoint_file", "--checkpoint_interval", "--checkpoint_timesteps"}) {
    const std::string names = name;
    app.add_option_function<std::string>(names, [names](const std::string &) { refuse(names); })
        ->group(group);
  }
}

} // namespace

void declare_kspace_options(CLI::App &app, KspaceOptions &o) {
  kspace::SimulationOptions &s = o.simulation;
  app.set_version_flag("--version", std::string("hybridfft-kspace ") + hfft_version() + "\n" +
                                        hfft_build_info());
  option(app, "-i", o.input, "k-Wave input file (HDF5; versions 1.0, 1.1, 1.2)")->required();
  option(app, "-o", o.output, "output file, created or replaced when the simulation is complete")
      ->required();
  option(app, "-t", o.threads,
         "OpenMP threads of each MPI rank. Default: OMP_NUM_THREADS, else the processors of a "
         "machine divided by the ranks that run on it")
      ->check(CLI::PositiveNumber)
      ->default_str("");
  option(app, "-r", o.progress_interval, "report progress every so many percent")
      ->check(CLI::Range(1, 100));
  option(app, "-c", s.compression, "deflate level of the output")->check(CLI::Range(0, 9));
  option(app, "--benchmark", s.steps, "run so many time steps instead of those of the file")
      ->check(CLI::PositiveNumber)
      ->default_str("");
  option(app, "--verbose", o.verbosity, "0 basic, 1 advanced, 2 full")->check(CLI::Range(0, 2));
  const std::string record = "Recording (-p when none is given)";
  app.add_flag("-p,--p_raw", s.recording.p, "pressure at the sensor over time")->group(record);
  app.add_flag("--p_max", s.recording.p_max, "maximum of the pressure at the sensor")
      ->group(record);
  app.add_flag("--p_final", s.recording.p_final, "pressure of the whole grid at the end")
      ->group(record);
  option(app, "-s", s.recording.start, "first recorded time step, from 1")
      ->check(CLI::PositiveNumber)
      ->group(record);
  app.add_flag("--copy_sensor_mask", s.copy_sensor_mask, "also write the sensor mask to the output")
      ->group(record);
  declare_refused(app);
  app.final_callback([&s] {
    kspace::Recording &r = s.recording;
    if (!r.p && !r.p_max && !r.p_final) r.p = true;
  });
}

int default_threads(MPI_Comm comm) {
  int threads = omp_get_max_threads();
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    MPI_Comm machine = MPI_COMM_NULL;
    mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
               "MPI_Comm_split_type");
    const int ranks = mpi::size(machine);
    mpi::check(MPI_Comm_free(&machine), "MPI_Comm_free");
    const int processors = static_cast<int>(std::thread::hardware_concurrency());
    threads = std::clamp(processors / ranks, 1, std::max(threads, 1));
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return threads;
}

} // namespace hybridfft::tools
