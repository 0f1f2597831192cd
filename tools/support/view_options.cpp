#include "support/view_options.h"

#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

#include "support/view_curves.h"

namespace hybridfft::tools::view {

namespace {

void add_place(CLI::App &app, Options &o) {
  const std::string group = "What is shown";
  app.add_option("--axis", o.axis,
                 "across the picture, x, y or z (default: y, or the axis of a single plane)")
      ->check(CLI::IsMember({'x', 'y', 'z'}))
      ->group(group);
  app.add_option("--index", o.index, "of the slice along that axis, from 0 (default: the middle)")
      ->group(group);
  app.add_flag("--max-projection", o.max_projection,
               "the largest value along the axis instead of a slice")
      ->group(group);
  app.add_option("--time-step", o.time_step,
                 "row of a time series, from 0 (default: the largest value over time)")
      ->group(group);
  app.add_option("--point", o.points,
                 "sensor points, counted from 0 in the order of the mask: curves of their values "
                 "over time instead of a picture of the grid")
      ->expected(1, static_cast<int>(most_curves))
      ->group(group);
  app.add_option("--kwave-input,--mask", o.kwave_input,
                 "k-Wave input file of the simulation: sensor mask, spacings and time step, where "
                 "the file shown lacks them")
      ->group(group);
}

void add_look(CLI::App &app, Options &o) {
  const std::string group = "How it looks";
  const std::map<std::string, Palette> palettes{{"auto", Palette::automatic},
                                                {"sequential", Palette::sequential},
                                                {"diverging", Palette::diverging},
                                                {"grey", Palette::grey}};
  app.add_option("--colour-map", o.palette,
                 "auto, sequential, diverging or grey (default: auto, diverging for data of both "
                 "signs)")
      ->transform(CLI::CheckedTransformer(palettes).description("{auto,sequential,diverging,grey}"))
      ->group(group);
  app.add_option("--db", o.db_range,
                 "magnitudes in dB below the largest one shown (or --max), over this range")
      ->group(group);
  app.add_option("--min", o.lowest, "value of the first colour, in the file's unit")->group(group);
  app.add_option("--max", o.highest, "value of the last colour, in the file's unit")->group(group);
  app.add_option("--scale", o.pixels_per_point,
                 "pixels per grid point (default: for about 600 pixels along the longer side)")
      ->group(group);
  app.add_option("--title", o.title, "above the picture (default: dataset and place)")
      ->group(group);
}

template <class Value>
[[noreturn]] void refuse(const std::string &option, const Value &found,
                         const std::string &expected) {
  std::ostringstream text;
  text << option << ": found " << found << ", expected " << expected;
  throw std::invalid_argument(text.str());
}

/// Options that say nothing about curves.
void check_curves(const Options &o) {
  const std::string expected = "no such option together with --point";
  for (const std::int64_t point : o.points)
    if (point < 0) refuse("--point", point, "0 or more");
  if (o.axis) refuse("--axis", *o.axis, expected);
  if (o.index) refuse("--index", *o.index, expected);
  if (o.max_projection) refuse("--max-projection", "it", expected);
  if (o.time_step) refuse("--time-step", *o.time_step, expected);
  if (o.db_range) refuse("--db", *o.db_range, expected);
  if (o.pixels_per_point) refuse("--scale", *o.pixels_per_point, expected);
  if (o.palette != Palette::automatic) refuse("--colour-map", "one", expected);
}

} // namespace

void add_options(CLI::App &app, Options &options) {
  app.add_option("-i,--input", options.input, "HDF5 file")->required();
  app.add_option("-d,--dataset", options.dataset, "to show")->required();
  app.add_option("-o,--output", options.output, "PNG file to write")->required();
  add_place(app, options);
  add_look(app, options);
}

void check(const Options &o) {
  if (!o.points.empty()) check_curves(o);
  if (o.index && *o.index < 0) refuse("--index", *o.index, "0 or more");
  if (o.index && o.max_projection)
    refuse("--index", *o.index, "no index together with --max-projection");
  if (o.time_step && *o.time_step < 0) refuse("--time-step", *o.time_step, "0 or more");
  if (o.db_range && !(*o.db_range > 0. && std::isfinite(*o.db_range)))
    refuse("--db", *o.db_range, "a range above 0 dB");
  if (o.db_range && o.lowest)
    refuse("--min", *o.lowest, "no lowest value together with --db, whose range says it");
  if (o.db_range && o.highest && !(*o.highest > 0.))
    refuse("--max", *o.highest, "a value above 0 together with --db");
  if (o.lowest && !std::isfinite(*o.lowest)) refuse("--min", *o.lowest, "a finite number");
  if (o.highest && !std::isfinite(*o.highest)) refuse("--max", *o.highest, "a finite number");
  if (o.lowest && o.highest && !(*o.lowest < *o.highest))
    refuse("--min", *o.lowest, "less than --max");
  if (o.pixels_per_point && (*o.pixels_per_point < 1 || *o.pixels_per_point > 64))
    refuse("--scale", *o.pixels_per_point, "1 to 64 pixels per point");
}

} // namespace hybridfft::tools::view
