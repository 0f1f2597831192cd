// Computes the defaults that depend on the grid, the positions of source and inclusion, the time
// step and the number of steps, and checks options against each other.
#include "support/phantom/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace hybridfft::tools::phantom {

namespace {

constexpr double mm = 1e-3;
constexpr std::int64_t min_inside = 12; ///< minimum number of points between the PMLs of both ends
constexpr std::int64_t margin = 2;      ///< points between PML and source
constexpr std::int64_t max_points = 65536; ///< per axis; three indices of a point fit into 64 bits

// Typical properties of soft tissues.
constexpr Material water{1500., 1000.};
constexpr Material skin{1620., 1110.};
constexpr Material fat{1440., 910.};
constexpr Material muscle{1590., 1090.};

template <class Value>
[[noreturn]] void refuse(const std::string &option, const Value &found,
                         const std::string &expected) {
  std::ostringstream text;
  text << option << ": found " << found << ", expected " << expected;
  throw std::invalid_argument(text.str());
}

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

void require_positive(const std::string &option, double value) {
  if (!(value > 0.) || !std::isfinite(value)) refuse(option, value, "a number above 0");
}

/// Returns the number of dimensions: 2 with one point along z, 1 with one point along y and z.
std::size_t dimensions(const PhantomOptions &o) {
  return static_cast<std::size_t>(dimensions_of(o.extents));
}

void check_grid(const PhantomOptions &o) {
  if (o.pml < 0) refuse("--pml", o.pml, "0 or more points");
  if (!(o.pml_alpha >= 0.) || !std::isfinite(o.pml_alpha))
    refuse("--pml-alpha", o.pml_alpha, "0 or more Np per point");
  require_positive("--spacing", o.spacing);
  if (!(o.cfl > 0. && o.cfl <= 1.)) refuse("--cfl", o.cfl, "a number above 0, at most 1");
  if (o.steps && *o.steps < 1) refuse("--steps", *o.steps, "1 or more");
  if (o.pml > max_points) refuse("--pml", o.pml, "at most " + std::to_string(max_points));
  for (std::size_t a = 0; a < dimensions(o); ++a) {
    const std::int64_t least = 2 * o.pml + min_inside;
    const std::string axis(1, "xyz"[a]);
    if (o.extents[a] < least)
      refuse("--extents", std::to_string(o.extents[a]) + " points along " + axis,
             "at least " + std::to_string(least) + ": " + std::to_string(min_inside) +
                 " beside twice --pml " + std::to_string(o.pml));
    if (o.extents[a] > max_points)
      refuse("--extents", std::to_string(o.extents[a]) + " points along " + axis,
             "at most " + std::to_string(max_points));
  }
  if (o.sensor_stride < 1) refuse("--sensor-stride", o.sensor_stride, "1 or more points");
}

void check_physics(const PhantomOptions &o) {
  const auto require = [](const char *option, double value) {
    if (!(value >= 0.) || !std::isfinite(value)) refuse(option, value, "0 or more");
  };
  require("--nonlinearity", o.nonlinearity);
  require("--absorption", o.absorption);
  if (!(o.absorption_power > 0. && o.absorption_power < 3.) || o.absorption_power == 1.)
    refuse("--absorption-power", o.absorption_power, "a number between 0 and 3, but 1");
}

double inner_length(const PhantomOptions &o, std::size_t axis) {
  return static_cast<double>(o.extents[axis] - 2 * o.pml) * o.spacing * mm;
}

/// Returns the distance in m from the line y = Ny/2, z = Nz/2 to the nearest PML.
double inner_half_width(const PhantomOptions &o) {
  double width = std::numeric_limits<double>::max();
  for (std::size_t a = 1; a < dimensions(o); ++a) {
    const std::int64_t middle = o.extents[a] / 2;
    const std::int64_t reach = std::min(middle - o.pml, o.extents[a] - 1 - o.pml - middle);
    width = std::min(width, static_cast<double>(reach) * o.spacing * mm);
  }
  return width;
}

Bowl make_bowl(const PhantomOptions &o) {
  const double length = inner_length(o, 0);
  const double half_width = inner_half_width(o);
  const double h = o.spacing * mm;
  Bowl bowl;
  bowl.curvature = o.curvature.value_or(0.65 * length / mm) * mm;
  require_positive("--curvature", bowl.curvature / mm);
  bowl.aperture = o.aperture ? *o.aperture * mm : std::min(1.6 * half_width, 1.5 * bowl.curvature);
  require_positive("--aperture", bowl.aperture / mm);
  if (bowl.aperture > 2. * bowl.curvature)
    refuse("--aperture", bowl.aperture / mm,
           "at most twice the radius of curvature, " + number(2. * bowl.curvature / mm) + " mm");
  if (0.5 * bowl.aperture > half_width)
    refuse("--aperture", bowl.aperture / mm,
           "at most " + number(2. * half_width / mm) + " mm, the width between the PMLs");
  const double apex = static_cast<double>(o.pml + margin) * h;
  const double longest = static_cast<double>(o.extents[0] - 1 - o.pml) * h - apex;
  if (bowl.curvature > longest)
    refuse("--curvature", bowl.curvature / mm,
           "at most " + number(longest / mm) + " mm, so that the focus is in front of the PML");
  bowl.focus = {apex + bowl.curvature, static_cast<double>(o.extents[1] / 2) * h,
                static_cast<double>(o.extents[2] / 2) * h};
  return bowl;
}

/// Adds the inclusion to the medium.
/// \return the position along x of its far end, in m
double add_inclusion(const PhantomOptions &o, const Bowl &bowl, PhantomMedium &medium) {
  const double length = inner_length(o, 0);
  const double radius = o.inclusion_radius.value_or(0.07 * length / mm) * mm;
  if (!(radius >= 0.) || !std::isfinite(radius))
    refuse("--inclusion-radius", radius / mm, "0 or more mm");
  require_positive("--inclusion-speed", o.inclusion_speed);
  require_positive("--inclusion-density", o.inclusion_density);
  const std::array<double, 3> offset =
      o.inclusion_offset.value_or(std::array{0.11 * length / mm, 0., 0.});
  Point centre{};
  for (std::size_t a = 0; a < 3; ++a) {
    centre[a] = bowl.focus[a] + offset[a] * mm;
    const double end = static_cast<double>(o.extents[a] - 1) * o.spacing * mm;
    if (!(centre[a] >= 0. && centre[a] <= end))
      refuse("--inclusion-offset", number(offset[a]) + " mm along " + std::string(1, "xyz"[a]),
             "a centre inside of the grid, from " + number(-bowl.focus[a] / mm) + " to " +
                 number((end - bowl.focus[a]) / mm) + " mm");
  }
  if (radius > 0.)
    medium.include_ball(centre, radius, Material{o.inclusion_speed, o.inclusion_density});
  return centre[0] + radius;
}

/// Returns the simulated time in s, computed with the lowest sound speed. The wave of a bowl passes
/// focus and inclusion in this time; an initial pressure leaves the space between the PMLs.
double run_time(const PhantomOptions &o, const Scene &s, double inclusion_end) {
  if (s.source.kind == SourceKind::p0) {
    double square = 0;
    for (std::size_t a = 0; a < dimensions(o); ++a)
      square += inner_length(o, a) * inner_length(o, a);
    return 0.5 * std::sqrt(square) / s.speeds.lowest;
  }
  const double apex = s.source.bowl.focus[0] - s.source.bowl.curvature;
  const double way = std::max(s.source.bowl.focus[0], inclusion_end) - apex;
  return way / s.speeds.lowest + o.cycles / s.source.frequency;
}

void add_source(const PhantomOptions &o, Scene &s) {
  const double h = s.spacing;
  s.source.kind = o.source;
  s.source.dirichlet = o.dirichlet;
  s.source.bowl = make_bowl(o);
  if (!std::isfinite(o.source_pressure) || o.source_pressure == 0.)
    refuse("--source-pressure", o.source_pressure, "a finite number of kPa that is not 0");
  s.source.pressure = o.source_pressure * 1e3;
  require_positive("--frequency", o.frequency);
  require_positive("--cycles", o.cycles);
  s.source.ball_radius = o.p0_radius.value_or(6. * o.spacing) * mm;
  if (!(s.source.ball_radius >= 2. * h * (1. - 1e-9)) || !std::isfinite(s.source.ball_radius))
    refuse("--p0-radius", s.source.ball_radius / mm,
           "at least two points, " + number(2. * h / mm) + " mm");
  if (s.source.kind == SourceKind::bowl) s.source.frequency = o.frequency * 1e6;
}

void check_wavelength(const Scene &s) {
  if (s.source.kind != SourceKind::bowl || s.points_per_wavelength() >= 2.) return;
  refuse("--frequency", number(s.source.frequency * 1e-6) + " MHz",
         "at most " + number(s.speeds.lowest / (2. * s.spacing) * 1e-6) +
             " MHz: two points per wavelength at --spacing " + number(s.spacing / mm) + " mm");
}

} // namespace

std::uint64_t Scene::points() const {
  return static_cast<std::uint64_t>(extents[0] * extents[1] * extents[2]);
}

double Scene::points_per_wavelength() const {
  return source.frequency > 0. ? speeds.lowest / (source.frequency * spacing) : 0.;
}

std::vector<std::uint64_t> Scene::sensor_points(std::int64_t z) const {
  std::vector<std::uint64_t> found;
  const std::int64_t step = sensor == SensorKind::coarse ? sensor_stride : 1;
  const std::int64_t pml_z = pml_size(2);
  if (z < pml_z || z >= extents[2] - pml_z || (z - pml_z) % step != 0) return found;
  const bool plane = sensor == SensorKind::plane && dimensions() == 3;
  const std::int64_t pml_y = pml_size(1);
  const std::int64_t first = plane ? extents[1] / 2 : pml_y;
  const std::int64_t end = plane ? first + 1 : extents[1] - pml_y;
  for (std::int64_t y = first; y < end; y += step)
    for (std::int64_t x = pml; x < extents[0] - pml; x += step)
      found.push_back(static_cast<std::uint64_t>(x + extents[0] * (y + extents[1] * z)));
  return found;
}

Scene resolve(const PhantomOptions &options, const std::optional<LabelVolume> &labels) {
  PhantomOptions o = options;
  if (labels) {
    o.extents = labels->extents;
    if (labels->spacing > 0.) o.spacing = labels->spacing / mm;
  }
  check_grid(o);
  check_physics(o);
  Scene s;
  s.extents = o.extents;
  s.spacing = o.spacing * mm;
  s.pml = o.pml;
  s.pml_alpha = o.pml_alpha;
  s.sensor = o.sensor;
  s.sensor_stride = o.sensor_stride;
  s.homogeneous = o.homogeneous;
  s.nonlinearity = o.nonlinearity;
  s.absorption = o.absorption;
  s.absorption_power = o.absorption_power;
  add_source(o, s);

  double inclusion_end = s.source.bowl.focus[0];
  if (labels) {
    s.labels = labels;
    inclusion_end = static_cast<double>(o.extents[0] - o.pml) * s.spacing;
  } else if (o.homogeneous) {
    s.medium = PhantomMedium(s.spacing, {{0., water}});
  } else {
    const double start = static_cast<double>(o.pml) * s.spacing;
    const double length = inner_length(o, 0);
    s.medium = PhantomMedium(s.spacing, {{0., water},
                                         {start + 0.30 * length, skin},
                                         {start + 0.35 * length, fat},
                                         {start + 0.50 * length, muscle}});
    inclusion_end = add_inclusion(o, s.source.bowl, s.medium);
  }
  s.speeds = labels ? labels->speeds() : s.medium.speeds(s.extents);
  check_wavelength(s);

  // The solver stores dt in single precision. The signal must be sampled with the same dt.
  s.dt = static_cast<double>(static_cast<float>(o.cfl * s.spacing / s.speeds.highest));
  const double wanted = std::ceil(run_time(o, s, inclusion_end) / s.dt);
  constexpr double most = 1e8; // maximum number of samples of a signal, which is stored in memory
  const double cycles = o.continuous ? std::numeric_limits<double>::infinity() : o.cycles;
  const double burst =
      s.source.kind == SourceKind::bowl ? cycles / (s.source.frequency * s.dt) : 0.;
  if (o.steps ? std::min(burst, static_cast<double>(*o.steps)) > most : wanted > most)
    refuse("--cycles", o.cycles, "a burst of at most 1e8 time steps");
  s.steps = o.steps.value_or(static_cast<std::int64_t>(wanted));
  if (s.source.kind == SourceKind::bowl)
    s.source.signal =
        o.continuous
            ? continuous_wave(s.source.frequency, o.cycles, s.source.pressure, s.dt, s.steps)
            : tone_burst(s.source.frequency, o.cycles, s.source.pressure, s.dt, s.steps);
  return s;
}

} // namespace hybridfft::tools::phantom
