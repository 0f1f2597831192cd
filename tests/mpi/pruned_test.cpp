/// Compares all plans of pruned transforms with the definition.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "exchange/exchange.h"
#include "hybridfft/hybridfft.hpp"
#include "plan/arguments.h"
#include "plan/candidates.h"
#include "plan/lowering.h"
#include "pruned_truth.h"
#include "simd/fft.h"
#include "support/mpi_test.h"
#include "verifier/guarded.h"
#include "verifier/hash.h"

namespace hybridfft {
namespace {

using test::cast;
using test::Exact;
using test::Extents;
using test::Field;

struct Case {
  Extents n, modes;
  std::ptrdiff_t howmany = 1;
};

// Even and odd numbers of modes; one mode; two modes, of which one is not retained; all modes; all
// but one; prime lengths; more ranks than planes of either array.
const std::vector<Case> cases{
    {{12, 10, 9}, {8, 6, 6}}, {{9, 12, 8}, {5, 8, 5}, 2}, {{6, 7, 16}, {6, 1, 10}},
    {{5, 6, 12}, {2, 6, 12}}, {{13, 9, 10}, {12, 9, 10}}, {{3, 4, 37}, {1, 3, 24}},
    {{16, 3, 2}, {16, 2, 1}}, {{1, 24, 6}, {1, 16, 6}},   {{14, 11}, {9, 6}},
    {{6, 15}, {4, 10}, 3},    {{10, 8, 33}, {7, 5, 33}},  {{8, 20, 8}, {8, 20, 4}}};

std::string name(const Case &c) {
  std::string text;
  for (std::size_t a = 0; a < c.n.size(); ++a)
    text += (a > 0 ? "x" : "") + std::to_string(c.modes[a]) + "/" + std::to_string(c.n[a]);
  return text;
}

/// Returns a number from -1 to 1. It depends only on the index in the complete array and on
/// `which`, which distinguishes numbers with the same index.
long double number(const Extents &index, std::ptrdiff_t which) {
  std::uint64_t hash = static_cast<std::uint64_t>(which);
  for (const std::ptrdiff_t i : index)
    hash = verifier::mix(hash, static_cast<std::uint64_t>(i));
  return static_cast<float>(std::ldexp(static_cast<double>(verifier::mix(hash)), -63) - 1);
}

/// The input of a transform and its exact output: one array for each of the `howmany` values of a
/// point.
struct Problem {
  Problem(const Case &c, Kind kind, Direction direction) {
    const bool real = kind != Kind::c2c;
    Extents half = c.modes;
    if (real) half.back() = half.back() / 2 + 1;
    const bool back = kind == Kind::c2r || (!real && direction == Direction::backward);
    for (std::ptrdiff_t h = 0; h < c.howmany; ++h) {
      const auto value = [h](const Extents &i) {
        return Exact(number(i, 2 * h), number(i, 2 * h + 1));
      };
      if (back) {
        in.push_back(test::make_field(half, [&](const Extents &i) {
          return real ? hermitian(i, c.modes, value) : value(i);
        }));
        out.push_back(test::backward(in.back(), c.modes, c.n, real));
      } else {
        in.push_back(test::make_field(
            c.n, [&](const Extents &i) { return real ? value(i).real() : value(i); }));
        out.push_back(test::forward(in.back(), c.modes, real));
      }
    }
  }

  /// Returns value(i) of a half spectrum of real data. If the half spectrum also contains the
  /// opposite wave -k, the two values are made conjugate.
  template <class F>
  static Exact hermitian(const Extents &i, const Extents &modes, const F &value) {
    if (i.back() != 0 && 2 * i.back() != modes.back()) return value(i);
    Extents other = i;
    for (std::size_t a = 0; a < i.size(); ++a)
      other[a] = (modes[a] - i[a]) % modes[a];
    return (value(i) + std::conj(value(other))) / 2.0L;
  }

  std::vector<Field> in, out;
};

/// Returns a problem; each is computed once.
const Problem &problem_of(const Case &c, Kind kind, Direction direction) {
  static std::map<std::tuple<Extents, Extents, std::ptrdiff_t, Kind, Direction>, Problem> known;
  return known.try_emplace({c.n, c.modes, c.howmany, kind, direction}, c, kind, direction)
      .first->second;
}

/// The arrays of a rank. Each has exactly the needed size, and ends at a guard page.
template <class Real, Kind K> class Arrays {
public:
  using In = typename Elements<Real, K>::In;
  using Out = typename Elements<Real, K>::Out;

  Arrays(const Case &c, const Options &options, bool in_place)
      : c_(c), problem_(problem_of(c, K, options.direction)),
        sizes_(local_sizes<Real, K>(c.n, options)), in_place_(in_place),
        spectrum_in_(K == Kind::c2r ||
                     (K == Kind::c2c && options.direction == Direction::backward)) {
    const std::size_t bytes_in = sizes_.allocate_in * sizeof(In);
    const std::size_t bytes_out = sizes_.allocate_out * sizeof(Out);
    static int made = 0;
    const verifier::Edge edge = ++made % 2 == 0 ? verifier::Edge::front : verifier::Edge::back;
    in_ = verifier::Guarded(in_place ? std::max(bytes_in, bytes_out) : bytes_in, edge);
    out_ = verifier::Guarded(in_place ? 0 : bytes_out, edge);
    in_.reset();
    out_.reset();
    for_values(sizes_.in, [&](std::ptrdiff_t at, const Extents &i, std::size_t h) {
      // The transform must not use dropped modes: NaN would show in the result.
      in()[at] = spectrum_in_ && dropped(i) ? In(std::numeric_limits<Real>::quiet_NaN())
                                            : cast<In>(problem_.in[h].at(i));
    });
  }

  /// Makes the input read-only, because an out-of-place transform must not write it.
  verifier::ReadOnly keep_input() const { return verifier::ReadOnly(in_, !in_place_); }

  const LocalSizes &sizes() const { return sizes_; }
  In *in() { return reinterpret_cast<In *>(in_.data()); }
  Out *out() {
    return in_place_ ? reinterpret_cast<Out *>(in_.data()) : reinterpret_cast<Out *>(out_.data());
  }

  /// Checks the L2 norm of the error over all ranks. A transform of unit norm has an error below
  /// `bound` (tools/verifier/tolerance.h). Sums over P points multiply norms by at most sqrt(P),
  /// and the weights 2 of half spectra by at most 2.
  void check(const std::string &what) {
    long double error = 0;
    for_values(sizes_.out, [&](std::ptrdiff_t at, const Extents &i, std::size_t h) {
      const std::complex<double> found(out()[at]);
      error += std::norm(Exact(found.real(), found.imag()) - problem_.out[h].at(i));
    });
    double sum = static_cast<double>(error);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, test::world());
    double points = 1;
    for (const std::ptrdiff_t n : c_.n)
      points *= static_cast<double>(n);
    double norm = 0;
    for (const Field &f : problem_.in)
      norm = std::hypot(norm, static_cast<double>(f.norm()));
    const double bound = 12 * std::numeric_limits<Real>::epsilon() * std::log2(2 * points);
    EXPECT_LE(std::sqrt(sum), 2 * bound * std::sqrt(points) * norm) << what;
    if (!spectrum_in_) expect_dropped_are_zero(what);
    EXPECT_TRUE(in_.intact() && out_.intact()) << what;
  }

private:
  template <class F> void for_values(const LayoutView &view, const F &f) const {
    Extents index(c_.n.size());
    for (std::ptrdiff_t at = 0; at < view.size(); ++at)
      if (view.global(at, index)) f(at, index, static_cast<std::size_t>(at % c_.howmany));
  }

  bool dropped(const Extents &index) const {
    for (std::size_t a = 0; a < index.size(); ++a)
      if (!test::mode(index[a], c_.modes[a], c_.n[a]).kept) return true;
    return false;
  }

  void expect_dropped_are_zero(const std::string &what) {
    bool zero = true;
    for_values(sizes_.out, [&](std::ptrdiff_t at, const Extents &i, std::size_t) {
      zero = zero && (!dropped(i) || out()[at] == Out(0));
    });
    EXPECT_TRUE(zero) << what << ": a mode that is not kept is not zero";
  }

  Case c_;
  const Problem &problem_;
  LocalSizes sizes_;
  bool in_place_, spectrum_in_;
  verifier::Guarded in_, out_;
};

std::vector<plan::Choice> all_choices() {
  std::vector<plan::Choice> list;
  for (const exchange::Algorithm &a : exchange::algorithms())
    for (int bits = 0; bits < 8; ++bits) {
      plan::Choice c;
      c.algorithm = &a;
      c.passes = (bits & 1) != 0 ? plan::Passes::split : plan::Passes::fused;
      c.plane_kernel = c.column_kernel =
          (bits & 2) != 0 ? local::Kernel::simd : local::Kernel::fftw;
      c.store = (bits & 4) != 0 ? simd::Store::streamed : simd::Store::cached;
      c.tile_bytes = 4096;
      list.push_back(c);
    }
  return list;
}

template <class Real, Kind K>
plan::Arguments arguments_of(const Case &c, const Options &options, void *in, void *out) {
  plan::Arguments a{static_cast<plan::Kind>(K), static_cast<int>(options.direction),
                    static_cast<int>(c.n.size()), c.n.data(), c.howmany};
  a.real_bytes = sizeof(Real);
  a.in = in;
  a.out = out;
  a.flags = HFFT_ESTIMATE | (options.transposed_in ? HFFT_TRANSPOSED_IN : 0U) |
            (options.transposed_out ? HFFT_TRANSPOSED_OUT : 0U);
  a.modes = c.modes.data();
  a.needs_modes = true;
  a.threads = options.threads;
  return a;
}

/// Executes every `stride`-th of all possible plans of a case.
class Sweep {
public:
  explicit Sweep(int stride) : stride_(stride) {}

  template <class Real, Kind K> void run(const Case &c, Direction direction) {
    for (const bool in_place : {false, true})
      for (int transposed = 0; transposed < 4; ++transposed)
        for (const plan::Choice &choice : all_choices()) {
          Options options{.comm = test::world()};
          options.direction = direction;
          options.transposed_in = (transposed & 1) != 0;
          options.transposed_out = (transposed & 2) != 0;
          options.howmany = c.howmany;
          options.modes = c.modes;
          options.threads = transposed == 2 ? 2 : 1;
          if (c.n.size() == 2 && K != Kind::c2c && transposed != 0) continue;
          run<Real, K>(c, options, in_place, choice);
        }
  }
  int executed() const { return executed_; }

private:
  template <class Real, Kind K>
  void run(const Case &c, const Options &options, bool in_place, plan::Choice choice) {
    std::array<std::byte, 2> any{};
    const plan::Problem problem =
        plan::check(arguments_of<Real, K>(c, options, any.data(), any.data() + (in_place ? 0 : 1)),
                    comm_->size());
    // Fused passes over planes need the library's own kernels.
    choice.path = std::make_shared<const plan::OrderedPath>(plan::slab_paths(problem).front());
    const bool at_once = c.n.size() == 3 && choice.passes == plan::Passes::fused;
    if (at_once && simd::fft_kernels<Real>(simd::active()) == nullptr) return;
    if (!plan::admits(problem, comm_->size(), choice) || ++found_ % stride_ != 0) return;
    const auto plan = plan::build(problem, comm_, choice, true);
    if (!plan) return;
    Arrays<Real, K> arrays(c, options, in_place);
    verifier::name_faults(name(c) + "\n" + plan->describe());
    {
      const verifier::ReadOnly input = arrays.keep_input();
      plan->execute(arrays.in(), arrays.out());
    }
    arrays.check(name(c) + "\n" + plan->describe());
    ++executed_;
  }

  int stride_;
  int found_ = 0, executed_ = 0;
  std::shared_ptr<exchange::Communicator> comm_ = exchange::acquire(test::world());
};

template <class Real> void sweep(int stride) {
  Sweep s(stride);
  for (const Case &c : cases) {
    s.run<Real, Kind::c2c>(c, Direction::forward);
    s.run<Real, Kind::c2c>(c, Direction::backward);
    s.run<Real, Kind::r2c>(c, Direction::forward);
    s.run<Real, Kind::c2r>(c, Direction::backward);
  }
  EXPECT_GT(s.executed(), 3000 / stride);
}

// The strides have no common factor with the numbers of choices, so each choice is tested.
TEST(Pruned, AnyPlanIsTheDefinition) {
  sweep<double>(61);
  sweep<float>(67);
}

TEST(PrunedSweep, ManyPlansAreTheDefinition) {
  const int stride = test::size_of(test::world()) == 1 ? 1 : 7;
  sweep<double>(stride);
  sweep<float>(stride);
}

} // namespace
} // namespace hybridfft
