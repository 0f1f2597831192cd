#include "solvers/elastic/sweep.h"

#include <algorithm>

namespace hybridfft::elastic {

Index rows_of_tile(Index length, std::size_t bytes, Index arrays) {
  constexpr Index cache = Index{512} << 10, least = 8;
  return std::max(least, cache / (arrays * std::max<Index>(length, 1) * static_cast<Index>(bytes)));
}

} // namespace hybridfft::elastic
