#include "io/xdmf_text.h"

#include <bit>
#include <filesystem>

#include "io/temporary.h"

namespace hybridfft::io {

namespace {

std::string escaped(const std::string &text) {
  std::string result;
  for (const char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

} // namespace

XdmfText::XdmfText(const std::string &output)
    : file_(escaped(std::filesystem::path(output).filename().string())) {}

void XdmfText::begin() {
  line("<?xml version=\"1.0\" encoding=\"utf-8\"?>");
  open("Xdmf Version=\"3.0\"");
  open("Domain");
}

std::string XdmfText::end() {
  close("Domain");
  close("Xdmf");
  return out_.str();
}

void XdmfText::open(const std::string &tag) {
  line("<" + tag + ">");
  depth_ += 2;
}

void XdmfText::close(const std::string &tag) {
  depth_ -= 2;
  line("</" + tag + ">");
}

void XdmfText::time(double seconds) {
  std::ostringstream value;
  value.precision(12);
  value << seconds;
  line("<Time Value=\"" + value.str() + "\"/>");
}

void XdmfText::values(const std::string &dataset, const Shape &shape, std::size_t bytes) {
  // HDF5 files are written in this machine's byte order.
  const char *endian = std::endian::native == std::endian::little ? "Little" : "Big";
  line("<DataItem Dimensions=\"" + xdmf_list(shape) + "\" NumberType=\"Float\" Precision=\"" +
       std::to_string(bytes) + "\" Endian=\"" + endian + "\" Format=\"HDF\">" + file_ + ":/" +
       dataset + "</DataItem>");
}

std::string output_stem(const std::string &output) {
  std::filesystem::path path(output);
  return path.extension() == ".h5" ? path.replace_extension().string() : output;
}

std::string xdmf_path(const std::string &output) { return output_stem(output) + ".xdmf"; }

void write_xdmf(const std::string &text, const std::string &output) {
  write_file(xdmf_path(output), text);
}

} // namespace hybridfft::io
