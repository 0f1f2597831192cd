/// Descriptions of HDF5 files in XDMF, for ParaView and VisIt.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace hybridfft::io {

/// "4 5 6"
template <class Range> std::string xdmf_list(const Range &values) {
  std::ostringstream text;
  text.precision(12);
  for (auto v = values.begin(); v != values.end(); ++v)
    text << (v == values.begin() ? "" : " ") << *v;
  return text.str();
}

/// XML of version 3 about one file. Values stay in the file, which is named without its folder: the
/// two can be moved together.
class XdmfText {
public:
  /// \param output the file that is described
  explicit XdmfText(const std::string &output);

  /// Writes the head; line(), open() and close() write an element, or its tags, indented.
  void begin();
  void line(const std::string &content) { out_ << std::string(depth_, ' ') << content << '\n'; }
  void open(const std::string &tag);
  void close(const std::string &tag);
  /// The time of a grid.
  void time(double seconds);
  /// A list of numbers, within the text.
  template <class Range> void numbers(const Range &values) {
    line("<DataItem Dimensions=\"" + std::to_string(values.size()) +
         "\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">" + xdmf_list(values) +
         "</DataItem>");
  }
  /// A dataset of reals of so many bytes, in the order of this machine.
  void values(const std::string &dataset, const Shape &shape, std::size_t bytes);
  /// Closes the elements of begin(), and returns the whole text.
  std::string end();

private:
  std::string file_;
  std::ostringstream out_;
  std::size_t depth_ = 0;
};

/// OUTPUT.h5 is described by OUTPUT.xdmf, any other name by NAME.xdmf.
std::string xdmf_path(const std::string &output);

/// Writes a description of `output` to its place. Throws IoError. On one rank.
void write_xdmf(const std::string &text, const std::string &output);

} // namespace hybridfft::io
