#include "plan/slab_pair.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.h"

namespace hybridfft::plan {

namespace {

/// How FFTW's interface says a layout; nothing where it cannot.
struct Slab {
  bool transposed = false;
  std::ptrdiff_t block = 0;
};

std::optional<Slab> as_slab(const Layout &l, std::ptrdiff_t last_padding) {
  const Extents n = l.extents();
  const Slab s{l.axes().front().axis == 1, l.axes().front().distribution.block()};
  if (l.axes().front().axis > 1 || l.parts(l.axes().front().axis) != l.ranks()) return std::nullopt;
  if (l != Layout::slab(n, l.ranks(), {s.transposed, s.block, l.howmany(), last_padding}))
    return std::nullopt;
  return s;
}

} // namespace

std::optional<Problem> slab_problem(const LayoutProblem &p, std::size_t real_bytes) {
  const int d = p.dimensions();
  if (d < 2 || static_cast<int>(p.axes.size()) != d) return std::nullopt;
  if (p.kind != Kind::c2c && p.halved_axis() != d - 1) return std::nullopt;
  if (p.pruned()) return std::nullopt;
  const std::ptrdiff_t last = p.extents().back();
  const std::ptrdiff_t padding = 2 * (last / 2 + 1) - last;
  const auto in = as_slab(p.in, p.kind == Kind::r2c ? padding : 0);
  const auto out = as_slab(p.out, p.kind == Kind::c2r ? padding : 0);
  if (!in || !out) return std::nullopt;
  const Extents n = p.extents();
  Arguments a{p.kind, p.sign, d, n.data(), p.howmany(), in->block, out->block};
  // Not null, and equal or not as the arrays are: check() asks for no more.
  std::array<char, 2> arrays{};
  a.in = arrays.data();
  a.out = arrays.data() + (p.in_place ? 0 : 1);
  a.flags = p.flags | (in->transposed ? HFFT_TRANSPOSED_IN : 0U) |
            (out->transposed ? HFFT_TRANSPOSED_OUT : 0U);
  a.threads = p.threads;
  a.time_limit = p.time_limit;
  a.scale = p.scale;
  try {
    const Problem slab = check(a, p.in.ranks(), real_bytes);
    if (p.deterministic && !has_bits_of_layouts(slab)) return std::nullopt;
    return slab;
  } catch (const Failure &) {
    return std::nullopt;
  }
}

bool has_bits_of_layouts(const Problem &p) {
  const bool in_order = p.sign < 0 ? !p.transposed_in : !p.transposed_out;
  return in_order && p.extents.size() <= 3 && (p.kind == Kind::c2c || p.howmany == 1);
}

LayoutProblem layout_problem(const Problem &p, int ranks) {
  LayoutProblem l;
  l.kind = p.kind;
  l.sign = p.sign;
  l.axes.resize(p.extents.size());
  std::iota(l.axes.begin(), l.axes.end(), 0);
  l.modes = p.modes;
  const std::ptrdiff_t last = p.extents.back();
  const std::ptrdiff_t padding = 2 * (last / 2 + 1) - last;
  const auto layout = [&](bool real, const Extents &n, bool transposed, std::ptrdiff_t block) {
    return Layout::slab(real ? p.extents : n, ranks,
                        {transposed, block, p.howmany, real ? padding : 0});
  };
  l.in = layout(p.kind == Kind::r2c, p.input_extents(), p.transposed_in, p.iblock);
  l.out = layout(p.kind == Kind::c2r, p.output_extents(), p.transposed_out, p.oblock);
  l.in_place = p.in_place;
  l.deterministic = p.deterministic;
  l.wisdom_only = p.wisdom_only;
  l.nonblocking = p.nonblocking;
  l.effort = p.effort;
  l.threads = p.threads;
  l.time_limit = p.time_limit;
  l.scale = p.scale;
  return l;
}

std::ptrdiff_t slab_allocation(const Problem &p, int ranks, int rank) {
  const Extents n = p.complex_extents();
  const std::ptrdiff_t vec =
      std::accumulate(n.begin() + 2, n.end(), p.howmany, std::multiplies<>());
  std::ptrdiff_t most = 1;
  for (const std::size_t axis : {0U, 1U})
    for (const std::ptrdiff_t block :
         {std::ptrdiff_t{0}, axis == (p.transposed_in ? 1U : 0U) ? p.iblock : 0,
          axis == (p.transposed_out ? 1U : 0U) ? p.oblock : 0})
      most =
          std::max(most, BlockDistribution(n[axis], ranks, block).count(rank) * n[1 - axis] * vec);
  return most;
}

} // namespace hybridfft::plan
