#include "kspace/output_header.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <vector>

#include "kspace/machine.h"
#include "kspace/simulation.h"

namespace hybridfft::kspace {

namespace {

std::string seconds(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%8.2fs", value);
  return text.data();
}

std::string megabytes(double bytes) {
  return std::to_string(static_cast<std::int64_t>(bytes / (1024.0 * 1024.0))) + " MB";
}

std::string date(std::int64_t now) {
  const auto time = static_cast<std::time_t>(now);
  std::tm local{};
  localtime_r(&time, &local);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%d/%m/%y, %H:%M:%S", &local);
  return text.data();
}

std::string host_names(const grid::Communicator &comm) {
  const std::string processor = processor_name();
  std::string text;
  for (const std::string &host : comm.hosts())
    text += (text.empty() ? "" : ", ") + host + " (" + processor + ")";
  return text;
}

} // namespace

void write_scalars(OutputFile &out, const Parameters &p) {
  const std::array<std::string, 3> axes{"x", "y", "z"};
  const std::array<const char *, 3> extents{"Nx", "Ny", "Nz"};
  for (std::size_t a = 0; a < 3; ++a) {
    out.integer(extents[a], static_cast<std::uint64_t>(p.n[a]));
    out.real("d" + axes[a], p.spacing[a]);
    out.integer("pml_" + axes[a] + "_size", static_cast<std::uint64_t>(p.pml_size[a]));
    out.real("pml_" + axes[a] + "_alpha", p.pml_alpha[a]);
    out.integer("u" + axes[a] + "_source_flag", 0);
  }
  out.integer("Nt", static_cast<std::uint64_t>(p.steps));
  out.integer("t_index", static_cast<std::uint64_t>(p.steps));
  out.real("dt", p.dt);
  out.real("c_ref", p.c_ref);
  for (const char *flag : {"axisymmetric_flag", "transducer_source_flag", "nonuniform_grid_flag",
                           "absorbing_flag", "nonlinear_flag"})
    out.integer(flag, 0);
  out.integer("p0_source_flag", p.initial_pressure ? 1 : 0);
  out.integer("p_source_flag", static_cast<std::uint64_t>(p.p_source_steps));
  if (p.p_source_steps > 0) {
    out.integer("p_source_many", p.p_source_many ? 1 : 0);
    out.integer("p_source_mode", static_cast<std::uint64_t>(p.p_source_mode));
  }
}

void copy_sensor_mask(OutputFile &out, const InputFile &in, const Slab &slab,
                      const grid::Communicator &comm) {
  out.integer("sensor_mask_type", 0);
  out.create_indices("sensor_mask_index", in.list_size("sensor_mask_index"));
  in.indices("sensor_mask_index", slab.points(),
             [&](std::size_t first, std::span<const std::int64_t> points) {
               std::vector<std::uint64_t> one_based;
               // One rank writes; the others take part with nothing.
               if (comm.rank() == 0)
                 for (const std::int64_t point : points)
                   one_based.push_back(static_cast<std::uint64_t>(point) + 1);
               out.write_indices("sensor_mask_index", first, one_based.size(), one_based.data());
             });
}

void write_attributes(OutputFile &out, const Parameters &p, const std::string &created_by,
                      const Timings &timings, double total_memory, int threads,
                      const grid::Communicator &comm) {
  // Values must be the same on all ranks: clocks are not.
  const std::int64_t now = comm.max(static_cast<std::int64_t>(std::time(nullptr)));
  const int cores = comm.size() * threads;
  out.attribute("created_by", created_by);
  out.attribute("creation_date", date(now));
  out.attribute("file_description", p.description);
  out.attribute("file_type", "output");
  out.attribute("major_version", "1");
  out.attribute("minor_version", "2");
  out.attribute("host_names", host_names(comm));
  out.attribute("number_of_cpu_cores", std::to_string(cores));
  out.attribute("total_memory_in_use", megabytes(total_memory));
  out.attribute("peak_core_memory_in_use", megabytes(total_memory / cores));
  out.attribute("total_execution_time", seconds(timings.total()));
  out.attribute("data_loading_phase_execution_time", seconds(timings.loading));
  out.attribute("pre-processing_phase_execution_time", seconds(timings.preparing));
  out.attribute("simulation_phase_execution_time", seconds(timings.simulating));
  out.attribute("post-processing_phase_execution_time", seconds(timings.postprocessing));
}

} // namespace hybridfft::kspace
