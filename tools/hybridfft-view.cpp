/// hybridfft-view: pictures of datasets.

#include <cstdio>
#include <optional>

#include "base/mpi.h"
#include "io/hdf5.h"
#include "io/image.h"
#include "support/mpi_main.h"
#include "support/other_file.h"
#include "support/version_text.h"
#include "support/view_curves.h"
#include "support/view_figure.h"
#include "support/view_options.h"
#include "support/view_plane.h"
#include "support/view_scale.h"
#include "support/view_series.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools;

void draw_plane(const io::File &file, const io::File &other, const view::Options &options) {
  const view::Plane plane = view::read_plane(file, other, options);
  const view::Scale scale = view::make_scale(plane, options);
  const view::Frame frame = view::lay_out(plane, options.pixels_per_point);
  const std::string title =
      options.title.value_or(options.dataset + (plane.place.empty() ? "" : ", " + plane.place));
  io::write_png(view::draw_figure(plane, scale, frame, title), options.output);
  std::printf("%s: %zu x %zu pixels, %s, %s from %.4g to %.4g%s%s\n", options.output.c_str(),
              frame.width, frame.height, title.c_str(), options.dataset.c_str(),
              scale.lowest * (scale.in_db ? 1. : scale.unit.factor),
              scale.highest * (scale.in_db ? 1. : scale.unit.factor),
              scale.in_db || !scale.unit.name.empty() ? " " : "",
              scale.in_db ? "dB" : scale.unit.name.c_str());
}

void draw_series(const io::File &file, const io::File &other, const view::Options &options) {
  const view::Series series = view::read_series(file, other, options);
  const view::CurveFrame frame = view::lay_out(series, options);
  const std::string title = options.title.value_or(
      series.curves.size() == 1
          ? options.dataset + " at " + series.curves.front().place
          : options.dataset + " at " + std::to_string(series.curves.size()) + " points");
  io::write_png(view::draw_curves(series, frame, title), options.output);
  std::printf("%s: %zu x %zu pixels, %s, %s from %.4g to %.4g\n", options.output.c_str(),
              frame.width, frame.height, title.c_str(), frame.time.name.c_str(), frame.time.low,
              frame.time.high);
}

void draw(const view::Options &options) {
  require_other_file(options.output, options.input, "the input file");
  require_other_file(options.output, options.kwave_input, "the file of --kwave-input");
  const io::File file = io::File::open(options.input, MPI_COMM_SELF);
  std::optional<io::File> other;
  if (!options.kwave_input.empty()) other = io::File::open(options.kwave_input, MPI_COMM_SELF);
  if (options.points.empty())
    draw_plane(file, other ? *other : file, options);
  else
    draw_series(file, other ? *other : file, options);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Draws a dataset of an HDF5 file as PNG: a slice or a maximum projection with axes "
               "and a colour bar, or values over time at sensor points; knows k-Wave's files.",
               "hybridfft-view");
  app.set_version_flag("--version", version_text("hybridfft-view"));
  view::Options options;
  view::add_options(app, options);
  return run(argc, argv, app, [&](MPI_Comm comm) {
    // One picture is one rank's work; the others wait to fail or to succeed with it.
    mpi::all_or_none(comm, [&] {
      view::check(options);
      if (mpi::rank(comm) == 0) draw(options);
    });
    return 0;
  });
}
