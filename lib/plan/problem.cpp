#include "plan/problem.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "layout/checked_size.h"
#include "plan/agreement.h"
#include "plan/flags.h"

namespace hybridfft::plan {

namespace {

void require(bool ok, hfft_error code, const std::string &reason) {
  if (!ok) throw Failure(code, reason);
}

std::string named(const char *name, std::ptrdiff_t index) {
  return std::string(name) + "[" + std::to_string(index) + "]";
}

/// Blocks of `name` cover n points on the ranks.
void check_block(const char *name, std::ptrdiff_t block, std::ptrdiff_t n, int ranks) {
  const std::ptrdiff_t least = n / ranks + (n % ranks != 0 ? 1 : 0);
  require(block >= 0, HFFT_ERROR_BLOCK,
          std::string(name) + " is " + std::to_string(block) + ", expected 0 (default) or more");
  require(block == 0 || block >= least, HFFT_ERROR_BLOCK,
          std::string(name) + " is " + std::to_string(block) + ", too small for " +
              std::to_string(n) + " points on " + std::to_string(ranks) + " ranks, expected " +
              std::to_string(least) + " or more");
}

/// The bytes of the whole padded array, and of a block of it on each rank, fit in 63 bits.
void check_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany, int ranks,
                std::size_t real_bytes) {
  // Twice the extent of each distributed dimension bounds all blocks, rounded up.
  CheckedSize bytes = CheckedSize(static_cast<std::ptrdiff_t>(4 * real_bytes)) * howmany;
  for (int i = 0; i < rank; ++i)
    bytes *= CheckedSize(n[i]) + (i < 2 ? ranks : 2);
  require(bytes.fits(), HFFT_ERROR_OVERFLOW,
          "the array of these extents and howmany has more bytes than 64-bit sizes can count");
}

void check_shape(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany) {
  require(rank >= 2, HFFT_ERROR_EXTENTS,
          "rank (number of dimensions) is " + std::to_string(rank) + ", expected 2 or more");
  require(n != nullptr, HFFT_ERROR_NULL_POINTER, "the array of extents n is NULL");
  for (int i = 0; i < rank; ++i)
    require(n[i] > 0, HFFT_ERROR_EXTENTS,
            named("n", i) + " is " + std::to_string(n[i]) + ", expected a positive extent");
  require(howmany > 0, HFFT_ERROR_EXTENTS,
          "howmany is " + std::to_string(howmany) + ", expected 1 or more");
}

/// The modes along each axis; none where all are kept.
std::vector<std::ptrdiff_t> modes_of(const Arguments &a) {
  if (!a.needs_modes) return {};
  require(a.modes != nullptr, HFFT_ERROR_NULL_POINTER, "the array of modes is NULL");
  for (int i = 0; i < a.rank; ++i)
    require(a.modes[i] > 0 && a.modes[i] <= a.n[i], HFFT_ERROR_EXTENTS,
            named("modes", i) + " is " + std::to_string(a.modes[i]) + ", expected 1 to " +
                std::to_string(a.n[i]) + ", the extent of the grid");
  if (std::equal(a.n, a.n + a.rank, a.modes)) return {};
  require(a.rank <= 3, HFFT_ERROR_UNSUPPORTED,
          "rank (number of dimensions) is " + std::to_string(a.rank) +
              ", expected 2 or 3 for a pruned transform");
  return {a.modes, a.modes + a.rank};
}

/// Each precision has narrower formats of its own.
exchange::Wire wire_of(unsigned flags, std::size_t real_bytes) {
  struct Format {
    unsigned flag;
    const char *name;
    std::size_t real_bytes;
    exchange::Wire wire;
  };
  constexpr std::array<Format, 3> formats{{
      {HFFT_WIRE_SINGLE, "HFFT_WIRE_SINGLE", sizeof(double), exchange::Wire::single},
      {HFFT_WIRE_BFLOAT16, "HFFT_WIRE_BFLOAT16", sizeof(float), exchange::Wire::bfloat16},
      {HFFT_WIRE_HALF, "HFFT_WIRE_HALF", sizeof(float), exchange::Wire::half},
  }};
  exchange::Wire wire = exchange::Wire::full;
  for (const Format &f : formats) {
    if ((flags & f.flag) == 0) continue;
    require(wire == exchange::Wire::full, HFFT_ERROR_FLAGS,
            "flags has both HFFT_WIRE_BFLOAT16 and HFFT_WIRE_HALF, expected one of them");
    require(real_bytes == f.real_bytes, HFFT_ERROR_FLAGS,
            std::string("flags has ") + f.name + ", which is for plans in " +
                (f.real_bytes == sizeof(double) ? "double" : "single") +
                " precision, in a plan in " + (real_bytes == sizeof(double) ? "double" : "single") +
                " precision");
    wire = f.wire;
  }
  require(
      wire != exchange::Wire::half || (flags & HFFT_DETERMINISTIC) == 0, HFFT_ERROR_FLAGS,
      "flags has both HFFT_WIRE_HALF and HFFT_DETERMINISTIC: its scales depend on the messages, "
      "and so on the number of ranks; HFFT_WIRE_BFLOAT16 has none");
  return wire;
}

} // namespace

std::vector<std::ptrdiff_t> Problem::complex_extents() const {
  std::vector<std::ptrdiff_t> n = extents;
  if (kind != Kind::c2c) n.back() = n.back() / 2 + 1;
  return n;
}

KeptModes Problem::kept_modes(std::size_t axis) const {
  return {extents[axis], pruned() ? modes[axis] : extents[axis],
          kind != Kind::c2c && axis + 1 == extents.size()};
}

std::vector<std::ptrdiff_t> Problem::spectrum_extents() const {
  std::vector<std::ptrdiff_t> n;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    n.push_back(kept_modes(axis).stored());
  return n;
}

std::vector<std::ptrdiff_t> Problem::input_extents() const {
  return spectrum_in() ? spectrum_extents() : complex_extents();
}

std::vector<std::ptrdiff_t> Problem::output_extents() const {
  return spectrum_in() ? complex_extents() : spectrum_extents();
}

void check_extents(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany, std::ptrdiff_t block0,
                   std::ptrdiff_t block1, int ranks, std::size_t real_bytes) {
  check_shape(rank, n, howmany);
  check_block("block0", block0, n[0], ranks);
  check_block("block1", block1, n[1], ranks);
  check_size(rank, n, howmany, ranks, real_bytes);
}

Problem check(const Arguments &a, int ranks, std::size_t real_bytes) {
  check_shape(a.rank, a.n, a.howmany);
  check_flags(a.flags);
  require(a.kind != Kind::c2c || a.sign == HFFT_FORWARD || a.sign == HFFT_BACKWARD,
          HFFT_ERROR_FLAGS, "sign is " + std::to_string(a.sign) + ", expected -1 or +1");
  Problem p;
  p.kind = a.kind;
  p.sign = a.kind == Kind::c2c ? a.sign : a.kind == Kind::r2c ? HFFT_FORWARD : HFFT_BACKWARD;
  p.extents.assign(a.n, a.n + a.rank);
  p.modes = modes_of(a);
  p.howmany = a.howmany;
  p.iblock = a.iblock;
  p.oblock = a.oblock;
  p.transposed_in = (a.flags & HFFT_TRANSPOSED_IN) != 0;
  p.transposed_out = (a.flags & HFFT_TRANSPOSED_OUT) != 0;
  p.may_destroy_input = (a.flags & HFFT_DESTROY_INPUT) != 0;
  p.deterministic = (a.flags & HFFT_DETERMINISTIC) != 0;
  p.wisdom_only = (a.flags & HFFT_WISDOM_ONLY) != 0;
  p.wire = wire_of(a.flags, real_bytes);
  p.nonblocking = (a.flags & HFFT_NONBLOCKING) != 0;
  p.effort = effort_of(a.flags);
  check_scale(a.scale, real_bytes);
  p.scale = a.scale;
  check_threads(a.threads);
  p.threads = a.threads;
  p.time_limit = a.time_limit;
  // The halved dimension must stay the last one in memory.
  require(a.rank > 2 || !((a.kind == Kind::r2c && p.transposed_in) ||
                          (a.kind == Kind::c2r && p.transposed_out)),
          HFFT_ERROR_UNSUPPORTED, "real data of 2D transforms cannot be transposed");
  check_block("iblock", a.iblock, p.input_extents()[p.transposed_in ? 1 : 0], ranks);
  check_block("oblock", a.oblock, p.output_extents()[p.transposed_out ? 1 : 0], ranks);
  check_size(a.rank, a.n, a.howmany, ranks, real_bytes);
  require(a.in != nullptr, HFFT_ERROR_NULL_POINTER, "the input array is NULL");
  require(a.out != nullptr, HFFT_ERROR_NULL_POINTER, "the output array is NULL");
  p.in_place = a.in == a.out;
  return p;
}

void state(const Problem &p, std::size_t real_bytes, Agreement &agreement) {
  const auto digest_of = [](const std::vector<std::ptrdiff_t> &extents) {
    Fnv1a hash;
    for (const std::ptrdiff_t n : extents)
      hash.add(n);
    return digest(hash);
  };
  agreement.same({
      {"the kind (c2c, r2c or c2r)", static_cast<int>(p.kind)},
      {"the precision", static_cast<std::int64_t>(real_bytes)},
      {"rank (number of dimensions)", static_cast<std::int64_t>(p.extents.size()), true},
      {"n (the extents)", digest_of(p.extents)},
      {"modes", digest_of(p.modes)},
      {"howmany", p.howmany, true},
      {"iblock", p.iblock, true},
      {"oblock", p.oblock, true},
      {"sign", p.sign, true},
      {"flags (transposed)", (p.transposed_in ? 1 : 0) + (p.transposed_out ? 2 : 0)},
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

} // namespace hybridfft::plan
