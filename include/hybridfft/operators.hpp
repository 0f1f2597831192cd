/// \file operators.hpp
/// Operator plans in C++: a thin layer over operators.h and its documentation. Every failed call
/// throws hybridfft::Error; collective calls throw on all ranks alike.
#ifndef HYBRIDFFT_OPERATORS_HPP
#define HYBRIDFFT_OPERATORS_HPP

#include "hybridfft/require_cxx20.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/hybridfft.hpp"
#include "hybridfft/operators.h"

namespace hybridfft {

namespace detail {

template <class Real> struct OperatorApi;

/// Maps the C functions of one precision.
#define HFFT_DEFINE_CPP_OPERATOR_API(X, R, C)                                                      \
  template <> struct OperatorApi<R> {                                                              \
    using Handle = X(operator_plan);                                                               \
    static constexpr auto make_spectral = X(plan_spectral_operator);                               \
    static constexpr auto make = X(plan_operator);                                                 \
    static constexpr auto destroy = X(destroy_operator);                                           \
    static constexpr auto supports = X(operator_supports);                                         \
    static hfft_factors factors(Handle p, int axis, std::span<const std::complex<R>> values) {     \
      return X(operator_factors)(p, axis, static_cast<std::ptrdiff_t>(values.size()),              \
                                 reinterpret_cast<const C *>(values.data()));                      \
    }                                                                                              \
    static constexpr auto table = X(operator_table);                                               \
    static constexpr auto planes = X(operator_planes);                                             \
    static constexpr auto lines = X(operator_lines);                                               \
    static constexpr auto fields_apart = X(operator_fields_apart);                                 \
    static constexpr auto profile = X(operator_profile);                                           \
    static constexpr auto describe = X(operator_describe);                                         \
    static constexpr auto bytes = X(operator_bytes);                                               \
  };
HFFT_DEFINE_CPP_OPERATOR_API(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_DEFINE_CPP_OPERATOR_API(HFFT_MANGLE_FLOAT, float, hfftf_complex)
#undef HFFT_DEFINE_CPP_OPERATOR_API

/// Throws Error with the code and message of the last failed call.
[[noreturn]] inline void raise_last_error() {
  throw Error(static_cast<hfft_error>(hfft_last_error()), hfft_last_error_message());
}

struct DestroyFactors {
  using pointer = hfft_factors;
  void operator()(hfft_factors f) const { hfft_destroy_factors(f); }
};
struct DestroyTable {
  using pointer = hfft_table;
  void operator()(hfft_table t) const { hfft_destroy_table(t); }
};

} // namespace detail

/// A spectral operator between two layouts: the forward transform, the user's work on all bins, and
/// the backward transform. It is a Plan between fields, with the same functions. Move-only.
/// \tparam K kind of the forward transform: r2c for real and c2c for complex fields, r2r for real
///   fields with the kinds of the options
template <class Real, Kind K = Kind::r2c>
class SpectralOperator : public Plan<Real, K == Kind::c2c ? Kind::c2c : Kind::r2r> {
  static_assert(K != Kind::c2r, "K is the kind of the forward transform");
  using Base = Plan<Real, K == Kind::c2c ? Kind::c2c : Kind::r2r>;

public:
  /// Type of the elements of fields.
  using Field = typename Elements<Real, K>::In;
  /// Type of the elements of the spectrum.
  using Bin = typename Elements<Real, K>::Out;
  /// `count` bins along an axis of the spectrum, starting with the bin `first`. With howmany values
  /// per point the values of a bin are adjacent.
  struct Line {
    const std::ptrdiff_t *first; ///< index along each axis, from 0
    int axis;                    ///< axis of the line
    std::ptrdiff_t count;        ///< number of bins
    Bin *values;                 ///< values of the bins, to be replaced
  };

  SpectralOperator() = default;
  /// Plans an operator. in.data() == out.data() is in place. The spans have the elements of their
  /// layouts. Threads call work(line) concurrently, once for each line, during executions only. It
  /// must not throw. Collective. Throws Error.
  /// \param options direction, howmany, blocks and transposition are not used
  template <class Work>
  SpectralOperator(const Layout &in_layout, const Layout &out_layout, std::span<Field> in,
                   std::span<Field> out, Work work, const Options &options = {})
      : SpectralOperator(std::make_shared<const Work>(std::move(work)),
                         sizes_of(in_layout, out_layout, options.comm), in, out, options) {}

private:
  template <class Work>
  SpectralOperator(std::shared_ptr<const Work> work, const LocalSizes &sizes, std::span<Field> in,
                   std::span<Field> out, const Options &options)
      : Base(sizes, options.comm, in, out,
             [&] { return make<Work>(work.get(), sizes, in, out, options); }),
        work_(work) {}

  template <class Work>
  static auto make(const Work *work, const LocalSizes &sizes, std::span<Field> in,
                   std::span<Field> out, const Options &options) {
    const detail::LayoutHandle i(detail::wrap(sizes.in.layout()));
    const detail::LayoutHandle o(detail::wrap(sizes.out.layout()));
    const hfft_options c = detail::c_options(options, false);
    return detail::OperatorApi<Real>::make_spectral(
        static_cast<int>(K), i.get(), o.get(), in.data(), out.data(), options.comm,
        [](const std::ptrdiff_t *bin, int axis, std::ptrdiff_t count, void *values, void *user) {
          (*static_cast<const Work *>(user))(Line{bin, axis, count, static_cast<Bin *>(values)});
        },
        const_cast<Work *>(work), &c);
  }

  /// Returns the local sizes. An array whose layout has too few ranks gets size 0; the plan later
  /// refuses the layout.
  static LocalSizes sizes_of(const Layout &in, const Layout &out, MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const auto elements = [rank](const Layout &l) {
      return rank < l.ranks() ? static_cast<std::size_t>(l.local_size(rank)) : 0;
    };
    return {LayoutView(in, rank), LayoutView(out, rank), elements(in), elements(out)};
  }

  std::shared_ptr<const void> work_; ///< the user's work, called by executions
};

/// A plan of `fields` half-transformed fields, and its sweeps. Move-only.
template <class Real> class OperatorPlan {
  using Api = detail::OperatorApi<Real>;

public:
  /// Complex numbers of the plan's precision.
  using Complex = std::complex<Real>;

  /// Returns true if this rank's processor has kernels for the extents. A plan uses kernels
  /// available on all ranks.
  static bool supports(const std::array<std::ptrdiff_t, 3> &extents) {
    return Api::supports(extents[0], extents[1], extents[2]) != 0;
  }

  /// Makes a plan. A rank may have planes or none. Collective.
  /// \param extents extents of a real field
  /// \param fields number of fields
  /// \param comm ranks with the fields
  /// \param threads threads per rank, at least 1
  /// \throws Error HFFT_ERROR_UNSUPPORTED if no kernel common to all ranks fits the extents
  OperatorPlan(const std::array<std::ptrdiff_t, 3> &extents, int fields, MPI_Comm comm, int threads)
      : plan_(Api::make(extents[0], extents[1], extents[2], fields, comm, threads)) {
    require(plan_ != nullptr);
  }

  /// Complex factors along an axis: n0 for axis 0, n1 for axis 1, n2/2+1 for axis 2. Factors of
  /// bins k and n-k are conjugate.
  class Factors {
  public:
    Factors() = default; ///< all factors are 1
    /// Returns true if there are factors; otherwise all are 1.
    explicit operator bool() const { return factors_ != nullptr; }

  private:
    friend class OperatorPlan;
    explicit Factors(hfft_factors factors) : factors_(factors, detail::DestroyFactors()) {}
    std::shared_ptr<hfft_factors_s> factors_;
  };
  /// Makes factors along an axis. Throws Error(HFFT_ERROR_ARGUMENT) for a wrong axis or number.
  Factors factors(int axis, std::span<const Complex> values) const {
    hfft_factors made = Api::factors(plan_.get(), axis, values);
    require(made != nullptr);
    return Factors(made);
  }

  /// Real factors for all bins of this rank.
  class Table {
  private:
    friend class OperatorPlan;
    explicit Table(hfft_table table) : table_(table) {}
    std::unique_ptr<hfft_table_s, detail::DestroyTable> table_;
  };
  /// Makes a table of f(k0, k1, k2) for bins 0 <= k0 <= n0/2, 0 <= k1 < n1, 0 <= k2 <= n2/2; the
  /// table is even in k0 and, for k2 = 0 and k2 = n2/2, in k1. Threads call f concurrently; it must
  /// not throw. Collective. Throws Error.
  template <class F> std::shared_ptr<const Table> table(const F &f) const {
    hfft_table made = Api::table(
        plan_.get(),
        [](std::ptrdiff_t k0, std::ptrdiff_t k1, std::ptrdiff_t k2, void *user) -> double {
          return (*static_cast<const F *>(user))(k0, k1, k2);
        },
        address_of(f));
    require(made != nullptr);
    return std::shared_ptr<const Table>(new Table(made));
  }

  /// A source of a sweep over planes: a field for the backward transform, with borrowed factors of
  /// axis 1 and axis 2.
  struct Source {
    int field = 0;                   ///< 0 .. fields-1
    const Factors *along1 = nullptr; ///< nullptr: factors of 1
    const Factors *along2 = nullptr; ///< nullptr: factors of 1
  };
  /// Line j of this rank's plane i, passed to the work. in[s][k] are the values of source s. The
  /// work writes the n2 values of field targets[t] to scratch[t], or sets out[t] to the address of
  /// its own values. These must stay unchanged until the sweep ends. scratch[t] keeps no values
  /// between calls.
  struct Line {
    std::ptrdiff_t i;      ///< local plane
    std::ptrdiff_t j;      ///< line of the plane
    const Real *const *in; ///< n2 values of each source
    Real *const *scratch;  ///< buffers for n2 values of each target
    const Real **out;      ///< addresses of the results, initially scratch
  };
  /// Type of user work on each line. Sweeps take any function of a line, and call it directly.
  using Work = std::function<void(const Line &)>;
  /// A part of a sweep: lines j < lines of this rank's planes first <= i < end. Numbers beyond the
  /// extents mean all planes or all lines.
  struct Part {
    std::ptrdiff_t first = 0;                                          ///< local plane
    std::ptrdiff_t end = std::numeric_limits<std::ptrdiff_t>::max();   ///< plane after the last
    std::ptrdiff_t lines = std::numeric_limits<std::ptrdiff_t>::max(); ///< lines of each plane
  };
  /// Runs a sweep over planes. It calls `work` once for each line, concurrently and in any order.
  /// All sources of a plane are read before its first line, and targets are written after its last
  /// line: a field may be a source and a target. `work` must not throw or be empty. There are at
  /// most 3 sources and 3 targets. Collective. Throws Error.
  template <class F>
  void planes(std::span<const Source> sources, std::span<const int> targets, F &&work) {
    sweep(nullptr, sources, targets, work);
  }
  /// Runs a sweep over a part of the planes. It usually has no targets, and only calls the work.
  /// Each rank chooses its own part. Targets are allowed if the plan has one rank and the part has
  /// all lines of its planes: the other planes of a target then stay unchanged for later sweeps
  /// over planes, and a sweep over lines reads the results of all parts. Throws
  /// Error(HFFT_ERROR_ARGUMENT) for negative numbers and for targets in other cases.
  template <class F>
  void planes(const Part &part, std::span<const Source> sources, std::span<const int> targets,
              F &&work) {
    const hfft_part c_part{part.first, part.end, part.lines};
    sweep(&c_part, sources, targets, work);
  }

  /// A field, multiplied by borrowed factors.
  struct Term {
    int field = 0;                   ///< 0 .. fields-1
    const Table *table = nullptr;    ///< nullptr: factors of 1
    const Factors *along0 = nullptr; ///< nullptr: factors of 1
  };
  /// New value of a field: a sum of one or two terms.
  struct Product {
    int field = 0;           ///< 0 .. fields-1
    std::vector<Term> terms; ///< one or two
  };
  /// Runs a sweep over lines for all products together. The terms use the fields as they were
  /// before the sweep. There are at most 3 products, and 3 different fields in the terms.
  /// Collective. Throws Error.
  void lines(std::span<const Product> products) {
    std::array<hfft_product, room> list{};
    for (std::size_t p = 0; p < std::min(products.size(), room); ++p) {
      const std::vector<Term> &terms = products[p].terms;
      list[p] = {products[p].field, static_cast<int>(terms.size()),
                 terms.empty() ? hfft_term{} : c_term(terms[0]),
                 terms.size() < 2 ? hfft_term{} : c_term(terms[1])};
    }
    require(Api::lines(plan_.get(), number_of(products), list.data()) == HFFT_SUCCESS);
  }

  /// Returns true if each field has messages of its own. Work on one field is then faster in a
  /// sweep of its own, while other fields are in flight. Otherwise sweeps over several fields are
  /// faster. The result is the same on all ranks.
  bool fields_travel_apart() const { return Api::fields_apart(plan_.get()) != 0; }

  /// Seconds spent by this rank in its sweeps: in transforms and the user's work, and in exchanges.
  /// Messages also progress during transforms.
  struct Profile {
    double planes = 0;   ///< sweeps over planes
    double lines = 0;    ///< sweeps over lines
    double exchange = 0; ///< waiting for messages, starting and finishing exchanges
  };
  /// Returns the seconds so far. Local. Throws Error.
  Profile profile() const {
    Profile p;
    require(Api::profile(plan_.get(), &p.planes, &p.lines, &p.exchange) == HFFT_SUCCESS);
    return p;
  }

  /// Returns a description of the plan.
  std::string describe() const {
    const std::unique_ptr<char, void (*)(void *)> text(Api::describe(plan_.get()), std::free);
    return text ? text.get() : "";
  }
  /// Returns the bytes of this rank's fields and of the scratch of all threads. Tables are not
  /// included: each has (n0/2+1) (n1/2+1) n2 numbers over all ranks.
  std::size_t bytes() const { return Api::bytes(plan_.get()); }
  /// Returns the plan of the C API; this object keeps its ownership.
  typename Api::Handle handle() const { return plan_.get(); }

private:
  /// Maximum number of list entries to convert. It exceeds the C API's limit, so the C API still
  /// refuses lists that are too long.
  static constexpr std::size_t room = 8;

  static void require(bool ok) {
    if (!ok) detail::raise_last_error();
  }
  template <class T> static int number_of(std::span<T> list) {
    return static_cast<int>(std::min(list.size(), room));
  }
  template <class F> static void *address_of(const F &f) {
    return const_cast<void *>(static_cast<const void *>(std::addressof(f)));
  }
  static hfft_factors c_factors(const Factors *f) {
    return f != nullptr ? f->factors_.get() : nullptr;
  }
  static hfft_term c_term(const Term &t) {
    return {t.field, t.table != nullptr ? t.table->table_.get() : nullptr, c_factors(t.along0)};
  }
  template <class F> static bool is_empty(const F &work) {
    if constexpr (std::is_pointer_v<F> || std::is_same_v<F, Work>)
      return work == nullptr;
    else
      return false;
  }
  template <class F>
  void sweep(const hfft_part *part, std::span<const Source> sources, std::span<const int> targets,
             F &work) {
    std::array<hfft_source, room> from{};
    for (std::size_t s = 0; s < std::min(sources.size(), room); ++s)
      from[s] = {sources[s].field, c_factors(sources[s].along1), c_factors(sources[s].along2)};
    const auto call = [&work](const Line &line) { work(line); };
    using Call = decltype(call);
    const auto line = [](std::ptrdiff_t i, std::ptrdiff_t j, const Real *const *in,
                         Real *const *scratch, const Real **out, void *user) {
      (*static_cast<Call *>(user))(Line{i, j, in, scratch, out});
    };
    const bool empty = is_empty(work);
    const int code =
        Api::planes(plan_.get(), part, number_of(sources), from.data(), number_of(targets),
                    targets.data(), empty ? nullptr : +line, empty ? nullptr : address_of(call));
    require(code == HFFT_SUCCESS);
  }

  struct DestroyOperatorPlan {
    using pointer = typename Api::Handle;
    void operator()(pointer p) const { Api::destroy(p); }
  };
  std::unique_ptr<std::remove_pointer_t<typename Api::Handle>, DestroyOperatorPlan> plan_;
};

} // namespace hybridfft

#endif
