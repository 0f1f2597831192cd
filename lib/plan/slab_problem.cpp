// Makes problems between slabs from FFTW's arguments, and their fixed paths: two or three stages
// with one or two exchanges. One stage transforms planes, the others columns.
#include "plan/arguments.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "base/error.h"
#include "layout/checked_size.h"
#include "plan/problem.h"

namespace hybridfft::plan {

namespace {

using Numbers = std::vector<std::ptrdiff_t>;

/// Throws unless 63 bits can count the bytes of the whole padded array, with all blocks of the
/// ranks rounded up.
void check_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany, int ranks,
                std::size_t real_bytes) {
  // Blocks are rounded up: the sum of all blocks of an axis is below its extent plus the number of
  // ranks.
  CheckedSize bytes = CheckedSize(static_cast<std::ptrdiff_t>(4 * real_bytes)) * howmany;
  for (int i = 0; i < rank; ++i)
    bytes *= CheckedSize(n[i]) + (i < 2 ? ranks : 2);
  require_countable(bytes);
}

void check_dimensions(int rank) {
  require(rank >= 2, HFFT_ERROR_EXTENTS, "rank (number of dimensions) is ", rank,
          ", expected 2 or more");
}

/// Returns the retained modes along each axis; empty if all are retained.
Numbers modes_of(const Arguments &a) {
  if (!a.needs_modes) return {};
  require(a.modes != nullptr, HFFT_ERROR_NULL_POINTER, "the array of modes is NULL");
  for (int i = 0; i < a.rank; ++i)
    require(a.modes[i] > 0 && a.modes[i] <= a.n[i], HFFT_ERROR_EXTENTS, "modes[", i, "] is ",
            a.modes[i], ", expected 1 to ", a.n[i], ", the extent of the grid");
  if (std::equal(a.n, a.n + a.rank, a.modes)) return {};
  require(a.rank <= 3, HFFT_ERROR_UNSUPPORTED, "rank (number of dimensions) is ", a.rank,
          ", expected 2 or 3 for a pruned transform");
  return {a.modes, a.modes + a.rank};
}

/// True if the halved axis is the last one in memory of the real array, or if the kind halves none.
bool keeps_halved_last(Kind kind, std::size_t dimensions, const SlabPair &s) {
  return dimensions > 2 ||
         !((kind == Kind::r2c && s.transposed_in) || (kind == Kind::c2r && s.transposed_out));
}

/// Returns the last axis with a Fourier transform.
std::size_t last_fourier(const int *kinds, std::size_t axes) {
  std::size_t axis = axes;
  while (axis > 0 && kinds != nullptr && kinds[axis - 1] != HFFT_DFT)
    --axis;
  require(axis > 0, HFFT_ERROR_ARGUMENT,
          "kinds has no HFFT_DFT, expected one for the halved axis of r2c and c2r");
  return axis - 1;
}

/// Returns the distributed axis of a slab.
std::size_t cut_axis(bool transposed) { return transposed ? 1 : 0; }

/// Returns the padding of a line of n reals, which makes it as long as its spectrum.
std::ptrdiff_t padding_of(std::ptrdiff_t n) { return 2 * (n / 2 + 1) - n; }

/// A slab in FFTW's terms.
struct Slab {
  bool transposed = false;
  std::ptrdiff_t block = 0;
};

std::optional<Slab> as_slab(const Layout &l, std::ptrdiff_t last_padding) {
  const AxisLayout &first = l.axes().front();
  if (first.axis > 1 || l.parts(first.axis) != l.ranks()) return std::nullopt;
  const BlockDistribution &d = first.distribution;
  const bool by_default = d == BlockDistribution(d.n(), d.parts());
  const Slab s{first.axis == 1, by_default ? 0 : d.block()};
  if (l != Layout::slab(l.extents(), l.ranks(), {s.transposed, s.block, l.howmany(), last_padding}))
    return std::nullopt;
  return s;
}

/// True if the deterministic plan of a pair of slabs transforms the axes in the same order as plans
/// between other layouts (path.h), so both have the same bits.
bool has_bits_of_paths(const Problem &p, const SlabPair &slabs) {
  const bool in_order = p.sign < 0 ? !slabs.transposed_in : !slabs.transposed_out;
  return in_order && p.dimensions() <= 3 && (p.kind == Kind::c2c || p.howmany() == 1);
}

/// Returns a path of two stages, or of three if input and output are distributed along the same
/// axis. If `planes_last`, the stage with planes is the last one, else the first one.
OrderedPath slab_path(const Problem &p, const SlabPair &slabs, bool planes_last) {
  const auto slow = static_cast<int>(cut_axis(slabs.transposed_in));
  const int ranks = p.in.ranks();
  // Axes of the stage with planes: all after the first two, and the one of these two that is not
  // distributed in this stage.
  std::vector<int> planes;
  for (int axis = p.dimensions(); axis-- > 2 && !p.axes.empty();)
    planes.push_back(axis);
  const bool columns_in_between = slabs.back() || !planes_last;
  const int with_planes = columns_in_between ? 1 - slow : slow;
  std::vector<int> columns;
  if (!p.axes.empty()) {
    planes.insert(planes_last ? planes.begin() : planes.end(), with_planes);
    columns.push_back(1 - with_planes);
  }
  OrderedPath result;
  Path &path = result.path;
  path.push_back({std::make_shared<const Distribution>(p.in), {}, {}});
  if (slabs.back()) {
    const ProcessGrid grid = row_major({ranks});
    const std::vector<int> cut(grid.size(), 1 - slow);
    path.push_back(
        {std::make_shared<const Distribution>(grid, cut, p.dimensions(), ranks), {}, {}});
  }
  path.push_back({std::make_shared<const Distribution>(p.out), {}, {}});
  PathStage &of_planes = planes_last ? path.back() : path.front();
  PathStage &of_columns = slabs.back() || !planes_last ? path[1] : path[0];
  of_planes.planes = true;
  of_planes.axes = std::move(planes);
  of_columns.axes = std::move(columns);
  std::vector<bool> done(static_cast<std::size_t>(p.dimensions()), false);
  for (PathStage &stage : path) {
    for (int a = 0; a < p.dimensions(); ++a)
      stage.extents.push_back(p.extent(a, done[static_cast<std::size_t>(a)]));
    for (const int axis : stage.axes)
      done[static_cast<std::size_t>(axis)] = true;
  }
  // A path with two exchanges moves complete lines of the user's arrays. A path with one exchange
  // moves only the retained modes.
  if (p.pruned() && p.kind != Kind::c2c && p.dimensions() == 3 && !slabs.back())
    path[1].extents[2] = p.retained_modes(2).kept();
  for (int a = 0; a <= p.dimensions(); ++a)
    result.order.push_back(a);
  return result;
}

} // namespace

Problem slab_problem(Kind kind, int sign, const Numbers &extents, const Numbers &modes,
                     std::ptrdiff_t howmany, const SlabPair &slabs, int ranks, const int *kinds) {
  Problem p;
  p.kind = kind;
  p.sign = sign;
  p.axes.resize(extents.size());
  std::iota(p.axes.begin(), p.axes.end(), 0);
  const std::size_t last = extents.size() - 1;
  const std::size_t half = p.halves() ? last_fourier(kinds, extents.size()) : last;
  std::rotate(p.axes.begin() + static_cast<std::ptrdiff_t>(half),
              p.axes.begin() + static_cast<std::ptrdiff_t>(half) + 1, p.axes.end());
  for (std::size_t i = 0; kinds != nullptr && i < p.axes.size(); ++i)
    p.kinds.push_back(static_cast<local::LineKind>(kinds[p.axes[i]]));
  p.modes = modes;
  p.slab_arrays = true;
  const auto layout = [&](const char *block_name, bool spectrum, bool real, bool transposed,
                          std::ptrdiff_t block) {
    Numbers n = extents;
    for (std::size_t a = 0; a < n.size(); ++a) {
      const bool halved = p.halves() && a == half;
      if (spectrum) n[a] = RetainedModes(n[a], modes.empty() ? n[a] : modes[a], halved).stored();
    }
    check_block(block_name, block, n[cut_axis(transposed)], ranks);
    const std::ptrdiff_t padding = real && half == last ? padding_of(n.back()) : 0;
    return Layout::slab(n, ranks, {transposed, block, howmany, padding});
  };
  p.in = layout("iblock", p.spectrum_in(), kind == Kind::r2c, slabs.transposed_in, slabs.iblock);
  p.out = layout("oblock", !p.spectrum_in(), kind == Kind::c2r, slabs.transposed_out, slabs.oblock);
  return p;
}

void check_shape(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany) {
  require(n != nullptr, HFFT_ERROR_NULL_POINTER, "the array of extents n is NULL");
  for (int i = 0; i < rank; ++i)
    require(n[i] > 0, HFFT_ERROR_EXTENTS, "n[", i, "] is ", n[i], ", expected a positive extent");
  require(howmany > 0, HFFT_ERROR_EXTENTS, "howmany is ", howmany, ", expected 1 or more");
}

void check_block(const char *name, std::ptrdiff_t block, std::ptrdiff_t n, int ranks) {
  const std::ptrdiff_t least = n / ranks + (n % ranks != 0 ? 1 : 0);
  require(block >= 0, HFFT_ERROR_BLOCK, name, " is ", block, ", expected 0 (default) or more");
  require(block == 0 || block >= least, HFFT_ERROR_BLOCK, name, " is ", block, ", too small for ",
          n, " points on ", ranks, " ranks, expected ", least, " or more");
}

void check_extents(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany, std::ptrdiff_t block0,
                   std::ptrdiff_t block1, int ranks, std::size_t real_bytes) {
  check_dimensions(rank);
  check_shape(rank, n, howmany);
  check_block("block0", block0, n[0], ranks);
  check_block("block1", block1, n[1], ranks);
  check_size(rank, n, howmany, ranks, real_bytes);
}

std::ptrdiff_t slab_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany,
                         std::ptrdiff_t block0, std::ptrdiff_t block1, int ranks, int me,
                         std::size_t real_bytes) {
  check_extents(rank, n, howmany, block0, block1, ranks, real_bytes);
  const std::ptrdiff_t points = std::max(BlockDistribution(n[0], ranks, block0).count(me) * n[1],
                                         BlockDistribution(n[1], ranks, block1).count(me) * n[0]);
  const std::ptrdiff_t size =
      std::accumulate(n + 2, n + rank, points * howmany, std::multiplies<>());
  return std::max<std::ptrdiff_t>(size, 1);
}

Problem check(const Arguments &a, int ranks) {
  if (a.rank == 1) return check_line(a, ranks);
  require((a.flags & (HFFT_SCRAMBLED_IN | HFFT_SCRAMBLED_OUT)) == 0, HFFT_ERROR_FLAGS,
          "flags has HFFT_SCRAMBLED_IN or HFFT_SCRAMBLED_OUT, expected one dimension for these");
  check_dimensions(a.rank);
  check_shape(a.rank, a.n, a.howmany);
  check_threads(a.threads);
  const SlabPair slabs{(a.flags & HFFT_TRANSPOSED_IN) != 0, (a.flags & HFFT_TRANSPOSED_OUT) != 0,
                       a.iblock, a.oblock};
  const Numbers n(a.n, a.n + a.rank);
  const Numbers modes = modes_of(a);
  require(a.kinds != nullptr || keeps_halved_last(a.kind, n.size(), slabs), HFFT_ERROR_UNSUPPORTED,
          "real data of 2D transforms cannot be transposed");
  check_size(a.rank, a.n, a.howmany, ranks, a.real_bytes);
  Problem p = slab_problem(a.kind, a.sign, n, modes, a.howmany, slabs, ranks, a.kinds);
  check_kinds(p);
  p.real_bytes = a.real_bytes;
  p.flags = a.flags;
  p.scale = a.scale;
  check_scale(p.scale, p.real_bytes);
  apply_flags(p);
  set_execution(p, a);
  return p;
}

Problem check(const TranspositionArguments &a, int ranks) {
  const std::array<std::ptrdiff_t, 2> n{a.n0, a.n1};
  check_extents(2, n.data(), a.howmany, a.block0, a.block1, ranks, a.real_bytes);
  const SlabPair slabs{false, true, a.block0, a.block1};
  Problem p = slab_problem(Kind::c2c, HFFT_FORWARD, {a.n0, a.n1}, {}, a.howmany, slabs, ranks);
  p.real_bytes = a.real_bytes;
  move_reals(p);
  constexpr unsigned transposed = HFFT_TRANSPOSED_IN | HFFT_TRANSPOSED_OUT;
  const auto reverse = [](const Layout &l) {
    return Layout({l.axes()[1], l.axes()[0]}, l.howmany());
  };
  if ((a.flags & HFFT_TRANSPOSED_IN) != 0) p.in = reverse(p.in);
  if ((a.flags & HFFT_TRANSPOSED_OUT) != 0) p.out = reverse(p.out);
  if ((a.flags & transposed) != 0) p.slab_arrays = false;
  p.flags = a.flags & ~transposed;
  set_execution(p, a);
  check(p, ranks);
  return p;
}

std::optional<SlabPair> slab_pair(const Problem &p) {
  const int d = p.dimensions();
  const bool all = static_cast<int>(p.axes.size()) == d || p.axes.empty();
  if (d < 2 || p.out.dimensions() != d || !all || p.four_step) return std::nullopt;
  if (!p.kinds.empty()) return std::nullopt;
  if (p.kind != Kind::c2c && p.halved_axis() != d - 1) return std::nullopt;
  const bool pruned = p.pruned() || p.complex_extents() != p.spectrum_side().extents();
  if (pruned && !p.slab_arrays) return std::nullopt;
  const std::ptrdiff_t padding = padding_of(p.extents().back());
  const auto in = as_slab(p.in, p.kind == Kind::r2c ? padding : 0);
  const auto out = as_slab(p.out, p.kind == Kind::c2r ? padding : 0);
  if (!in || !out) return std::nullopt;
  const SlabPair pair{in->transposed, out->transposed, in->block, out->block};
  if (p.axes.empty() && pair.back()) return std::nullopt;
  if (!keeps_halved_last(p.kind, static_cast<std::size_t>(d), pair)) return std::nullopt;
  return pair;
}

std::vector<OrderedPath> slab_paths(const Problem &p) {
  const auto slabs = slab_pair(p);
  const bool in_full = p.wire == exchange::WireFormat::full;
  if (!slabs || (p.deterministic && in_full && !has_bits_of_paths(p, *slabs))) return {};
  const bool one_form = p.deterministic || p.pruned();
  const bool last = one_form ? p.spectrum_in() : p.kind == Kind::c2r;
  std::vector<OrderedPath> paths{slab_path(p, *slabs, last)};
  const bool free = p.kind == Kind::c2c && !one_form && (!p.axes.empty() || p.in.ranks() > 1);
  if (free) paths.push_back(slab_path(p, *slabs, !last));
  return paths;
}

std::ptrdiff_t allocation(const Problem &p, int rank) {
  const auto complex = [rank](const Layout &l, bool real) {
    const std::ptrdiff_t n = l.local_size(rank);
    return real ? n / 2 + n % 2 : n;
  };
  std::ptrdiff_t most =
      std::max({std::ptrdiff_t{1}, complex(p.in, p.real_in()), complex(p.out, p.real_out())});
  const auto slabs = slab_pair(p);
  if (!slabs || p.axes.empty()) return most;
  const Numbers n = p.complex_extents();
  const std::ptrdiff_t vec =
      std::accumulate(n.begin() + 2, n.end(), p.howmany(), std::multiplies<>());
  for (const std::size_t axis : {0U, 1U})
    for (const std::ptrdiff_t block :
         {std::ptrdiff_t{0}, axis == cut_axis(slabs->transposed_in) ? slabs->iblock : 0,
          axis == cut_axis(slabs->transposed_out) ? slabs->oblock : 0}) {
      const std::ptrdiff_t rows = BlockDistribution(n[axis], p.in.ranks(), block).count(rank);
      most = std::max(most, rows * n[1 - axis] * vec);
    }
  return most;
}

} // namespace hybridfft::plan
