/// hybridfft-phantom: writes k-Wave input files of simple tissue models, for demonstrations and
/// large tests.

#include <cstdio>
#include <filesystem>
#include <optional>

#include <CLI/CLI.hpp>

#include "base/mpi.h"
#include "support/bytes_text.h"
#include "support/mpi_main.h"
#include "support/phantom/file.h"
#include "support/phantom/options.h"
#include "support/phantom/scene.h"
#include "support/version_text.h"

namespace {

using namespace hybridfft::tools;

void print_source(const phantom::Scene &s, const phantom::Written &written) {
  const phantom::WaveSource &source = s.source;
  const double to_mm = 1e3;
  if (source.kind == phantom::SourceKind::p0) {
    std::printf("source               initial pressure of %g kPa in a ball of %g mm\n",
                source.pressure * 1e-3, source.ball_radius * to_mm);
  } else {
    std::printf("source               bowl of radius %.4g mm and aperture %.4g mm, %llu points\n",
                source.bowl.curvature * to_mm, source.bowl.aperture * to_mm,
                static_cast<unsigned long long>(written.source_points));
    std::printf("signal               %g MHz, %zu steps, %g kPa, %s\n", source.frequency * 1e-6,
                source.signal.size(), source.pressure * 1e-3,
                source.dirichlet ? "enforced" : "added");
    std::printf("points / wavelength  %.3g where sound is slowest\n", s.points_per_wavelength());
  }
  std::printf("focus                %.4g %.4g %.4g mm from the first grid point\n",
              source.bowl.focus[0] * to_mm, source.bowl.focus[1] * to_mm,
              source.bowl.focus[2] * to_mm);
}

void print_summary(const phantom::Scene &s, const phantom::Written &written,
                   const std::string &path) {
  const double side = s.spacing * 1e3;
  std::string points;
  std::string lengths;
  for (std::size_t a = 0; a < static_cast<std::size_t>(s.dimensions()); ++a) {
    char length[32];
    std::snprintf(length, sizeof length, "%.4g", static_cast<double>(s.extents[a]) * side);
    points += (a == 0 ? "" : " x ") + std::to_string(s.extents[a]);
    lengths += (a == 0 ? "" : " x ") + std::string(length);
  }
  std::printf("grid                 %s points of %g mm, %s mm\n", points.c_str(), side,
              lengths.c_str());
  std::printf("PML                  %lld points on each side\n", static_cast<long long>(s.pml));
  std::printf("speed of sound       %g to %g m/s\n", s.speeds.lowest, s.speeds.highest);
  std::printf("time                 %lld steps of %.4g ns (CFL %.3g), %.4g µs\n",
              static_cast<long long>(s.steps), s.dt * 1e9, s.dt * s.speeds.highest / s.spacing,
              static_cast<double>(s.steps) * s.dt * 1e6);
  print_source(s, written);
  std::printf("sensor               %llu points\n",
              static_cast<unsigned long long>(written.sensor_points));
  std::printf("file                 %s\n", path.c_str());
  std::printf("file size            %s\n",
              bytes_text(static_cast<double>(std::filesystem::file_size(path))).c_str());
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app(
      "Writes a k-Wave input file (HDF5, format 1.2): a focused bowl in water sends a tone "
      "burst along x into layers of skin, fat and muscle with a spherical inclusion, or into the "
      "tissues of a volume of labels; all of that also in two dimensions.",
      "hybridfft-phantom");
  app.set_version_flag("--version", version_text("hybridfft-phantom"));
  phantom::PhantomOptions options;
  phantom::add_options(app, options);
  return run(argc, argv, app, [&](MPI_Comm comm) {
    std::optional<phantom::LabelVolume> labels;
    if (!options.labels.empty()) labels = phantom::read_label_volume(options, comm);
    const phantom::Scene scene = phantom::resolve(options, labels);
    const phantom::Written written = phantom::write_file(scene, options.output, comm);
    if (hybridfft::mpi::rank(comm) == 0) print_summary(scene, written, options.output);
    return 0;
  });
}
