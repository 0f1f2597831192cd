#include "solvers/kspace/output_header.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "solvers/kspace/checks.h"

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
  constexpr std::size_t longest = 60000; // values of HDF5 attributes are below 64 KiB
  const std::string processor = processor_name();
  const std::vector<std::string> hosts = comm.hosts();
  std::string text;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (text.size() > longest) return text + ", and " + std::to_string(hosts.size() - i) + " more";
    text += (text.empty() ? "" : ", ") + hosts[i] + " (" + processor + ")";
  }
  return text;
}

} // namespace

Scalars scalars_of(const Parameters &p) {
  const bool p_source = p.p_source_steps > 0, u_source = p.has_velocity_source();
  Scalars all{{{"Nx", p.n[0]},
               {"Ny", p.n[1]},
               {"Nz", p.n[2]},
               {"axisymmetric_flag", p.axisymmetric ? 1 : 0},
               {"nonuniform_grid_flag", p.nonuniform_grid ? 1 : 0},
               {"nonlinear_flag", p.nonlinear ? 1 : 0},
               {"absorbing_flag", static_cast<std::int64_t>(p.absorption)},
               {"p0_source_flag", p.initial_pressure ? 1 : 0},
               {"p_source_flag", p.p_source_steps},
               {"transducer_source_flag", p.transducer_steps},
               {"p_source_mode", static_cast<std::int64_t>(p.p_source_mode), p_source},
               {"u_source_mode", static_cast<std::int64_t>(p.u_source_mode), u_source},
               {"p_source_many", p.p_source_many ? 1 : 0, p_source},
               {"u_source_many", p.u_source_many ? 1 : 0, u_source},
               {"sensor_mask_type", static_cast<std::int64_t>(p.sensor_mask), false}},
              {{"dt", p.dt}, {"c_ref", p.c_ref}, {"alpha_power", p.alpha_power, false}}};
  for (int axis = 0; axis < p.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::string x = axis_name(axis);
    all.integers.push_back({"u" + x + "_source_flag", p.u_source_steps[a]});
    all.integers.push_back({"pml_" + x + "_size", p.pml_size[a]});
    all.reals.push_back({"d" + x, p.spacing[a]});
    all.reals.push_back({"pml_" + x + "_alpha", p.pml_alpha[a]});
  }
  return all;
}

void write_scalars(OutputFile &out, const Parameters &p, std::int64_t t_index) {
  const auto [integers, reals] = scalars_of(p);
  for (const auto &[name, value, in_output] : integers)
    if (in_output) out.integer(name, static_cast<std::uint64_t>(value));
  for (const auto &[name, value, in_output] : reals)
    if (in_output) out.real(name, value);
  out.integer("Nt", static_cast<std::uint64_t>(p.steps));
  out.integer("t_index", static_cast<std::uint64_t>(t_index));
}

void copy_sensor_mask(OutputFile &out, const InputFile &in, const Parameters &parameters,
                      const LocalGrid &local, const grid::Communicator &comm) {
  out.integer("sensor_mask_type", static_cast<std::uint64_t>(parameters.sensor_mask));
  if (parameters.sensor_mask == SensorMaskType::corners) {
    const std::string name = "sensor_mask_corners";
    const std::size_t total = in.size(name);
    const std::vector<std::int64_t> corners = in.integers(name, total);
    out.integers(name, {1, total / 6, 6}, {corners.begin(), corners.end()});
    return;
  }
  out.create_indices("sensor_mask_index", in.size("sensor_mask_index"));
  in.indices("sensor_mask_index", local.points(),
             [&](std::size_t first, std::span<const std::int64_t> points) {
               std::vector<std::uint64_t> one_based;
               // Rank 0 writes all points; the other ranks pass empty data.
               comm.agree([&] {
                 if (comm.rank() == 0)
                   for (const std::int64_t point : points)
                     one_based.push_back(static_cast<std::uint64_t>(point) + 1);
               });
               out.write_indices("sensor_mask_index", first, one_based.size(), one_based.data());
             });
}

Timings read_timings(const OutputFile &out) {
  const auto seconds_of = [&](const std::string &phase) {
    const std::string name = phase + "_phase_execution_time";
    return out.has_attribute(name) ? std::strtod(out.attribute(name).c_str(), nullptr) : 0.0;
  };
  Timings timings;
  timings.loading = seconds_of("data_loading");
  timings.preparing = seconds_of("pre-processing");
  timings.simulating = seconds_of("simulation");
  timings.postprocessing = seconds_of("post-processing");
  return timings;
}

void write_attributes(OutputFile &out, const Parameters &p, const std::string &created_by,
                      const Timings &timings, double total_memory, int threads,
                      const grid::Communicator &comm) {
  // All ranks must write the same attributes, but their clocks differ.
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
