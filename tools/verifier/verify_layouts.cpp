// Checks transforms between any two layouts, with placement.h as an independent model of the
// layouts.
#include "verifier/verify_layouts.h"

#include <cmath>
#include <functional>
#include <limits>

#include "verifier/field.h"
#include "verifier/guarded.h"
#include "verifier/hash.h"
#include "verifier/placement.h"
#include "verifier/reference_bits.h"
#include "verifier/tolerance.h"
#include "verifier/truth.h"

namespace hybridfft::verifier {

namespace {

using Complex = std::complex<double>;

std::uint64_t hash_of(const LayoutProblem &p) { return std::hash<std::string>()(to_string(p)); }

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Returns the input. For c2r it is the spectrum of a real array along the transformed axes, with
/// f(-k) = conj f(k).
Field input_field(const LayoutProblem &p, std::uint64_t seed) {
  Problem plain = p.base;
  if (plain.kind != Kind::c2r) return random_field(plain, seed);
  plain.kind = Kind::c2c;
  const Field any = random_field(plain, seed);
  return [p, any](const Index &index, std::ptrdiff_t v) {
    Index mirror = index;
    for (const int axis : p.axes) {
      const auto a = static_cast<std::size_t>(axis);
      mirror[a] = (p.base.extents[a] - index[a]) % p.base.extents[a];
    }
    return 0.5 * (any(index, v) + std::conj(any(mirror, v)));
  };
}

template <class Real, Kind K> class LayoutVerification {
  using In = typename Elements<Real, K>::In;
  using Out = typename Elements<Real, K>::Out;

public:
  LayoutVerification(const LayoutProblem &p, MPI_Comm comm, const VerifyOptions &options)
      : p_(p), comm_(comm), in_(p, ArraySide::in, size_of(comm), rank_of(comm)),
        out_(p, ArraySide::out, size_of(comm), rank_of(comm)), x_(input_field(p, options.seed)) {
    options_.comm = comm;
    options_.direction = p.base.direction;
    options_.effort = options.effort;
    options_.threads = p.base.threads;
    options_.axes = p.axes;
    options_.redistribute_only = p.axes.empty();
    options_.deterministic = p.base.deterministic;
    edge_ = mix(options.seed, hash_of(p)) % 2 == 0 ? Edge::front : Edge::back;
  }

  Report run() {
    try {
      check();
    } catch (const Error &e) {
      // All ranks have the same error, as documented.
      record("plan", false, "error " + std::to_string(e.code()) + ", " + e.what());
    }
    return report_;
  }

private:
  struct Pair {
    Pair(const LocalSizes &sizes, bool in_place, Edge edge, std::size_t misalignment)
        : in_place(in_place), first(std::max(sizes.allocate_in * sizeof(In),
                                             in_place ? sizes.allocate_out * sizeof(Out) : 0),
                                    edge, misalignment),
          second(in_place ? 0 : sizes.allocate_out * sizeof(Out), edge, misalignment) {}
    std::span<In> in(const LocalSizes &s) { return first.as<In>(s.allocate_in); }
    std::span<Out> out(const LocalSizes &s) {
      return (in_place ? first : second).template as<Out>(s.allocate_out);
    }
    bool in_place;
    Guarded first, second;
  };

  void check() {
    const Layout in = library_layout(p_, ArraySide::in, size_of(comm_));
    const Layout out = library_layout(p_, ArraySide::out, size_of(comm_));
    const LocalSizes sizes = local_sizes<Real, K>(in, out, options_);
    std::string error = layout_error(in, in_, sizes.allocate_in);
    if (error.empty()) error = layout_error(out, out_, sizes.allocate_out);
    if (!record("layout", error.empty(), error)) return;
    Pair planned(sizes, p_.base.in_place, edge_, 0);
    fill(planned);
    const std::vector<std::byte> before = contents(planned);
    Plan<Real, K> plan = make_plan(in, out, planned, sizes);
    if (options_.effort == Effort::estimate)
      record("estimate", before == contents(planned), "planning changed the input");
    const Truth truth = true_transform(p_.base, x_, p_.axes, comm_);
    for (int i = 0; i < 2; ++i)
      transform("transform", planned, truth, [&] { plan.execute(); });
    Pair others(sizes, p_.base.in_place, other(edge_), sizeof(Real) * (K == Kind::c2c ? 2 : 1));
    transform("new arrays", others, truth,
              [&] { plan.execute(others.in(sizes), others.out(sizes)); });
    record("input", input_kept_, "the input changed out of place");
    if (p_.base.deterministic)
      record("bits", same_bits_, "other bits than on one rank with one thread");
    record("guards",
           planned.first.intact() && planned.second.intact() && others.first.intact() &&
               others.second.intact(),
           "bytes outside an array were written");
  }

  /// Makes a plan. With Effort::estimate planning must not write the arrays.
  Plan<Real, K> make_plan(const Layout &in, const Layout &out, Pair &a, const LocalSizes &sizes) {
    const bool untouched = options_.effort == Effort::estimate;
    const ReadOnly first(a.first, untouched);
    const ReadOnly second(a.second, untouched);
    return Plan<Real, K>(in, out, a.in(sizes), a.out(sizes), options_);
  }

  static std::vector<std::byte> contents(const Pair &a) {
    const auto bytes = a.first.contents();
    return {bytes.begin(), bytes.end()};
  }

  void fill(Pair &a) const {
    a.first.reset();
    a.second.reset();
    Real *to = reinterpret_cast<Real *>(a.first.data());
    in_.for_each([&](std::ptrdiff_t offset, const Index &index, std::ptrdiff_t v) {
      const Complex value = x_(index, v);
      if (K == Kind::r2c) {
        to[offset] = static_cast<Real>(value.real());
      } else {
        to[2 * offset] = static_cast<Real>(value.real());
        to[2 * offset + 1] = static_cast<Real>(value.imag());
      }
    });
  }

  template <class Execute>
  void transform(const char *name, Pair &a, const Truth &truth, const Execute &execute) {
    fill(a);
    const std::vector<std::byte> before = contents(a);
    {
      const ReadOnly input(a.first, !a.in_place);
      execute();
    }
    if (!a.in_place) input_kept_ = input_kept_ && before == contents(a);
    std::array<double, 2> norms{}; // squared norms of the error and of the expected result
    std::string worst;
    double most = -1;
    const auto *from = reinterpret_cast<const Real *>((a.in_place ? a.first : a.second).data());
    if (p_.base.deterministic && reference_.empty()) reference_ = bits_of_one_rank(p_, x_);
    out_.for_each([&](std::ptrdiff_t offset, const Index &k, std::ptrdiff_t v) {
      const Complex expected = truth.values[position(p_.base, k, v)];
      const Complex found =
          K == Kind::c2r ? Complex(from[offset]) : Complex(from[2 * offset], from[2 * offset + 1]);
      same_bits_ = same_bits_ && (!p_.base.deterministic ||
                                  same_bits(found, reference_[position_of_bits(p_, k, v)]));
      const double error = std::norm(found - expected);
      norms[0] += error;
      norms[1] += std::norm(expected);
      if (error <= most || std::isnan(most)) return;
      most = error;
      worst = "off by " + std::to_string(std::sqrt(error)) + " at global index (";
      for (const std::ptrdiff_t i : k)
        worst += std::to_string(i) + ",";
      worst.back() = ')';
      worst += ", component " + std::to_string(v);
    });
    MPI_Allreduce(MPI_IN_PLACE, norms.data(), 2, MPI_DOUBLE, MPI_SUM, comm_);
    const double tolerance =
        transform_tolerance(p_.base, std::numeric_limits<Real>::epsilon()) + truth.uncertainty;
    Check c{
        name, norms[1] > 0 ? std::sqrt(norms[0] / norms[1]) : std::sqrt(norms[0]), tolerance, {}};
    if (!c.passed()) {
      if (std::isnan(most)) most = HUGE_VAL;
      double largest = most;
      MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm_);
      c.detail = worst;
      agree(comm_, most != largest, c.detail);
    }
    report_.checks.push_back(std::move(c));
  }

  /// Compares the library with the model of placement.h: the global index of each local element,
  /// and the rank and offset of each global index.
  std::string layout_error(const Layout &layout, const Placement &place,
                           std::size_t allocated) const {
    const int rank = rank_of(comm_);
    if (layout.local_size(rank) != place.elements() ||
        static_cast<std::ptrdiff_t>(allocated) < place.elements())
      return "local_size is " + std::to_string(layout.local_size(rank)) + " and " +
             std::to_string(allocated) + " are allocated, expected " +
             std::to_string(place.elements());
    std::string error;
    std::ptrdiff_t values = 0;
    Index found(p_.base.extents.size());
    place.for_each([&](std::ptrdiff_t offset, const Index &index, std::ptrdiff_t v) {
      ++values;
      if (!layout.global(rank, offset, found) || found != index)
        error = "global() of offset " + std::to_string(offset) + " is another point";
      const Layout::Location where = layout.locate(index);
      if (where.rank != rank || where.offset + v * layout.field_stride(rank) != offset)
        error = "locate() of offset " + std::to_string(offset) + " is rank " +
                std::to_string(where.rank) + ", offset " + std::to_string(where.offset);
    });
    for (std::ptrdiff_t i = 0; i < layout.local_size(rank); ++i)
      values -= layout.global(rank, i, found) ? 1 : 0;
    return error.empty() && values != 0 ? "padding is taken for data" : error;
  }

  bool record(const char *check, bool ok, std::string reason) {
    const bool all = agree(comm_, ok, reason);
    report_.checks.push_back({check, all ? 0.0 : 1.0, 0.0, all ? std::string() : reason});
    return all;
  }

  LayoutProblem p_;
  MPI_Comm comm_;
  Placement in_, out_;
  Field x_;
  Options options_;
  Edge edge_ =
      Edge::back; ///< edge of the planned arrays at a guard page; new arrays use the other edge
  bool input_kept_ = true;
  bool same_bits_ = true;
  std::vector<Complex> reference_; ///< expected result of deterministic transforms
  Report report_;
};

template <class Real>
Report verify_kind(const LayoutProblem &p, MPI_Comm comm, const VerifyOptions &options) {
  switch (p.base.kind) {
  case Kind::r2c:
    return LayoutVerification<Real, Kind::r2c>(p, comm, options).run();
  case Kind::c2r:
    return LayoutVerification<Real, Kind::c2r>(p, comm, options).run();
  default:
    break;
  }
  return LayoutVerification<Real, Kind::c2c>(p, comm, options).run();
}

} // namespace

Report verify(const LayoutProblem &p, MPI_Comm comm, const VerifyOptions &options) {
  for (const LayoutSpec *l : {&p.in, &p.out})
    if (const int ranks = ranks_of(*l); ranks != 0 && ranks != size_of(comm))
      return {{{"ranks", 1, 0,
                "a layout is for " + std::to_string(ranks) + " ranks, there are " +
                    std::to_string(size_of(comm))}}};
  name_faults(to_string(p));
  return p.base.single ? verify_kind<float>(p, comm, options)
                       : verify_kind<double>(p, comm, options);
}

} // namespace hybridfft::verifier
