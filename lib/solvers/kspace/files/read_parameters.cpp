#include "solvers/kspace/files/read_parameters.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace hybridfft::kspace {

namespace {

constexpr std::uint64_t max_steps = std::uint64_t{1} << 53;

std::uint64_t one_of(const InputFile &file, const std::string &dataset, std::uint64_t last,
                     const std::string &expected) {
  const std::uint64_t value = file.integer(dataset);
  if (value > last) file.reject(dataset, std::to_string(value), expected);
  return value;
}

void read_extents(const InputFile &file, Parameters &p) {
  const std::array<const char *, 3> names{"Nx", "Ny", "Nz"};
  // The size of a field in bytes, with four bytes per point and padding, must fit a 64-bit integer.
  std::uint64_t room = std::numeric_limits<std::int64_t>::max() / 16;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::uint64_t n = file.integer(names[a]);
    if (n == 0) file.reject(names[a], "0", "at least 1");
    if (n > room)
      file.reject(names[a], std::to_string(n), "a grid of less than 2^59 points altogether");
    room /= n;
    p.n[a] = static_cast<std::ptrdiff_t>(n);
  }
  const std::uint64_t steps = file.integer("Nt");
  if (steps == 0 || steps > max_steps)
    file.reject("Nt", std::to_string(steps), "1 to 2^53 time steps");
  p.steps = static_cast<std::int64_t>(steps);
}

bool is_set(const InputFile &file, const std::string &dataset) {
  return one_of(file, dataset, 1, "0 or 1") == 1;
}

void read_pml_axis(const InputFile &file, Parameters &p, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  const std::string size = std::string("pml_") + axis_name(axis) + "_size";
  const std::uint64_t points = file.integer(size);
  // Along the radius, axisymmetric grids have a PML only at the outer end.
  const bool one_sided = p.axisymmetric && axis == 1;
  const auto most = static_cast<std::uint64_t>(one_sided ? p.n[a] : p.n[a] / 2);
  if (points > most)
    file.reject(size, std::to_string(points),
                "at most " + std::to_string(most) +
                    (one_sided ? ", all of the " : ", half of the ") + std::to_string(p.n[a]) +
                    " points along " + axis_name(axis));
  p.pml_size[a] = static_cast<std::ptrdiff_t>(points);
  p.pml_alpha[a] =
      file.real(std::string("pml_") + axis_name(axis) + "_alpha", Values::non_negative);
}

/// Reads a source's flag, whose value is the number of time samples.
std::int64_t source_steps(const InputFile &file, const std::string &flag) {
  return static_cast<std::int64_t>(
      one_of(file, flag, max_steps, "the number of time samples, up to 2^53"));
}

SourceMode source_mode(const InputFile &file, const std::string &dataset) {
  return static_cast<SourceMode>(one_of(file, dataset, 2, "0, 1 or 2"));
}

/// Throws for velocity sources along an axis that the grid lacks.
void refuse_other_velocities(const InputFile &file, const Parameters &p) {
  for (int axis = p.dimensions(); axis < 3; ++axis) {
    const std::string flag = std::string("u") + axis_name(axis) + "_source_flag";
    if (!file.has(flag)) continue;
    if (const std::int64_t steps = source_steps(file, flag); steps > 0)
      file.reject(flag, std::to_string(steps),
                  std::string("0: the grid has one point along ") + axis_name(axis));
  }
}

void read_sources(const InputFile &file, Parameters &p) {
  p.initial_pressure = is_set(file, "p0_source_flag");
  p.p_source_steps = source_steps(file, "p_source_flag");
  if (p.p_source_steps > 0) {
    p.p_source_mode = source_mode(file, "p_source_mode");
    p.p_source_many = is_set(file, "p_source_many");
  }
  for (int axis = 0; axis < p.dimensions(); ++axis)
    p.u_source_steps[static_cast<std::size_t>(axis)] =
        source_steps(file, std::string("u") + axis_name(axis) + "_source_flag");
  refuse_other_velocities(file, p);
  if (p.has_velocity_source()) {
    p.u_source_mode = source_mode(file, "u_source_mode");
    p.u_source_many = is_set(file, "u_source_many");
  }
  p.transducer_steps = source_steps(file, "transducer_source_flag");
}

void read_physics(const InputFile &file, Parameters &p) {
  // Files before version 1.2 cannot describe axisymmetric grids. k-Wave ignores the flag in three
  // dimensions.
  if (file.minor_version() >= 2) {
    const bool symmetric = is_set(file, "axisymmetric_flag");
    if (symmetric && p.dimensions() == 1)
      file.reject("axisymmetric_flag", "1", "0 for a grid of one dimension, Ny = Nz = 1");
    p.axisymmetric = symmetric && p.dimensions() == 2;
  }
  p.nonuniform_grid = is_set(file, "nonuniform_grid_flag");
  p.nonlinear = is_set(file, "nonlinear_flag");
  p.absorption = static_cast<Absorption>(one_of(file, "absorbing_flag", 2, "0, 1 or 2"));
  if (p.absorption != Absorption::none) {
    p.alpha_power = file.real("alpha_power");
    // k-Wave's toolboxes only write exponents in this range. Below it, attenuation would decrease
    // with frequency; above it, k^(y-1) may overflow.
    if (p.alpha_power < 0 || p.alpha_power >= 3)
      file.reject("alpha_power", to_string(p.alpha_power), "at least 0 and below 3");
    if (p.alpha_power == 1)
      file.reject("alpha_power", "1",
                  "another number: the power law has no finite dispersion at 1");
  }
  if (p.axisymmetric && p.absorption == Absorption::power_law)
    file.unsupported("absorbing_flag", "1", "power-law absorption in an axisymmetric simulation");
  if (p.axisymmetric && p.nonuniform_grid)
    file.unsupported("nonuniform_grid_flag", "1",
                     "a non-uniform grid in an axisymmetric simulation");
  // In version 1.0, sensor masks are always lists of indices.
  if (file.minor_version() >= 1)
    p.sensor_mask = static_cast<SensorMaskType>(one_of(file, "sensor_mask_type", 1, "0 or 1"));
}

/// Throws for k-Wave inputs of elastic media.
void require_fluid(const InputFile &file) {
  const auto refuse = [&](const std::string &dataset, const std::string &found,
                          const std::string &what) {
    file.unsupported(dataset, found,
                     what + " (hybridfft-elastic computes solids, hybridfft-kspace fluids)");
  };
  const auto refuse_flag = [&](const std::string &flag, const std::string &what) {
    if (!file.has(flag)) return;
    const std::uint64_t value = file.integer(flag);
    if (value > 0) refuse(flag, std::to_string(value), what);
  };
  refuse_flag("elastic_flag", "an elastic medium");
  for (const std::string stress : {"sxx", "syy", "szz", "sxy", "sxz", "syz"}) {
    refuse_flag(stress + "_source_flag", "a source of stress");
    const std::string input = stress + "_source_input";
    if (file.has(input)) refuse(input, "given", "a source of stress");
  }
}

} // namespace

Parameters read_parameters(const InputFile &file) {
  require_fluid(file);
  Parameters p;
  p.description = file.description();
  read_extents(file, p);
  read_physics(file, p);
  p.dt = file.positive("dt");
  p.c_ref = file.positive("c_ref");
  for (int axis = 0; axis < p.dimensions(); ++axis) {
    p.spacing[static_cast<std::size_t>(axis)] = file.positive(std::string("d") + axis_name(axis));
    read_pml_axis(file, p, axis);
  }
  require_known_phases(file, p);
  read_sources(file, p);
  return p;
}

namespace {

/// Properties of the medium that the simulation needs. Each has the shape [1][1][1] or
/// [Nz][Ny][Nx].
std::vector<std::pair<std::string, Values>> medium_datasets(const Parameters &p) {
  std::vector<std::pair<std::string, Values>> all{{"c0", Values::positive},
                                                  {"rho0", Values::positive}};
  for (int axis = 0; axis < p.dimensions(); ++axis)
    all.emplace_back(std::string("rho0_sg") + axis_name(axis), Values::positive);
  if (p.nonlinear) all.emplace_back("BonA", Values::finite);
  if (p.absorption != Absorption::none) all.emplace_back("alpha_coeff", Values::non_negative);
  return all;
}

void require_medium(const InputFile &file, const Parameters &p) {
  for (const auto &[dataset, allowed] : medium_datasets(p)) {
    const bool uniform = file.is_scalar(dataset);
    if (dataset.starts_with("rho0_sg") && uniform != file.is_scalar("rho0"))
      file.reject(dataset, uniform ? "a scalar" : "an array",
                  uniform ? "an array, as rho0 is" : "a scalar, as rho0 is");
    if (uniform)
      file.real(dataset, allowed);
    else
      file.require_field(dataset, p.n);
  }
}

void require_signal(const InputFile &file, const std::string &dataset, std::int64_t steps,
                    bool many, const std::string &points) {
  if (steps == 0) return;
  file.require_rows(dataset, static_cast<std::size_t>(steps), many ? file.size(points) : 1);
}

void require_sources(const InputFile &file, const Parameters &p) {
  if (p.initial_pressure) file.require_field("p0_source_input", p.n);
  if (p.p_source_steps > 0) file.require_integers("p_source_index");
  require_signal(file, "p_source_input", p.p_source_steps, p.p_source_many, "p_source_index");
  if (p.has_velocity_source() || p.transducer_steps > 0) file.require_integers("u_source_index");
  for (int axis = 0; axis < p.dimensions(); ++axis)
    require_signal(file, std::string("u") + axis_name(axis) + "_source_input",
                   p.u_source_steps[static_cast<std::size_t>(axis)], p.u_source_many,
                   "u_source_index");
  if (p.transducer_steps == 0) return;
  file.require_list("transducer_source_input", file.size("transducer_source_input"));
  file.require_integers("delay_mask");
}

void require_sensor(const InputFile &file, const Parameters &p) {
  const bool indices = p.sensor_mask == SensorMaskType::indices;
  const std::string dataset = indices ? "sensor_mask_index" : "sensor_mask_corners";
  if (file.is_empty(dataset))
    file.reject(dataset, "an empty sensor",
                indices ? "the index of one point or more" : "the corners of one cuboid or more");
  file.require_integers(dataset);
}

} // namespace

void require_arrays(const InputFile &file, const Parameters &p) {
  require_medium(file, p);
  require_sources(file, p);
  require_sensor(file, p);
}

std::vector<std::string> reversed_arrays(const InputFile &file, const Parameters &p) {
  std::vector<std::string> reversed;
  if (p.dimensions() == 1)
    return reversed; // a grid of one dimension has the same order of values in both shapes
  auto arrays = medium_datasets(p);
  if (p.initial_pressure) arrays.emplace_back("p0_source_input", Values::finite);
  for (const auto &[name, allowed] : arrays)
    if (file.is_reversed(name, p.n)) reversed.push_back(name);
  return reversed;
}

std::size_t number_of_fields(const InputFile &file, const Parameters &p) {
  const auto dimensions = static_cast<std::size_t>(p.dimensions());
  const auto varies = [&](const std::string &dataset) {
    return std::size_t{file.is_scalar(dataset) ? 0U : 1U};
  };
  std::size_t fields = 1 + 2 * dimensions + varies("c0") + (1 + dimensions) * varies("rho0");
  if (p.nonlinear) fields += std::max(varies("BonA"), varies("rho0"));
  const std::size_t factors = p.absorption == Absorption::power_law ? 2 : 1;
  if (p.absorption != Absorption::none)
    fields += factors * std::max(varies("alpha_coeff"), varies("c0"));
  return fields;
}

namespace {

/// Largest relative error of a number of single precision: half of the relative step 2^-23.
constexpr double resolution = 1.0 / (1 << 24);
constexpr double speed_of_light = 299792458; // m/s

/// Phases speed * time * pi/d in rad, at the Nyquist wave number of each axis with more than one
/// point.
struct Phases {
  Phases(const Parameters &p, double speed, double time) {
    for (int axis = 0; axis < p.dimensions(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (p.n[a] == 1) continue;
      values.push_back(speed * time * std::numbers::pi / p.spacing[a]);
      spacings.push_back(std::string("d") + axis_name(axis));
    }
  }

  std::vector<double> values;
  std::vector<std::string> spacings;
};

/// Throws InputError if wrong(phase) is true for some axis. The error names the spacing of the
/// first such axis, or `common` if wrong() is true for all of several axes.
template <class Wrong>
void require_none(const InputFile &file, const Parameters &p, const Phases &phases,
                  const std::string &common, double common_value, const std::string &expected,
                  const Wrong &wrong) {
  const auto first = std::find_if(phases.values.begin(), phases.values.end(), wrong);
  if (first == phases.values.end()) return;
  const auto place = static_cast<std::size_t>(first - phases.values.begin());
  const bool all = std::all_of(phases.values.begin(), phases.values.end(), wrong);
  const std::string &name = phases.spacings[place];
  const double spacing = p.spacing[static_cast<std::size_t>(name[1] - 'x')];
  file.reject(all ? common : name, to_string(all ? common_value : spacing),
              expected + " (the phase along " + name[1] + " is " + short_string(*first) + " rad)");
}

} // namespace

void require_known_phases(const InputFile &file, const Parameters &p) {
  const bool absurd_speed = p.c_ref > speed_of_light;
  require_none(file, p, Phases(p, p.c_ref, p.dt / 2), absurd_speed ? "c_ref" : "dt",
               absurd_speed ? p.c_ref : p.dt,
               "one with which c_ref k dt / 2 is at most 2^24 rad at k = pi/d: the numbers of the "
               "file do not say more",
               [](double phase) { return !(phase <= 1 / resolution); });
}

void require_motion(const InputFile &file, const Parameters &p, double max_speed) {
  if (p.c_ref < resolution * max_speed)
    file.reject("c_ref", to_string(p.c_ref),
                "at least 2^-24 of the largest sound speed c0 = " + to_string(max_speed) +
                    " m/s: neither the operators nor the PML would notice it");
  require_none(file, p, Phases(p, max_speed, p.dt * static_cast<double>(p.steps)), "dt", p.dt,
               "one with which sound of c0 = " + to_string(max_speed) +
                   " m/s moves: all time steps together change its phase by less than 2^-24 rad "
                   "at k = pi/d",
               [](double phase) { return !(phase >= resolution); });
}

} // namespace hybridfft::kspace
