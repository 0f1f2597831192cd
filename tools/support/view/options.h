/// The options of hybridfft-view.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hybridfft::tools::view {

enum class Palette { automatic, sequential, diverging, grey };
enum class Interpolation { smooth, nearest };

/// A text in the picture, its middle at a place in the units of the axes.
struct Note {
  double x = 0.;
  double y = 0.;
  std::string text;
};

struct Options {
  bool list = false; ///< list the datasets of the input file instead of drawing one
  std::string input;
  std::string dataset;
  std::string output;
  std::string
      kwave_input; ///< file of the simulation, for data that the input file lacks; may be empty

  std::optional<char> axis;          ///< x, y or z, across the picture
  std::optional<std::int64_t> index; ///< along that axis, from 0
  bool max_projection = false;
  std::optional<std::int64_t> time_step; ///< row of a time series, from 0
  std::vector<std::int64_t> points;      ///< sensor points whose time series are shown, from 0

  std::optional<std::int64_t> frames;         ///< frames of an animation of a time series
  std::optional<std::int64_t> frame_duration; ///< ms; 80 without

  Palette palette = Palette::automatic;
  std::optional<Interpolation> interpolation; ///< smooth without
  bool no_marks = false;
  std::vector<std::string> notes;    ///< "X,Y,TEXT" each
  std::vector<std::string> captions; ///< lines below the picture
  std::optional<double> db_range;    ///< dB
  std::optional<double> lowest;      ///< in the unit of the file
  std::optional<double> highest;
  std::optional<std::int64_t> pixels_per_point;
  std::optional<std::string> title;
};

/// Declares the options above on `app`.
void add_options(CLI::App &app, Options &options);

/// Throws std::invalid_argument naming the option, the value found and the value expected, if that
/// can be checked without the file.
void check(const Options &options);

/// The notes of --note. Throws std::invalid_argument.
std::vector<Note> notes_of(const Options &options);

} // namespace hybridfft::tools::view
