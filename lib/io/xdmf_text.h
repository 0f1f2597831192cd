/// Writes XDMF descriptions of HDF5 files, which ParaView and VisIt open.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace hybridfft::io {

/// Formats "0.25", "1500", "1e-07": up to nine digits.
inline std::string number_text(double value) {
  std::ostringstream stream;
  stream.precision(9);
  stream << value;
  return stream.str();
}

/// Formats numbers as "4 5 6".
template <class Range> std::string xdmf_list(const Range &values) {
  std::ostringstream text;
  text.precision(12);
  for (auto v = values.begin(); v != values.end(); ++v)
    text << (v == values.begin() ? "" : " ") << *v;
  return text.str();
}

/// An XDMF text (XML, version 3) about one HDF5 file. The values stay in the HDF5 file. The text
/// names it without its folder, so both files can be moved together.
class XdmfText {
public:
  /// \param output path of the described file
  explicit XdmfText(const std::string &output);

  /// begin() writes the beginning of the document, line() an indented line. open() and close()
  /// write the start tag and the end tag of an element.
  void begin();
  void line(const std::string &content) { out_ << std::string(depth_, ' ') << content << '\n'; }
  void open(const std::string &tag);
  void close(const std::string &tag);
  /// Writes the time of a grid.
  void time(double seconds);
  /// Writes an element with a list of numbers.
  template <class Range> void numbers(const Range &values) {
    line("<DataItem Dimensions=\"" + std::to_string(values.size()) +
         "\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">" + xdmf_list(values) +
         "</DataItem>");
  }
  /// Writes a reference to a dataset of reals of `bytes` bytes each, in this machine's byte order.
  void values(const std::string &dataset, const Shape &shape, std::size_t bytes);
  /// Closes the elements that begin() opened and returns the whole text.
  std::string end();

private:
  std::string file_;
  std::ostringstream out_;
  std::size_t depth_ = 0;
};

/// Returns OUTPUT for OUTPUT.h5; other names are unchanged.
std::string output_stem(const std::string &output);

/// Returns the name of the description: OUTPUT.xdmf for OUTPUT.h5, NAME.xdmf for any other NAME.
std::string xdmf_path(const std::string &output);

/// Writes the description of `output`. Called on one rank.
/// \throws IoError
void write_xdmf(const std::string &text, const std::string &output);

} // namespace hybridfft::io
