// Draws problems by the decisions of random_cases.h, so that every rank draws the same problem.
#include "verifier/random_problem.h"

#include <algorithm>
#include <array>

#include "verifier/random_cases.h"

namespace hybridfft::verifier {

namespace {

/// Returns 0, the default, or a random block size that is large enough for n points on the ranks.
std::ptrdiff_t block(RandomCases &random, std::ptrdiff_t n, int ranks) {
  const std::ptrdiff_t smallest = (n + ranks - 1) / ranks;
  return random.one_in(2) ? 0 : smallest + random.below(n - smallest + 2);
}

} // namespace

Problem random_problem(const Sweep &sweep, std::uint64_t index) {
  RandomCases random(mix(sweep.seed, index));
  Problem p;
  const std::ptrdiff_t kind = random.below(4);
  p.kind = kind == 0 ? Kind::r2c : kind == 1 ? Kind::c2r : Kind::c2c;
  p.direction = kind % 2 == 0 ? Direction::forward : Direction::backward;
  p.in_place = random.one_in(2);
  p.single = random.one_in(2);
  p.transposed_in = random.one_in(3);
  p.transposed_out = random.one_in(3);
  p.howmany = random.one_in(3) ? 1 + random.below(5) : 1;

  constexpr std::array<std::size_t, 8> dimensions{2, 2, 3, 3, 3, 3, 4, 5};
  const std::size_t d = dimensions[static_cast<std::size_t>(random.below(8))];
  std::ptrdiff_t room = std::max<std::ptrdiff_t>(sweep.max_values / p.howmany, 1);
  for (std::size_t i = 0; i < d; ++i) {
    p.extents.push_back(random.extent(room));
    room = std::max<std::ptrdiff_t>(room / p.extents.back(), 1);
  }
  // The first extents had the largest limits. The rotation lets any axis be the longest.
  std::rotate(p.extents.begin(), p.extents.begin() + random.below(static_cast<std::ptrdiff_t>(d)),
              p.extents.end());
  if (!supported(p)) (p.kind == Kind::r2c ? p.transposed_in : p.transposed_out) = false;

  if (random.one_in(3)) {
    const std::vector<std::ptrdiff_t> n = complex_extents(p);
    p.block_in = block(random, n[p.transposed_in ? 1 : 0], sweep.ranks);
    p.block_out = block(random, n[p.transposed_out ? 1 : 0], sweep.ranks);
  }
  if (sweep.max_threads > 1) p.threads = 1 + static_cast<int>(random.below(sweep.max_threads));
  p.deterministic = random.one_in(3);
  return p;
}

} // namespace hybridfft::verifier
