#include "base/compact_list.h"

namespace hybridfft {

std::string compact_list(const std::vector<int> &numbers) {
  if (numbers.empty()) return "none";
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(numbers[first]);
    if (last > first) text += "-" + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

} // namespace hybridfft
