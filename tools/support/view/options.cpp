#include "support/view/options.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>

#include "support/cli_options.h"
#include "support/view/curves.h"

namespace hybridfft::tools::view {

namespace {

void add_place(CLI::App &app, Options &o) {
  const std::string group = "What is shown";
  app.add_option("--axis", o.axis,
                 "across the picture, x, y or z (default: y, or the axis of a single plane)")
      ->check(one_of({"x", "y", "z"}))
      ->type_name("{x,y,z}")
      ->group(group);
  app.add_option("--index", o.index, "of the slice along that axis, from 0 (default: the middle)")
      ->group(group);
  app.add_flag("--max-projection", o.max_projection,
               "the largest value along the axis instead of a slice")
      ->group(group);
  app.add_option("--time-step", o.time_step,
                 "row of a time series, from 0 (default: the largest value over time)")
      ->group(group);
  add_list<std::int64_t>(
      app, "--point",
      {.least = 1, .most = static_cast<int>(most_curves), .least_value = 0, .example = "0,20,40"},
      [&o](const auto &points) { o.points = points; },
      "sensor points, counted from 0 in the order of the mask: curves of their values over time "
      "instead of a picture of the grid")
      ->group(group);
  app.add_option("--frames", o.frames,
                 "an animation of so many frames, evenly spread over the rows of a time series: a "
                 "PNG file that browsers play (APNG)")
      ->group(group);
  app.add_option("--frame-duration", o.frame_duration, "of an animation, ms")
      ->default_str("80")
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
  const std::map<std::string, Interpolation> interpolations{{"smooth", Interpolation::smooth},
                                                            {"nearest", Interpolation::nearest}};
  add_choice(app, "--colour-map", o.palette, palettes,
             "default: auto, diverging for data of both signs")
      ->group(group);
  add_choice(app, "--interpolation", o.interpolation, interpolations,
             "between grid points; nearest shows each of them as a rectangle (default: smooth)")
      ->group(group);
  app.add_flag("--no-marks", o.no_marks,
               "leave out the edge of the PML, sources and borders of materials, which the file or "
               "that of --kwave-input tells")
      ->group(group);
  app.add_option("--note", o.notes,
                 "a text in the picture, its middle at the place X,Y in the units of the axes; may "
                 "be given several times")
      ->type_name("X,Y,TEXT")
      ->expected(1)
      ->take_all()
      ->group(group);
  app.add_option("--caption", o.captions, "a line below the picture; may be given several times")
      ->expected(1)
      ->take_all()
      ->group(group);
  app.add_option("--db", o.db_range,
                 "magnitudes in dB below the largest one shown (or --max), over this range")
      ->group(group);
  app.add_option("--min", o.lowest, "value of the first colour, in the file's unit")->group(group);
  app.add_option("--max", o.highest, "value of the last colour, in the file's unit")->group(group);
  app.add_option("--scale", o.pixels_per_point,
                 "pixels per grid point (default: for about 800 pixels along the longer side)")
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

/// -d may be missing: an error then lists the file's datasets.
void check_output(const Options &o) {
  if (o.output.empty()) refuse("-o", "none", "the PNG file to write, such as -o picture.png");
  std::string extension = std::filesystem::path(o.output).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension != ".png")
    refuse("-o", "'" + o.output + "'", "the name of a PNG file, which ends in .png");
}

/// Refuses options that do not apply to curves.
void check_curves(const Options &o) {
  const std::string expected = "no such option together with --point";
  if (o.axis) refuse("--axis", *o.axis, expected);
  if (o.index) refuse("--index", *o.index, expected);
  if (o.max_projection) refuse("--max-projection", "it", expected);
  if (o.time_step) refuse("--time-step", *o.time_step, expected);
  if (o.db_range) refuse("--db", *o.db_range, expected);
  if (o.pixels_per_point) refuse("--scale", *o.pixels_per_point, expected);
  if (o.palette != Palette::automatic) refuse("--colour-map", "one", expected);
  if (o.frames) refuse("--frames", *o.frames, expected);
  if (!o.notes.empty()) refuse("--note", o.notes.front(), expected);
  if (!o.captions.empty()) refuse("--caption", "'" + o.captions.front() + "'", expected);
  if (o.no_marks) refuse("--no-marks", "it", expected);
  if (o.interpolation) refuse("--interpolation", "one", expected);
}

} // namespace

void add_options(CLI::App &app, Options &options) {
  app.add_option("-i,--input", options.input, "HDF5 file")->required();
  app.add_option("-d,--dataset", options.dataset, "to show");
  app.add_option("-o,--output", options.output, "PNG file to write");
  app.add_flag("--list", options.list, "tell the datasets of the input file and their shapes");
  add_place(app, options);
  add_look(app, options);
}

std::vector<Note> notes_of(const Options &o) {
  std::vector<Note> notes;
  for (const std::string &text : o.notes) {
    std::istringstream in(text);
    Note note;
    char first = 0;
    char second = 0;
    if (!(in >> note.x >> first >> note.y >> second && first == ',' && second == ',' &&
          std::getline(in, note.text)))
      refuse("--note", "'" + text + "'", "X,Y,TEXT such as 32.5,20,focus");
    notes.push_back(note);
  }
  return notes;
}

void check(const Options &o) {
  if (o.list) return;
  if (!o.dataset.empty()) check_output(o);
  notes_of(o);
  if (o.frames && (*o.frames < 2 || *o.frames > 1000))
    refuse("--frames", *o.frames, "2 to 1000 of them");
  if (o.frames && o.time_step)
    refuse("--time-step", *o.time_step, "no time step together with --frames");
  if (o.frame_duration && (*o.frame_duration < 1 || *o.frame_duration > 65535))
    refuse("--frame-duration", *o.frame_duration, "1 to 65535 ms");
  if (o.frame_duration && !o.frames)
    refuse("--frame-duration", *o.frame_duration, "no duration without --frames");
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
