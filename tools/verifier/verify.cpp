// Checks transforms of slabs: rounding errors against the definition of the DFT, and properties of
// the DFT that a wrong layout would violate.
#include "verifier/verify.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "verifier/hash.h"
#include "verifier/layout_check.h"
#include "verifier/reference_bits.h"
#include "verifier/tolerance.h"
#include "verifier/trial.h"
#include "verifier/truth.h"

namespace hybridfft::verifier {

namespace {

using Complex = std::complex<double>;
using Values = std::vector<Complex>;

double norm_over_ranks(const Values &values, MPI_Comm comm) {
  double sum = 0;
  for (const Complex &v : values)
    sum += std::norm(v);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  return std::sqrt(sum);
}

template <class Real> class Verification {
public:
  Verification(const Problem &problem, MPI_Comm comm, const VerifyOptions &options)
      : p_(problem), comm_(comm), options_(options),
        tolerance_(transform_tolerance(problem, std::numeric_limits<Real>::epsilon())),
        x_(random_field(problem, mix(options.seed, 1))), local_(local_arrays<Real>(problem, comm)),
        in_(problem, ArraySide::in, local_.in), out_(problem, ArraySide::out, local_.out) {}

  Report run();

private:
  using Api = Library<Real>;

  std::size_t bytes() const { return static_cast<std::size_t>(local_.elements) * 2 * sizeof(Real); }
  int sign() const { return static_cast<int>(p_.direction); }
  Complex truth(const Index &k, std::ptrdiff_t v) const {
    return truth_.values[position(p_, k, v)];
  }

  bool check_layout();
  typename Api::Handle make_plan(Arrays<Real> &a);
  void check_bits(Arrays<Real> &a);
  void check_truth(typename Api::Handle plan, Arrays<Real> &a, const char *check, bool planned);
  void check_linearity(typename Api::Handle plan, Arrays<Real> &a);
  void check_impulse(typename Api::Handle plan, Arrays<Real> &a);
  void check_shift(typename Api::Handle plan, Arrays<Real> &a);

  bool transform(typename Api::Handle plan, Arrays<Real> &a, const Field &x, const char *check,
                 bool planned = false);
  bool record(const char *check, bool ok, std::string reason);
  template <class Expected>
  void compare(const char *check, Arrays<Real> &a, const Expected &expected, double tolerance,
               double scale = 0);

  Problem p_;
  MPI_Comm comm_;
  VerifyOptions options_;
  double tolerance_;
  Field x_;
  LocalArrays local_;
  DataBox in_, out_;
  Truth truth_;
  bool input_kept_ = true;
  Report report_;
};

template <class Real> Report Verification<Real>::run() {
  if (!record("local_size", local_.elements > 0,
              local_.elements < 0 ? Api::last_error() : "asks for 0 elements, not at least 1"))
    return report_;
  // With a wrong layout the further checks would access elements outside of the array.
  if (!check_layout()) return report_;
  const Edge edge = mix(options_.seed, std::hash<std::string>()(to_string(p_))) % 2 == 0
                        ? Edge::front
                        : Edge::back;
  Arrays<Real> planned(p_, bytes(), edge, 0);
  const typename Api::Handle plan = make_plan(planned);
  if (!report_.checks.back().passed()) return report_;
  truth_ = true_transform(p_, x_, comm_);
  check_truth(plan, planned, "transform", true);
  // The new arrays have the minimum alignment, one element.
  Arrays<Real> others(p_, bytes(), other(edge), sizeof(Real) * (p_.kind == Kind::c2c ? 2 : 1));
  check_truth(plan, others, "new arrays", false);
  if (p_.deterministic)
    for (Arrays<Real> *a : {&planned, &others})
      check_bits(*a);
  check_linearity(plan, others);
  check_impulse(plan, others);
  check_shift(plan, others);
  record("input", input_kept_, "the input changed out of place");
  record("guards", planned.intact() && others.intact(), "bytes outside an array were written");
  Api::destroy(plan);
  return report_;
}

/// Records a yes/no check. It fails on all ranks if it fails on any rank.
template <class Real>
bool Verification<Real>::record(const char *check, bool ok, std::string reason) {
  const bool all = agree(comm_, ok, reason);
  report_.checks.push_back({check, all ? 0.0 : 1.0, 0.0, all ? std::string() : reason});
  return all;
}

/// Compares value number n of the output with expected(index, component, n). The error is the L2
/// norm of the differences over all ranks, divided by `scale`, or by the norm of the expected
/// values if `scale` is 0.
template <class Real>
template <class Expected>
void Verification<Real>::compare(const char *check, Arrays<Real> &a, const Expected &expected,
                                 double tolerance, double scale) {
  Values difference = result(a, out_);
  Values reference;
  Index worst_index;
  std::ptrdiff_t worst_component = 0;
  double worst = -1;
  out_.for_each([&](std::ptrdiff_t, const Index &index, std::ptrdiff_t v) {
    const std::size_t n = reference.size();
    reference.push_back(expected(index, v, n));
    difference[n] -= reference[n];
    const double d = std::norm(difference[n]);
    if (d <= worst || std::isnan(worst)) return;
    worst = d;
    worst_index = index;
    worst_component = v;
  });
  const double norm = norm_over_ranks(reference, comm_);
  Check c{check, norm_over_ranks(difference, comm_) / (scale > 0 ? scale : norm), tolerance, {}};
  if (!c.passed()) {
    worst = std::isnan(worst) ? HUGE_VAL : std::sqrt(worst);
    double largest = worst;
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm_);
    c.detail = "off by " + std::to_string(worst) + " at global index (";
    for (const std::ptrdiff_t i : worst_index)
      c.detail += std::to_string(i) + ",";
    c.detail.back() = ')';
    c.detail += ", component " + std::to_string(worst_component);
    agree(comm_, worst != largest, c.detail);
  }
  report_.checks.push_back(std::move(c));
}

/// Fills the arrays with x and transforms them, by hfft_execute if `planned` is true, else by a
/// new-array execute.
template <class Real>
bool Verification<Real>::transform(typename Api::Handle plan, Arrays<Real> &a, const Field &x,
                                   const char *check, bool planned) {
  fill(a, in_, x);
  const auto contents = a.first.contents();
  const std::vector<std::byte> before(contents.begin(), contents.end());
  int code = HFFT_SUCCESS;
  {
    const ReadOnly input(a.first, !p_.in_place);
    code = planned ? Api::execute(plan) : Api::execute(plan, p_.kind, a.in(), a.out());
  }
  if (!p_.in_place)
    input_kept_ = input_kept_ && std::equal(before.begin(), before.end(), contents.begin());
  std::string reason = code == HFFT_SUCCESS ? "" : Api::last_error();
  const bool all = agree(comm_, code == HFFT_SUCCESS, reason);
  if (!all) report_.checks.push_back({check, 1, 0, reason});
  return all;
}

template <class Real> bool Verification<Real>::check_layout() {
  const auto n = complex_extents(p_);
  std::string error = range_error(n[p_.transposed_in ? 1 : 0], p_.block_in, local_.in, comm_);
  if (error.empty())
    error = range_error(n[p_.transposed_out ? 1 : 0], p_.block_out, local_.out, comm_);
  for (const DataBox *box : {&in_, &out_}) {
    const std::ptrdiff_t needed = box->real() ? (box->elements() + 1) / 2 : box->elements();
    if (error.empty() && needed > local_.elements)
      error = "local_size asks for " + std::to_string(local_.elements) + " elements, " +
              std::to_string(needed) + " are needed";
  }
  const bool right = record("layout", error.empty(), error);
  const std::string view = view_error(p_, in_, out_, comm_);
  record("layout view", view.empty(), view);
  return right;
}

template <class Real>
typename Library<Real>::Handle Verification<Real>::make_plan(Arrays<Real> &a) {
  fill(a, in_, x_);
  const auto contents = a.first.contents();
  const std::vector<std::byte> before(contents.begin(), contents.end());
  unsigned flags = static_cast<unsigned>(options_.effort);
  if (p_.transposed_in) flags |= HFFT_TRANSPOSED_IN;
  if (p_.transposed_out) flags |= HFFT_TRANSPOSED_OUT;
  if (p_.deterministic) flags |= HFFT_DETERMINISTIC;
  const int threads = Api::threads();
  Api::set_threads(p_.threads);
  typename Api::Handle plan = nullptr;
  {
    const bool untouched = options_.effort == Effort::estimate;
    const ReadOnly first(a.first, untouched);
    const ReadOnly second(a.second, untouched);
    plan = Api::plan(p_, a.in(), a.out(), comm_, flags);
  }
  Api::set_threads(threads);
  const bool unchanged = std::equal(before.begin(), before.end(), contents.begin());
  if (options_.effort == Effort::estimate)
    record("estimate", unchanged, "planning changed the input");
  record("plan", plan != nullptr, plan == nullptr ? Api::last_error() : "");
  return plan;
}

template <class Real>
void Verification<Real>::check_truth(typename Api::Handle plan, Arrays<Real> &a, const char *check,
                                     bool planned) {
  if (!transform(plan, a, x_, check, planned)) return;
  compare(
      check, a, [&](const Index &k, std::ptrdiff_t v, std::size_t) { return truth(k, v); },
      tolerance_ + truth_.uncertainty);
}

/// Checks that the output of the last execution has the same bits as a transform on one rank.
template <class Real> void Verification<Real>::check_bits(Arrays<Real> &a) {
  LayoutProblem p{p_, std::vector<int>(p_.extents.size()), {}, {}};
  std::iota(p.axes.begin(), p.axes.end(), 0);
  std::string error;
  try {
    const Values expected = bits_of_one_rank(p, x_);
    const Values found = result(a, out_);
    std::size_t n = 0;
    out_.for_each([&](std::ptrdiff_t, const Index &k, std::ptrdiff_t v) {
      if (!same_bits(found[n++], expected[position_of_bits(p, k, v)]))
        error = "other bits than on one rank with one thread";
    });
  } catch (const Error &e) {
    error = e.what();
  }
  record("bits", error.empty(), error);
}

/// Checks F(a x + b y) = a F(x) + b F(y) with three results of the library. Their errors are at
/// most the tolerance times |F(a x + b y)|, |a F(x)| and |b F(y)|. The first norm is at most the
/// sum of the others, so the bound is twice the tolerance times this sum.
template <class Real>
void Verification<Real>::check_linearity(typename Api::Handle plan, Arrays<Real> &a) {
  const char *check = "linearity";
  const Field y = random_field(p_, mix(options_.seed, 2));
  const bool complex = p_.kind == Kind::c2c;
  const Complex alpha = complex ? Complex(0.75, -1.25) : Complex(0.75);
  const Complex beta = complex ? Complex(-0.5, 1.5) : Complex(-1.5);
  if (!transform(plan, a, x_, check)) return;
  const Values fx = result(a, out_);
  if (!transform(plan, a, y, check)) return;
  const Values fy = result(a, out_);
  const Field sum = [&](const Index &j, std::ptrdiff_t v) {
    return alpha * x_(j, v) + beta * y(j, v);
  };
  if (!transform(plan, a, sum, check)) return;
  compare(
      check, a,
      [&](const Index &, std::ptrdiff_t, std::size_t n) { return alpha * fx[n] + beta * fy[n]; },
      2 * tolerance_,
      std::abs(alpha) * norm_over_ranks(fx, comm_) + std::abs(beta) * norm_over_ranks(fy, comm_));
}

/// Transforms an array with a single non-zero value. The result must be a plane wave in the same
/// component and zero in the others.
template <class Real>
void Verification<Real>::check_impulse(typename Api::Handle plan, Arrays<Real> &a) {
  const Index at = random_point(p_, mix(options_.seed, 3));
  const Index opposite = mirrored(p_, at);
  const auto component =
      static_cast<std::ptrdiff_t>(mix(options_.seed, 4) % static_cast<std::uint64_t>(p_.howmany));
  const Complex z = p_.kind == Kind::r2c ? Complex(0.75) : Complex(0.75, -0.5);
  const Field impulse = [&](const Index &index, std::ptrdiff_t v) -> Complex {
    if (v != component) return 0;
    const Complex here = index == at ? z : 0;
    if (p_.kind != Kind::c2r) return here;
    return 0.5 * (here + (index == opposite ? std::conj(z) : 0));
  };
  if (!transform(plan, a, impulse, "impulse")) return;
  const PlaneWave phase(p_, sign(), at);
  compare(
      "impulse", a,
      [&](const Index &k, std::ptrdiff_t v, std::size_t) -> Complex {
        if (v != component) return 0;
        const Complex wave = z * phase(k);
        return p_.kind == Kind::c2r ? wave.real() : wave;
      },
      tolerance_);
}

/// Checks the shift theorem: the transform of x[j - s] is X[k] times a phase of k.s. For c2r the
/// spectrum is multiplied by the phase, and the output must be shifted.
template <class Real>
void Verification<Real>::check_shift(typename Api::Handle plan, Arrays<Real> &a) {
  const Index s = random_point(p_, mix(options_.seed, 5));
  const Index back = mirrored(p_, s);
  const bool c2r = p_.kind == Kind::c2r;
  const PlaneWave phase(p_, sign(), s);
  const Field moved = [&](const Index &j, std::ptrdiff_t v) {
    return c2r ? x_(j, v) * phase(j) : x_(shifted(p_, j, back), v);
  };
  if (!transform(plan, a, moved, "shift")) return;
  compare(
      "shift", a,
      [&](const Index &k, std::ptrdiff_t v, std::size_t) {
        return c2r ? truth(shifted(p_, k, s), v) : truth(k, v) * phase(k);
      },
      tolerance_ + truth_.uncertainty);
}

} // namespace

Report verify(const Problem &problem, MPI_Comm comm, const VerifyOptions &options) {
  name_faults(to_string(problem));
  return problem.single ? Verification<float>(problem, comm, options).run()
                        : Verification<double>(problem, comm, options).run();
}

} // namespace hybridfft::verifier
