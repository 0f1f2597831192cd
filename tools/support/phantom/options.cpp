// Declares the options of hybridfft-phantom.
#include "support/phantom/options.h"

#include <map>

#include "support/cli_options.h"

namespace hybridfft::tools::phantom {

namespace {

template <class T> CLI::Option *shown(CLI::App &app, const char *name, T &value, const char *text) {
  return app.add_option(name, value, text)->capture_default_str();
}

void add_grid(CLI::App &app, PhantomOptions &o) {
  const std::string group = "Grid";
  add_list<std::int64_t>(
      app, "--extents", {.least = 1, .most = 3, .min_value = 1, .example = "128x128x128"},
      [&o](const auto &n) {
        o.extents = {n[0], n.size() > 1 ? n[1] : 1, n.size() > 2 ? n[2] : 1};
      },
      "grid points Nx Ny Nz, PML included; Nx Ny alone, or an Nz of 1, for two dimensions; Nx "
      "alone for one")
      ->default_str("128x128x128")
      ->group(group);
  shown(app, "--spacing", o.spacing, "distance of grid points, mm")->group(group);
  shown(app, "--pml", o.pml, "thickness of the absorbing layer, points per side")->group(group);
  shown(app, "--pml-alpha", o.pml_alpha, "absorption of that layer, Np per point")->group(group);
  shown(app, "--cfl", o.cfl, "time step times largest speed over spacing")->group(group);
  app.add_option("--steps", o.steps,
                 "time steps (default: until the wave has passed focus and inclusion)")
      ->group(group);
}

void add_source(CLI::App &app, PhantomOptions &o) {
  const std::string group = "Source";
  const std::map<std::string, SourceKind> kinds{{"bowl", SourceKind::bowl}, {"p0", SourceKind::p0}};
  add_choice(app, "--source", o.source, kinds,
             "bowl: focused bowl driven by a tone burst; p0: ball of initial pressure at the "
             "focus (default: bowl)")
      ->group(group);
  shown(app, "--frequency", o.frequency, "of the tone burst, MHz")->group(group);
  shown(app, "--cycles", o.cycles, "periods of the tone burst")->group(group);
  app.add_flag("--continuous", o.continuous,
               "the source rises for half of --cycles and goes on to the last time step")
      ->group(group);
  shown(app, "--source-pressure", o.source_pressure, "amplitude of the source, kPa")->group(group);
  app.add_flag("--dirichlet", o.dirichlet,
               "the bowl enforces its pressure instead of adding to the wave")
      ->group(group);
  app.add_option("--curvature", o.curvature,
                 "radius of curvature of the bowl, mm (default: 0.65 of the inner length along x)")
      ->group(group);
  app.add_option("--aperture", o.aperture,
                 "diameter of the bowl's rim, mm (default: 0.8 of the inner width, at most 1.5 "
                 "radii of curvature)")
      ->group(group);
  app.add_option("--p0-radius", o.p0_radius, "of the ball, mm (default: 6 points)")->group(group);
}

void add_medium(CLI::App &app, PhantomOptions &o) {
  const std::string group = "Medium";
  app.add_option("--labels", o.labels,
                 "HDF5 file with the medium: labels of the points, [Nz][Ny][Nx], and tissues, rows "
                 "of label, speed of sound (m/s), density (kg/m^3)[, absorption, nonlinearity]; h, "
                 "the spacing in m, replaces --spacing")
      ->group(group);
  add_choice(app, "--edges", o.edges,
             std::map<std::string, Edges>{{"sharp", Edges::sharp}, {"smooth", Edges::smooth}},
             "of labels: sharp between points, or smooth by level sets (default: smooth)")
      ->group(group);
  shown(app, "--edge-width", o.edge_width, "of smooth edges, points on each side")->group(group);
  app.add_flag("--homogeneous", o.homogeneous, "water only, without layers and inclusion")
      ->group(group);
  shown(app, "--nonlinearity", o.nonlinearity, "B/A everywhere; 0: linear")->group(group);
  shown(app, "--absorption", o.absorption, "everywhere, dB/(MHz^y cm); 0: none")->group(group);
  shown(app, "--absorption-power", o.absorption_power, "y, the power of the frequency")
      ->group(group);
  app.add_option("--inclusion-radius", o.inclusion_radius,
                 "of the spherical inclusion, mm; 0 for none (default: 0.07 of the inner length "
                 "along x)")
      ->group(group);
  shown(app, "--inclusion-speed", o.inclusion_speed, "speed of sound in it, m/s")->group(group);
  shown(app, "--inclusion-density", o.inclusion_density, "its density, kg/m^3")->group(group);
  add_list<double>(
      app, "--inclusion-offset", {.least = 2, .most = 3, .example = "5,0,0"},
      [&o](const auto &offset) {
        o.inclusion_offset = {offset[0], offset[1], offset.size() == 3 ? offset[2] : 0.};
      },
      "of its centre from the focus along x y z, mm (default: 0.11 of the inner length along x, 0 "
      "0)")
      ->group(group);
}

void add_sensor(CLI::App &app, PhantomOptions &o) {
  const std::string group = "Sensor";
  const std::map<std::string, SensorKind> kinds{
      {"plane", SensorKind::plane}, {"coarse", SensorKind::coarse}, {"all", SensorKind::all}};
  add_choice(
      app, "--sensor", o.sensor, kinds,
      "points that record, PML left out: plane (y = middle, through the focus; in fewer "
      "dimensions all), coarse (every stride-th point along each axis), all (default: plane)")
      ->group(group);
  shown(app, "--sensor-stride", o.sensor_stride, "of the coarse sensor, points")->group(group);
}

} // namespace

void add_options(CLI::App &app, PhantomOptions &options) {
  app.add_option("-o,--output", options.output, "k-Wave input file to write")->required();
  add_grid(app, options);
  add_source(app, options);
  add_medium(app, options);
  for (const char *other :
       {"--extents", "--homogeneous", "--inclusion-radius", "--nonlinearity", "--absorption"})
    app.get_option("--labels")->excludes(other);
  add_sensor(app, options);
}

} // namespace hybridfft::tools::phantom
