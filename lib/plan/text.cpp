#include "plan/text.h"

#include <algorithm>

namespace hybridfft::plan {

std::string joined(const std::vector<std::ptrdiff_t> &n) {
  std::string text;
  for (const std::ptrdiff_t i : n)
    text += (text.empty() ? "" : "x") + std::to_string(i);
  return text;
}

std::string indented(const std::string &lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    text += "  " + lines.substr(at, end - at);
    at = end;
  }
  return text;
}

} // namespace hybridfft::plan
