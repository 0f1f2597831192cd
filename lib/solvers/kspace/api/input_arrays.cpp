// Checks the caller's arrays of a simulation and writes them as a k-Wave input file.
#include <algorithm>
#include <cmath>
#include <utility>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/kspace.hpp"
#include "io/hdf5.h"
#include "solvers/kspace/base/errors.h"
#include "solvers/kspace/base/parameters.h"

namespace hybridfft::kspace {

namespace {

std::size_t number_of_points(const Grid &g) {
  std::size_t points = 1;
  for (const std::int64_t n : g.points)
    points *= static_cast<std::size_t>(n);
  return points;
}

int dimensions(const Grid &g) {
  return kspace::dimensions(Extents{g.points[0], g.points[1], g.points[2]});
}

[[noreturn]] void reject(const std::string &member, const std::string &found,
                         const std::string &expected) {
  throw Error(HFFT_ERROR_ARGUMENT,
              "kspace::Input: " + member + " is " + found + ", expected " + expected);
}

/// Throws unless the property `member` has one value or one value per point, or is empty where this
/// is allowed.
void require_size(const std::string &member, const std::vector<float> &values, std::size_t points,
                  bool may_be_empty, bool may_be_one = true) {
  const std::size_t n = values.size();
  if (n == points || (n == 1 && may_be_one) || (n == 0 && may_be_empty)) return;
  reject(member, "of " + std::to_string(n) + " values",
         (may_be_one ? "1 or " : "") + std::to_string(points) + ", one for each point");
}

/// Number of signals of a source: one for all its points, or one per point.
std::size_t columns(const Source &s) { return s.one_signal ? 1 : s.points.size(); }

std::int64_t signal_steps(const Source &s) {
  return s.points.empty() ? 0 : static_cast<std::int64_t>(s.signal.size() / columns(s));
}

void require_points(const std::string &member, const std::vector<std::uint64_t> &list,
                    std::size_t points) {
  for (const std::uint64_t point : list)
    if (point >= points)
      reject(member, "with point " + std::to_string(point),
             "0 to " + std::to_string(points - 1) + ", a point of the grid");
}

void require_source(const std::string &member, const Source &s, std::size_t points) {
  require_points(member + ".points", s.points, points);
  if (s.points.empty() != s.signal.empty())
    reject(member + ".signal", "of " + std::to_string(s.signal.size()) + " values",
           s.points.empty() ? "none, for there are no points" : "one or more for each time step");
  if (!s.points.empty() && s.signal.size() % columns(s) != 0)
    reject(member + ".signal", "of " + std::to_string(s.signal.size()) + " values",
           "a multiple of " + std::to_string(columns(s)) + ", one for each point in a time step");
}

void require_cuboid(const std::array<std::int64_t, 6> &c, const Grid &g) {
  for (std::size_t a = 0; a < 3; ++a)
    if (c[a] < 0 || c[a + 3] < c[a] || c[a + 3] >= g.points[a])
      reject("sensor.cuboids",
             "with " + std::to_string(c[a]) + " to " + std::to_string(c[a + 3]) + " along " +
                 axis_name(static_cast<int>(a)),
             "a range within 0 to " + std::to_string(g.points[a] - 1));
}

void require_velocity(const std::array<Source, 3> &velocity, int dimensions) {
  const Source *first = nullptr;
  for (std::size_t a = 0; a < 3; ++a) {
    const Source &s = velocity[a];
    const std::string member = "velocity[" + std::to_string(a) + "]";
    if (s.points.empty()) continue;
    if (static_cast<int>(a) >= dimensions)
      reject(member, "given",
             std::string("none along ") + axis_name(static_cast<int>(a)) + ", for grid.points[" +
                 std::to_string(a) + "] is 1");
    if (first != nullptr &&
        (s.points != first->points || s.mode != first->mode || s.one_signal != first->one_signal))
      reject(member, "not like the component before it", "the same points, mode and one_signal");
    first = &s;
  }
}

void require_valid(const Input &in) {
  const Grid &g = in.grid;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string axis = "[" + std::to_string(a) + "]";
    if (g.points[a] < 1) reject("grid.points" + axis, std::to_string(g.points[a]), "1 or more");
    if (g.pml_size[a] < 0)
      reject("grid.pml_size" + axis, std::to_string(g.pml_size[a]), "0 or more");
  }
  if (g.steps < 1) reject("grid.steps", std::to_string(g.steps), "1 or more");
  const std::size_t points = number_of_points(g);
  require_size("medium.sound_speed", in.medium.sound_speed, points, false);
  require_size("medium.density", in.medium.density, points, false);
  require_size("medium.nonlinearity", in.medium.nonlinearity, points, true);
  require_size("medium.absorption", in.medium.absorption, points, true);
  require_size("initial_pressure", in.initial_pressure, points, true, false);
  require_source("pressure", in.pressure, points);
  for (std::size_t a = 0; a < 3; ++a)
    require_source("velocity[" + std::to_string(a) + "]", in.velocity[a], points);
  require_velocity(in.velocity, dimensions(g));
  require_points("sensor.points", in.sensor.points, points);
  if (in.sensor.points.empty() == in.sensor.cuboids.empty())
    reject("sensor", in.sensor.points.empty() ? "empty" : "of points and of cuboids",
           "points or cuboids");
  for (const auto &cuboid : in.sensor.cuboids)
    require_cuboid(cuboid, g);
}

/// Writes datasets with the attributes of k-Wave's files.
class ArrayWriter {
public:
  ArrayWriter(const Input &input, const std::string &path, MPI_Comm comm)
      : in_(input), file_(io::File::create(path, comm)) {}

  void write();

private:
  template <class T>
  void put(const std::string &name, const io::Shape &shape, const std::vector<T> &values) {
    file_.write_all<T>(name, shape, values);
    file_.set_attribute(name, "data_type", std::is_same_v<T, float> ? "float" : "long");
    file_.set_attribute(name, "domain_type", "real");
  }
  void integer(const std::string &name, std::int64_t value) {
    put<std::uint64_t>(name, {1, 1, 1}, {static_cast<std::uint64_t>(value)});
  }
  void real(const std::string &name, double value) {
    put<float>(name, {1, 1, 1}, {static_cast<float>(value)});
  }
  /// Writes a property of the medium as a scalar or as one value per grid point.
  void property(const std::string &name, const std::vector<float> &values) {
    if (values.size() == 1) return put<float>(name, {1, 1, 1}, values);
    const auto &n = in_.grid.points;
    put<float>(name,
               {static_cast<std::size_t>(n[2]), static_cast<std::size_t>(n[1]),
                static_cast<std::size_t>(n[0])},
               values);
  }
  void indices(const std::string &name, std::vector<std::uint64_t> list) {
    for (std::uint64_t &point : list)
      ++point; // one-based
    put(name, {1, 1, list.size()}, list);
  }
  void signal(const std::string &name, const Source &s, const std::vector<double> &factors);

  void write_grid();
  void write_medium();
  void write_pressure();
  void write_velocity();
  void write_sensor();
  std::vector<float> staggered_density(std::size_t axis) const;
  /// Returns the sound speed at each point of a source.
  std::vector<double> speeds(const Source &s) const;

  const Input &in_;
  io::File file_;
};

std::vector<double> ArrayWriter::speeds(const Source &s) const {
  const std::vector<float> &c = in_.medium.sound_speed;
  std::vector<double> all;
  for (const std::uint64_t point : s.points)
    all.push_back(c[c.size() == 1 ? 0 : point]);
  return all;
}

/// Writes a signal with each value multiplied by its point's factor, or by the first factor for a
/// shared signal.
void ArrayWriter::signal(const std::string &name, const Source &s,
                         const std::vector<double> &factors) {
  const std::size_t count = columns(s);
  std::vector<float> scaled(s.signal);
  for (std::size_t i = 0; i < scaled.size(); ++i)
    scaled[i] = static_cast<float>(factors[i % count] * static_cast<double>(scaled[i]));
  put(name, {1, scaled.size() / count, count}, scaled);
}

void ArrayWriter::write_grid() {
  const Grid &g = in_.grid;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string axis = axis_name(static_cast<int>(a));
    integer("N" + axis, g.points[a]);
    integer("pml_" + axis + "_size", g.pml_size[a]);
    if (static_cast<int>(a) >= dimensions(g)) continue; // no spacing along this axis
    real("d" + axis, g.spacing[a]);
    real("pml_" + axis + "_alpha", g.pml_alpha);
  }
  integer("Nt", g.steps);
  real("dt", g.dt);
  for (const char *flag : {"axisymmetric_flag", "nonuniform_grid_flag", "transducer_source_flag"})
    integer(flag, 0);
}

/// Returns the density half a cell ahead along an axis: the mean of each point and the next one.
/// The last point keeps its own density.
std::vector<float> ArrayWriter::staggered_density(std::size_t axis) const {
  const std::vector<float> &rho = in_.medium.density;
  std::vector<float> between(rho);
  if (rho.size() == 1) return between;
  const auto &n = in_.grid.points;
  std::size_t stride = 1;
  for (std::size_t a = 0; a < axis; ++a)
    stride *= static_cast<std::size_t>(n[a]);
  const auto length = static_cast<std::size_t>(n[axis]);
  for (std::size_t i = 0; i < rho.size(); ++i)
    if (i / stride % length + 1 < length) between[i] = (rho[i] + rho[i + stride]) / 2;
  return between;
}

void ArrayWriter::write_medium() {
  const Medium &m = in_.medium;
  property("c0", m.sound_speed);
  real("c_ref", static_cast<double>(*std::max_element(m.sound_speed.begin(), m.sound_speed.end())));
  property("rho0", m.density);
  for (int axis = 0; axis < dimensions(in_.grid); ++axis)
    property(std::string("rho0_sg") + axis_name(axis),
             staggered_density(static_cast<std::size_t>(axis)));
  integer("nonlinear_flag", m.nonlinearity.empty() ? 0 : 1);
  if (!m.nonlinearity.empty()) property("BonA", m.nonlinearity);
  integer("absorbing_flag", m.absorption.empty() ? 0 : 1);
  if (m.absorption.empty()) return;
  property("alpha_coeff", m.absorption);
  real("alpha_power", m.absorption_power);
}

/// Writes the initial pressure and the pressure source. Source values in Pa become prescribed
/// densities or mass sources, divided by the number of dimensions.
void ArrayWriter::write_pressure() {
  integer("p0_source_flag", in_.initial_pressure.empty() ? 0 : 1);
  if (!in_.initial_pressure.empty()) property("p0_source_input", in_.initial_pressure);
  const Source &s = in_.pressure;
  integer("p_source_flag", signal_steps(s));
  if (s.points.empty()) return;
  integer("p_source_mode", static_cast<std::int64_t>(s.mode));
  integer("p_source_many", s.one_signal ? 0 : 1);
  indices("p_source_index", s.points);
  std::vector<double> factors;
  const double d = dimensions(in_.grid);
  for (const double c : speeds(s))
    factors.push_back(s.mode == Source::Mode::dirichlet
                          ? 1 / (d * c * c)
                          : 2 * in_.grid.dt / (d * c * in_.grid.spacing[0]));
  signal("p_source_input", s, factors);
}

void ArrayWriter::write_velocity() {
  const Source *any = nullptr;
  for (std::size_t a = 0; a < 3; ++a) {
    const Source &s = in_.velocity[a];
    const std::string name = std::string("u") + axis_name(static_cast<int>(a)) + "_source_";
    integer(name + "flag", signal_steps(s));
    if (s.points.empty()) continue;
    any = &s;
    std::vector<double> factors;
    for (const double c : speeds(s))
      factors.push_back(
          s.mode == Source::Mode::dirichlet ? 1 : 2 * c * in_.grid.dt / in_.grid.spacing[a]);
    signal(name + "input", s, factors);
  }
  if (any == nullptr) return;
  integer("u_source_mode", static_cast<std::int64_t>(any->mode));
  integer("u_source_many", any->one_signal ? 0 : 1);
  indices("u_source_index", any->points);
}

void ArrayWriter::write_sensor() {
  const Sensor &s = in_.sensor;
  integer("sensor_mask_type", s.cuboids.empty() ? 0 : 1);
  if (s.cuboids.empty()) return indices("sensor_mask_index", s.points);
  std::vector<std::uint64_t> corners;
  for (const auto &cuboid : s.cuboids)
    for (const std::int64_t corner : cuboid)
      corners.push_back(static_cast<std::uint64_t>(corner) + 1); // one-based
  put("sensor_mask_corners", {1, s.cuboids.size(), 6}, corners);
}

void ArrayWriter::write() {
  const std::pair<const char *, const char *> attributes[] = {
      {"created_by", "HybridFFT"},
      {"file_description", "made from arrays"},
      {"file_type", "input"},
      {"major_version", "1"},
      {"minor_version", "2"}};
  for (const auto &[name, value] : attributes)
    file_.set_attribute("/", name, value);
  write_grid();
  write_medium();
  write_pressure();
  write_velocity();
  write_sensor();
  file_.commit();
}

} // namespace

void Input::write(const std::string &path, MPI_Comm comm) const {
  with_public_errors([&] {
    grid::Communicator(comm).agree([&] { require_valid(*this); });
    ArrayWriter(*this, path, comm).write();
  });
}

} // namespace hybridfft::kspace
