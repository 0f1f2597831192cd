#include "plan/problem.h"

#include <fftw3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/agreement.h"
#include "base/error.h"
#include "layout/checked_size.h"

namespace hybridfft::plan {

namespace {

constexpr unsigned known_flags =
    HFFT_DESTROY_INPUT | HFFT_UNALIGNED | HFFT_EXHAUSTIVE | HFFT_PRESERVE_INPUT | HFFT_PATIENT |
    HFFT_ESTIMATE | HFFT_WISDOM_ONLY | HFFT_DETERMINISTIC | HFFT_TRANSPOSED_IN |
    HFFT_TRANSPOSED_OUT | HFFT_SCRAMBLED_IN | HFFT_SCRAMBLED_OUT | HFFT_WIRE_SINGLE |
    HFFT_WIRE_BFLOAT16 | HFFT_WIRE_HALF | HFFT_NONBLOCKING;

/// Maximum number of pruned axes. Each of them doubles the number of shapes in the path search.
constexpr int max_pruned = 3;

void check_layout(const Layout &l, const char *name, int ranks) {
  require(l.dimensions() > 0, HFFT_ERROR_LAYOUT, name, " has no axes, expected one or more");
  require_ranks(l, name, ranks);
  for (int a = 0; a < l.dimensions(); ++a)
    require(l.extent(a) > 0, HFFT_ERROR_EXTENTS, name, " has ", l.extent(a), " points along axis ",
            a, ", expected 1 or more");
}

void check_axes(const Problem &p) {
  std::vector<bool> seen(static_cast<std::size_t>(p.dimensions()), false);
  for (const int axis : p.axes) {
    require(axis >= 0 && axis < p.dimensions(), HFFT_ERROR_ARGUMENT, "axes has ", axis,
            ", expected numbers of 0 to ", p.dimensions() - 1);
    require(!seen[static_cast<std::size_t>(axis)], HFFT_ERROR_ARGUMENT, "axes has ", axis,
            " twice");
    seen[static_cast<std::size_t>(axis)] = true;
  }
  require(p.kind == Kind::c2c || !p.axes.empty(), HFFT_ERROR_ARGUMENT,
          "axes is empty, expected one or more for a transform of real data");
}

/// Throws unless both layouts have the same number of axes and fields.
void check_dimensions(const Problem &p) {
  require(p.in.dimensions() == p.out.dimensions(), HFFT_ERROR_LAYOUT, "the input has ",
          p.in.dimensions(), " axes and the output ", p.out.dimensions(), ", expected as many");
  require(p.in.howmany() == p.out.howmany(), HFFT_ERROR_LAYOUT, "howmany is ", p.in.howmany(),
          " in the input and ", p.out.howmany(), " in the output, expected the same");
}

void check_modes(Problem &p) {
  if (!p.pruned()) return;
  const std::vector<std::ptrdiff_t> n = p.extents();
  require(p.modes.size() == n.size(), HFFT_ERROR_ARGUMENT, "modes has ", p.modes.size(),
          " numbers, expected ", n.size(), ", one for each axis");
  int pruned = 0;
  for (int a = 0; a < p.dimensions(); ++a) {
    const std::ptrdiff_t m = p.modes[static_cast<std::size_t>(a)];
    const std::ptrdiff_t all = n[static_cast<std::size_t>(a)];
    const std::string found = "modes[" + std::to_string(a) + "] is " + std::to_string(m);
    require(m > 0 && m <= all, HFFT_ERROR_EXTENTS, found, ", expected 1 to ", all,
            ", the extent of the grid");
    if (m == all) continue;
    ++pruned;
    require(std::find(p.axes.begin(), p.axes.end(), a) != p.axes.end(), HFFT_ERROR_ARGUMENT, found,
            " of an axis that is not transformed, expected ", all, ", the extent of the grid");
  }
  require(pruned <= max_pruned, HFFT_ERROR_UNSUPPORTED, "modes leaves some out along ", pruned,
          " axes, expected at most ", max_pruned);
  if (pruned == 0) p.modes.clear();
}

void check_spectrum(const Problem &p) {
  std::vector<std::ptrdiff_t> expected;
  for (int a = 0; a < p.dimensions(); ++a)
    expected.push_back(p.retained_modes(a).stored());
  const std::vector<std::ptrdiff_t> found = p.spectrum_side().extents();
  require(found == expected, HFFT_ERROR_LAYOUT, p.spectrum_in() ? "the input" : "the output",
          " is ", joined(found), ", expected ", joined(expected));
}

/// Throws unless 63 bits can count the bytes of the complete array, including the padding of
/// buffers.
void check_size(const Layout &l, std::size_t real_bytes) {
  CheckedSize bytes = CheckedSize(static_cast<std::ptrdiff_t>(8 * real_bytes)) * l.howmany();
  for (const AxisLayout &a : l.axes())
    bytes *= CheckedSize(a.distribution.n()) + a.padding + 2;
  require_countable(bytes);
}

/// Returns the format of messages set by the flags. Double and single precision have different
/// reduced formats.
exchange::WireFormat wire_of(unsigned flags, std::size_t real_bytes) {
  struct Format {
    unsigned flag;
    const char *name;
    std::size_t real_bytes;
    exchange::WireFormat wire;
  };
  constexpr std::array<Format, 3> formats{{
      {HFFT_WIRE_SINGLE, "HFFT_WIRE_SINGLE", sizeof(double), exchange::WireFormat::single},
      {HFFT_WIRE_BFLOAT16, "HFFT_WIRE_BFLOAT16", sizeof(float), exchange::WireFormat::bfloat16},
      {HFFT_WIRE_HALF, "HFFT_WIRE_HALF", sizeof(float), exchange::WireFormat::half},
  }};
  exchange::WireFormat wire = exchange::WireFormat::full;
  for (const Format &f : formats) {
    if ((flags & f.flag) == 0) continue;
    require(wire == exchange::WireFormat::full, HFFT_ERROR_FLAGS,
            "flags has both HFFT_WIRE_BFLOAT16 and HFFT_WIRE_HALF, expected one of them");
    require(real_bytes == f.real_bytes, HFFT_ERROR_FLAGS, "flags has ", f.name,
            ", which is for plans in ", f.real_bytes == sizeof(double) ? "double" : "single",
            " precision, in a plan in ", real_bytes == sizeof(double) ? "double" : "single",
            " precision");
    wire = f.wire;
  }
  require(
      wire != exchange::WireFormat::half || (flags & HFFT_DETERMINISTIC) == 0, HFFT_ERROR_FLAGS,
      "flags has both HFFT_WIRE_HALF and HFFT_DETERMINISTIC: its scales depend on the messages, "
      "and so on the number of ranks; HFFT_WIRE_BFLOAT16 has none");
  return wire;
}

std::int64_t digest_of(const auto &numbers) {
  Fnv1a hash;
  for (const auto n : numbers)
    hash.add(n);
  return digest(hash);
}

} // namespace

unsigned effort_of(unsigned flags) {
  if ((flags & HFFT_ESTIMATE) != 0) return FFTW_ESTIMATE;
  if ((flags & HFFT_EXHAUSTIVE) != 0) return FFTW_EXHAUSTIVE;
  if ((flags & HFFT_PATIENT) != 0) return FFTW_PATIENT;
  return FFTW_MEASURE;
}

void check_flags(unsigned flags) {
  require((flags & ~known_flags) == 0, HFFT_ERROR_FLAGS, "flags has unknown bits ",
          flags & ~known_flags);
  const unsigned both = HFFT_DESTROY_INPUT | HFFT_PRESERVE_INPUT;
  require((flags & both) != both, HFFT_ERROR_FLAGS,
          "flags has both HFFT_DESTROY_INPUT and HFFT_PRESERVE_INPUT");
}

void check_threads(int threads) {
  require(threads >= 1 && threads <= max_threads, HFFT_ERROR_ARGUMENT, threads,
          " threads, expected 1 to ", max_threads);
}

void check_scale(double scale, std::size_t real_bytes) {
  const double held =
      real_bytes == sizeof(float) ? static_cast<double>(static_cast<float>(scale)) : scale;
  require(std::isfinite(held) && held != 0, HFFT_ERROR_ARGUMENT, "scale is ", std::to_string(scale),
          ", expected a finite number in the precision of the plan, not 0");
}

void set_kinds(Problem &p, const int *numbers) {
  for (std::size_t i = 0; numbers != nullptr && i < p.axes.size(); ++i)
    p.kinds.push_back(static_cast<local::LineKind>(numbers[i]));
}

void move_reals(Problem &p) {
  p.kind = Kind::c2c;
  p.moves_reals = true;
  p.real_bytes /= 2;
  p.axes.clear();
  p.kinds.clear();
}

void check_kinds(const Problem &p) {
  if (p.kinds.empty()) {
    require(p.kind != Kind::r2r, HFFT_ERROR_NULL_POINTER,
            "kinds is NULL, expected a kind of enum hfft_r2r_kind for each axis");
    return;
  }
  require(p.kinds.size() == p.axes.size(), HFFT_ERROR_ARGUMENT, "kinds has ", p.kinds.size(),
          " numbers, expected ", p.axes.size(), ", one for each axis");
  require(!p.pruned(), HFFT_ERROR_UNSUPPORTED,
          "modes is given with kinds, expected NULL: only Fourier transforms are pruned");
  for (std::size_t i = 0; i < p.kinds.size(); ++i) {
    const auto number = static_cast<int>(p.kinds[i]);
    const bool halved = p.halves() && i + 1 == p.kinds.size();
    const int least = p.kind == Kind::r2r ? HFFT_R2HC : HFFT_DFT;
    const int most = halved ? HFFT_DFT : HFFT_RODFT11;
    require(number >= least && number <= most, HFFT_ERROR_ARGUMENT, "kinds[",
            p.slab_arrays ? p.axes[i] : static_cast<int>(i), "] is ", number, ", expected ",
            halved ? "HFFT_DFT along the halved axis"
                   : std::to_string(least) + " to " + std::to_string(most) +
                         ", a number of enum hfft_r2r_kind");
    const std::ptrdiff_t n = p.in.extent(p.axes[i]);
    require(p.kinds[i] != local::LineKind::redft00 || n > 1, HFFT_ERROR_EXTENTS, "n[", p.axes[i],
            "] is 1 along an axis of kind HFFT_REDFT00, expected 2 or more");
  }
}

std::int64_t hash_of(const Layout &l) {
  Fnv1a hash;
  hash.add(l.describe());
  for (int r = 0; r < l.ranks(); ++r)
    for (int a = 0; a < l.dimensions(); ++a) {
      hash.add(l.local_start(r, a));
      hash.add(l.local_count(r, a));
    }
  for (const AxisLayout &a : l.axes())
    hash.add(a.padding);
  return digest(hash);
}

RetainedModes Problem::retained_modes(int axis) const {
  const std::ptrdiff_t n = grid_side().extent(axis);
  return {n, pruned() ? modes[static_cast<std::size_t>(axis)] : n, axis == halved_axis()};
}

std::ptrdiff_t Problem::extent(int axis, bool transformed) const {
  return transformed == spectrum_in() ? grid_side().extent(axis) : retained_modes(axis).stored();
}

local::LineKind Problem::line_kind(int axis) const {
  const auto at = std::find(axes.begin(), axes.end(), axis) - axes.begin();
  return kinds.empty() || at == static_cast<std::ptrdiff_t>(axes.size())
             ? local::LineKind::fourier
             : kinds[static_cast<std::size_t>(at)];
}

std::vector<std::ptrdiff_t> Problem::complex_extents() const {
  std::vector<std::ptrdiff_t> n = extents();
  if (halves()) {
    std::ptrdiff_t &halved = n[static_cast<std::size_t>(halved_axis())];
    halved = halved / 2 + 1;
  }
  return n;
}

void require_ranks(const Layout &l, const char *name, int ranks) {
  require(l.ranks() == ranks, HFFT_ERROR_LAYOUT, name, " is for ", l.ranks(), " ranks, expected ",
          ranks, ", the size of the communicator");
}

void apply_flags(Problem &p) {
  check_flags(p.flags);
  require(p.kind != Kind::c2c || p.sign == HFFT_FORWARD || p.sign == HFFT_BACKWARD,
          HFFT_ERROR_FLAGS, "sign is ", p.sign, ", expected -1 or +1");
  if (p.kind != Kind::c2c) p.sign = p.kind == Kind::c2r ? HFFT_BACKWARD : HFFT_FORWARD;
  p.may_destroy_input = (p.flags & HFFT_DESTROY_INPUT) != 0;
  p.deterministic = (p.flags & HFFT_DETERMINISTIC) != 0;
  p.wisdom_only = (p.flags & HFFT_WISDOM_ONLY) != 0;
  p.nonblocking = (p.flags & HFFT_NONBLOCKING) != 0;
  constexpr unsigned reduced = HFFT_WIRE_SINGLE | HFFT_WIRE_BFLOAT16 | HFFT_WIRE_HALF;
  require(!p.moves_reals || (p.flags & reduced) == 0, HFFT_ERROR_FLAGS,
          "flags has HFFT_WIRE_..., expected none in a plan that moves reals");
  p.wire = wire_of(p.flags, p.real_bytes);
  p.effort = effort_of(p.flags);
}

void require_countable(const CheckedSize &bytes) {
  require(bytes.fits(), HFFT_ERROR_OVERFLOW,
          "the array of these extents and howmany has more bytes than 64-bit sizes can count");
}

void check_arrays(const Problem &p) {
  require(p.input != nullptr, HFFT_ERROR_NULL_POINTER, "the input array is NULL");
  require(p.output != nullptr, HFFT_ERROR_NULL_POINTER, "the output array is NULL");
}

void check(Problem &p, int ranks) {
  check_layout(p.in, "the input's layout", ranks);
  check_layout(p.out, "the output's layout", ranks);
  check_dimensions(p);
  check_axes(p);
  check_size(p.in, p.real_bytes);
  check_size(p.out, p.real_bytes);
  check_threads(p.threads);
  constexpr unsigned transposed = HFFT_TRANSPOSED_IN | HFFT_TRANSPOSED_OUT;
  require((p.flags & transposed) == 0, HFFT_ERROR_FLAGS,
          "flags has HFFT_TRANSPOSED_IN or HFFT_TRANSPOSED_OUT, which layouts say themselves");
  constexpr unsigned scrambled = HFFT_SCRAMBLED_IN | HFFT_SCRAMBLED_OUT;
  require((p.flags & scrambled) == 0, HFFT_ERROR_FLAGS,
          "flags has HFFT_SCRAMBLED_IN or HFFT_SCRAMBLED_OUT, which layouts say themselves");
  apply_flags(p);
  check_scale(p.scale, p.real_bytes);
  require(p.scale == 1 || !p.axes.empty(), HFFT_ERROR_UNSUPPORTED, "scale is ",
          std::to_string(p.scale),
          " and no axis is transformed, expected 1: a redistribution only moves numbers");
  check_modes(p);
  check_kinds(p);
  check_spectrum(p);
}

void state(const Problem &p, Agreement &agreement) {
  agreement.same({
      {"the kind (c2c, r2c, c2r or r2r)", static_cast<int>(p.kind)},
      {"the precision", static_cast<std::int64_t>(p.real_bytes)},
      {"modes", digest_of(p.modes)},
      {"rank (number of dimensions)", p.four_step ? 1 : 2},
      {"kinds", digest_of(numbers_of(p.kinds))},
  });
  if (p.slab_arrays) {
    const AxisLayout &in = p.in.axes().front();
    const AxisLayout &out = p.out.axes().front();
    agreement.same({
        {"rank (number of dimensions)", p.dimensions(), true},
        {"n (the extents)", digest_of(p.extents())},
        {"howmany", p.howmany(), true},
        {"flags (transposed)", in.axis + 2 * out.axis},
        {"iblock", in.distribution.block(), true},
        {"oblock", out.distribution.block(), true},
    });
  } else {
    agreement.same({{"the axes", digest_of(p.axes)}});
  }
  agreement.same({
      {"the input's layout", hash_of(p.in)},
      {"the output's layout", hash_of(p.out)},
      {"sign", p.sign, true},
      {"flags (destroy input)", p.may_destroy_input ? 1 : 0},
      {"flags (deterministic)", p.deterministic ? 1 : 0},
      {"flags (wisdom only)", p.wisdom_only ? 1 : 0},
      {"flags (nonblocking)", p.nonblocking ? 1 : 0},
      {"flags (precision on the wire)", static_cast<int>(p.wire)},
      {"flags (planner effort)", static_cast<std::int64_t>(p.effort)},
      {"the placement (in == out)", p.in_place ? 1 : 0},
      {"scale", digest_of_scale(p.scale)},
  });
}

std::vector<int> numbers_of(const std::vector<local::LineKind> &kinds) {
  std::vector<int> numbers;
  for (const local::LineKind kind : kinds)
    numbers.push_back(static_cast<int>(kind));
  return numbers;
}

std::string title(const Problem &p) {
  if (p.axes.empty())
    return "redistribution " + joined(p.extents()) + " of " + std::to_string(2 * p.real_bytes) +
           " bytes each";
  std::string text = p.kind == Kind::r2c   ? "r2c"
                     : p.kind == Kind::c2r ? "c2r"
                     : p.kind == Kind::r2r ? "r2r"
                     : p.sign < 0          ? "c2c forward"
                                           : "c2c backward";
  text += p.four_step
              ? " " + std::to_string(p.in.extent(0) * p.in.extent(1)) + " as " + joined(p.extents())
              : " " + joined(p.extents());
  if (p.pruned()) text += ", " + joined(p.modes) + " modes";
  for (const local::LineKind kind : p.kinds)
    text += std::string(" ") + local::name(kind);
  if (static_cast<int>(p.axes.size()) == p.dimensions()) return text;
  text += " along";
  for (const int axis : p.axes)
    text += " n" + std::to_string(axis);
  return text;
}

} // namespace hybridfft::plan
