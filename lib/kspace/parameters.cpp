#include "kspace/parameters.h"

#include <limits>

namespace hybridfft::kspace {

namespace {

constexpr std::array<const char *, 3> axis_names{"x", "y", "z"};

/// A flag that must be 0: the physics behind it is not here.
void require_zero(const InputFile &file, const std::string &dataset, const std::string &what) {
  const std::uint64_t value = file.integer(dataset);
  if (value != 0) file.unsupported(dataset, std::to_string(value), what);
}

std::uint64_t one_of(const InputFile &file, const std::string &dataset, std::uint64_t last,
                     const std::string &expected) {
  const std::uint64_t value = file.integer(dataset);
  if (value > last) file.reject(dataset, std::to_string(value), expected);
  return value;
}

void read_extents(const InputFile &file, Parameters &p) {
  const std::array<const char *, 3> names{"Nx", "Ny", "Nz"};
  // Four bytes a point, and room for padding, must stay countable.
  std::uint64_t room = std::numeric_limits<std::int64_t>::max() / 16;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::uint64_t n = file.integer(names[a]);
    if (n == 0) file.reject(names[a], "0", "at least 1");
    if (n > room)
      file.reject(names[a], std::to_string(n), "a grid of less than 2^59 points altogether");
    room /= n;
    p.n[a] = static_cast<std::ptrdiff_t>(n);
  }
  if (p.n[2] == 1) file.unsupported("Nz", "1", "a two-dimensional simulation");
  const std::uint64_t steps = file.integer("Nt");
  if (steps == 0 || steps > (std::uint64_t{1} << 53))
    file.reject("Nt", std::to_string(steps), "1 to 2^53 time steps");
  p.steps = static_cast<std::int64_t>(steps);
}

void read_pml(const InputFile &file, Parameters &p) {
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string size = std::string("pml_") + axis_names[a] + "_size";
    const std::string alpha = std::string("pml_") + axis_names[a] + "_alpha";
    const std::uint64_t points = file.integer(size);
    const auto most = static_cast<std::uint64_t>(p.n[a]) / 2;
    if (points > most)
      file.reject(size, std::to_string(points),
                  "at most " + std::to_string(most) + ", half of the " + std::to_string(p.n[a]) +
                      " points along " + axis_names[a]);
    p.pml_size[a] = static_cast<std::ptrdiff_t>(points);
    p.pml_alpha[a] = file.real(alpha);
    if (p.pml_alpha[a] < 0)
      file.reject(alpha, to_string(static_cast<double>(p.pml_alpha[a])), "a number of at least 0");
  }
}

void read_source(const InputFile &file, Parameters &p) {
  p.initial_pressure = one_of(file, "p0_source_flag", 1, "0 or 1") == 1;
  const std::uint64_t steps = file.integer("p_source_flag");
  if (steps == 0) return;
  if (steps > (std::uint64_t{1} << 53))
    file.reject("p_source_flag", std::to_string(steps), "the number of time samples, up to 2^53");
  p.p_source_steps = static_cast<std::int64_t>(steps);
  const std::uint64_t mode = one_of(file, "p_source_mode", 2, "0, 1 or 2");
  if (mode == 2)
    file.unsupported("p_source_mode", "2", "an additive pressure source with k-space correction");
  p.p_source_mode = static_cast<SourceMode>(mode);
  p.p_source_many = one_of(file, "p_source_many", 1, "0 or 1") == 1;
}

void refuse_other_physics(const InputFile &file) {
  if (file.minor_version() >= 2)
    require_zero(file, "axisymmetric_flag", "an axisymmetric simulation");
  require_zero(file, "nonuniform_grid_flag", "a non-uniform grid");
  require_zero(file, "nonlinear_flag", "nonlinear propagation");
  if (one_of(file, "absorbing_flag", 2, "0, 1 or 2") != 0)
    require_zero(file, "absorbing_flag", "an absorbing medium");
  for (const char *name : {"ux_source_flag", "uy_source_flag", "uz_source_flag"})
    require_zero(file, name, "a velocity source");
  require_zero(file, "transducer_source_flag", "a transducer source");
  // Version 1.0 knows no other sensor masks than lists of indices.
  if (file.minor_version() >= 1 && one_of(file, "sensor_mask_type", 1, "0 or 1") != 0)
    require_zero(file, "sensor_mask_type", "a sensor mask of cuboid corners");
}

} // namespace

Parameters read_parameters(const InputFile &file) {
  Parameters p;
  p.description = file.description();
  read_extents(file, p);
  refuse_other_physics(file);
  p.dt = file.positive("dt");
  p.spacing = {file.positive("dx"), file.positive("dy"), file.positive("dz")};
  p.c_ref = file.positive("c_ref");
  read_pml(file, p);
  read_source(file, p);
  return p;
}

} // namespace hybridfft::kspace
