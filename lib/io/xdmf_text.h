/// Writes descriptions of HDF5 files in XDMF, for ParaView and VisIt.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace hybridfft::io {

/// Formats "4 5 6".
template <class Range> std::string xdmf_list(const Range &values) {
  std::ostringstream text;
  text.precision(12);
  for (auto v = values.begin(); v != values.end(); ++v)
    text << (v == values.begin() ? "" : " ") << *v;
  return text.str();
}

/// XML text, version 3, about one HDF5 file. The values stay in the file. The text names the file
/// without its folder, so both can be moved together.
class XdmfText {
public:
  /// \param output path of the described file
  explicit XdmfText(const std::string &output);

  /// Writes the head of the document. line(), open() and close() write an element or its tags,
  /// indented.
  void begin();
  void line(const std::string &content) { out_ << std::string(depth_, ' ') << content << '\n'; }
  void open(const std::string &tag);
  void close(const std::string &tag);
  /// Writes the time of a grid.
  void time(double seconds);
  /// Writes a list of numbers into the text.
  template <class Range> void numbers(const Range &values) {
    line("<DataItem Dimensions=\"" + std::to_string(values.size()) +
         "\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">" + xdmf_list(values) +
         "</DataItem>");
  }
  /// Writes a reference to a dataset of real numbers with `bytes` bytes each, in this machine's
  /// byte order.
  void values(const std::string &dataset, const Shape &shape, std::size_t bytes);
  /// Closes the elements of begin(), and returns the whole text.
  std::string end();

private:
  std::string file_;
  std::ostringstream out_;
  std::size_t depth_ = 0;
};

/// Returns OUTPUT for OUTPUT.h5, and NAME for any other NAME.
std::string output_stem(const std::string &output);

/// Returns the name of the description: OUTPUT.xdmf for OUTPUT.h5, NAME.xdmf for any other NAME.
std::string xdmf_path(const std::string &output);

/// Writes the description of `output`. Called on one rank.
/// \throws IoError
void write_xdmf(const std::string &text, const std::string &output);

} // namespace hybridfft::io
