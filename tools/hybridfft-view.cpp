/// hybridfft-view: pictures of datasets.

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include "base/mpi.h"
#include "base/printable.h"
#include "io/hdf5.h"
#include "io/image.h"
#include "support/mpi_main.h"
#include "support/other_file.h"
#include "support/version_text.h"
#include "support/view/animation.h"
#include "support/view/curves.h"
#include "support/view/dataset.h"
#include "support/view/figure.h"
#include "support/view/marks.h"
#include "support/view/options.h"
#include "support/view/plane.h"
#include "support/view/scale.h"
#include "support/view/series.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools;

void print_range(const view::Options &options, const view::Scale &scale) {
  const double factor = scale.in_db ? 1. : scale.unit.factor;
  const std::string unit = scale.in_db ? "dB" : scale.unit.name;
  std::printf("%s from %.4g to %.4g%s%s\n", printable(options.dataset).c_str(),
              scale.lowest * factor, scale.highest * factor, unit.empty() ? "" : " ", unit.c_str());
}

void draw_plane(const io::File &file, const io::File &other, const view::Options &options) {
  const view::Plane plane = view::read_plane(file, other, options);
  const view::Scale scale = view::make_scale(plane, options);
  view::Remarks remarks{
      options.title.value_or(options.dataset + (plane.place.empty() ? "" : ", " + plane.place)),
      {},
      view::notes_of(options),
      options.captions};
  if (!options.no_marks) remarks.marks = view::find_marks(file, other, plane, options.dataset);
  const view::Frame frame = view::lay_out(plane, options.pixels_per_point, remarks);
  io::write_png(view::draw_figure(plane, scale, frame, remarks,
                                  options.interpolation.value_or(view::Interpolation::smooth)),
                options.output);
  std::printf("%s: %zu x %zu pixels, %s, ", printable(options.output).c_str(), frame.width,
              frame.height, printable(remarks.title).c_str());
  print_range(options, scale);
}

void draw_frames(const io::File &file, const io::File &other, const view::Options &options) {
  const view::Animation a = view::draw_animation(file, other, options);
  std::printf("%s: %zu frames of %zu x %zu pixels, %s to %s, ", printable(options.output).c_str(),
              a.frames, a.width, a.height, a.first.c_str(), a.last.c_str());
  print_range(options, a.scale);
}

void draw_series(const io::File &file, const io::File &other, const view::Options &options) {
  const view::Series series = view::read_series(file, other, options);
  const view::CurveFrame frame = view::lay_out(series, options);
  const std::string title = options.title.value_or(
      series.curves.size() == 1
          ? options.dataset + " at " + series.curves.front().place
          : options.dataset + " at " + std::to_string(series.curves.size()) + " points");
  io::write_png(view::draw_curves(series, frame, title), options.output);
  std::printf("%s: %zu x %zu pixels, %s, %s from %.4g to %.4g\n", printable(options.output).c_str(),
              frame.width, frame.height, printable(title).c_str(), frame.time.name.c_str(),
              frame.time.low, frame.time.high);
}

/// Prints the datasets with --list; without a dataset in the options throws an error that lists
/// them.
void list(const view::Options &options) {
  const io::File file = io::File::open(options.input, MPI_COMM_SELF);
  std::string table = view::dataset_table(file);
  if (options.list) {
    std::printf("%s\n%s", printable(options.input).c_str(), table.c_str());
    return;
  }
  table.pop_back();
  throw std::invalid_argument("-d: found none, expected one of the datasets of " + options.input +
                              "\n" + table);
}

void draw(const view::Options &options) {
  require_other_file(options.output, options.input, "the input file");
  require_other_file(options.output, options.kwave_input, "the file of --kwave-input");
  const io::File file = io::File::open(options.input, MPI_COMM_SELF);
  std::optional<io::File> other;
  if (!options.kwave_input.empty()) other = io::File::open(options.kwave_input, MPI_COMM_SELF);
  if (!options.points.empty())
    draw_series(file, other ? *other : file, options);
  else if (options.frames)
    draw_frames(file, other ? *other : file, options);
  else
    draw_plane(file, other ? *other : file, options);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app(
      "Draws a dataset of an HDF5 file as PNG: a slice or a maximum projection with axes "
      "and a colour bar, an animation, or values over time at sensor points; knows k-Wave's "
      "files.",
      "hybridfft-view");
  app.set_version_flag("--version", version_text("hybridfft-view"));
  view::Options options;
  view::add_options(app, options);
  return run(argc, argv, app, [&](MPI_Comm comm) {
    // One picture is one rank's work; the others wait to fail or to succeed with it.
    mpi::all_or_none(comm, [&] {
      view::check(options);
      if (mpi::rank(comm) == 0)
        options.list || options.dataset.empty() ? list(options) : draw(options);
    });
    return 0;
  });
}
