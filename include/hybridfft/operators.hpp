/// \file operators.hpp
/// Operator plans in C++: a thin layer over operators.h, which documents them. Every call that
/// fails throws hybridfft::Error, on all ranks alike where it is collective.
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
#include "hybridfft/operators.h"

namespace hybridfft {

namespace detail {

template <class Real> struct OperatorApi;

/// The C functions of one precision.
#define HFFT_DEFINE_CPP_OPERATOR_API(X, R, C)                                                      \
  template <> struct OperatorApi<R> {                                                              \
    using Handle = X(operator_plan);                                                               \
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

/// Throws Error with the code and message of the last call that failed.
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

/// A plan of `fields` half-transformed fields, and the sweeps that fill and use them. Move-only.
template <class Real> class OperatorPlan {
  using Api = detail::OperatorApi<Real>;

public:
  /// Complex numbers of the plan's precision.
  using Complex = std::complex<Real>;

  /// True if this rank's processor has kernels for the extents; a plan takes kernels that all ranks
  /// have.
  static bool supports(const std::array<std::ptrdiff_t, 3> &extents) {
    return Api::supports(extents[0], extents[1], extents[2]) != 0;
  }

  /// Collective; every rank may have planes or none. Throws Error, HFFT_ERROR_UNSUPPORTED where
  /// no kernel that the processors of all ranks have fits the extents.
  /// \param threads per rank, at least 1
  OperatorPlan(const std::array<std::ptrdiff_t, 3> &extents, int fields, MPI_Comm comm, int threads)
      : plan_(Api::make(extents[0], extents[1], extents[2], fields, comm, threads)) {
    require(plan_ != nullptr);
  }

  /// Factors along an axis: one for each of its n0 or n1, or n2/2+1 bins.
  class Factors {
  public:
    Factors() = default; ///< ones
    /// True if there are factors; otherwise all are ones.
    explicit operator bool() const { return factors_ != nullptr; }

  private:
    friend class OperatorPlan;
    explicit Factors(hfft_factors factors) : factors_(factors, detail::DestroyFactors()) {}
    std::shared_ptr<hfft_factors_s> factors_;
  };
  /// Throws Error(HFFT_ERROR_ARGUMENT) for a wrong axis or number.
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
  /// f(k0, k1, k2), called with bin numbers 0 <= k0 <= n0/2, 0 <= k1 < n1, 0 <= k2 <= n2/2: it is
  /// even in k0. Called concurrently; must not throw. Collective. Throws Error.
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

  /// A field that a sweep over planes transforms back, multiplied by factors of axis 1 and axis 2;
  /// they are borrowed, nullptr for none.
  struct Source {
    int field = 0;                   ///< 0 .. fields-1
    const Factors *along1 = nullptr; ///< nullptr: ones
    const Factors *along2 = nullptr; ///< nullptr: ones
  };
  /// Line j of this rank's plane i: in[s][k] are the values of source s. The n2 values that go to
  /// the field targets[t] are written to scratch[t]; or out[t] is set to point to the user's own,
  /// which stay as they are until the sweep is over. In scratch[t] nothing is kept.
  struct Line {
    std::ptrdiff_t i;      ///< local plane
    std::ptrdiff_t j;      ///< line of it
    const Real *const *in; ///< n2 values of each source
    Real *const *scratch;  ///< room for n2 values of each target
    const Real **out;      ///< addresses of these values, scratch at first
  };
  /// The user's work on each line.
  using Work = std::function<void(const Line &)>;
  /// Lines j < lines of this rank's planes first <= i < end; more than there are is all of them.
  struct Part {
    std::ptrdiff_t first = 0;                                          ///< local plane
    std::ptrdiff_t end = std::numeric_limits<std::ptrdiff_t>::max();   ///< plane after the last
    std::ptrdiff_t lines = std::numeric_limits<std::ptrdiff_t>::max(); ///< lines of each plane
  };
  /// `work` is called once for each line, concurrently and in any order, after the whole plane is
  /// read from the sources and before any of its targets is written: a field may be a source and a
  /// target. It must not throw, nor be empty. At most 3 sources and 3 targets. Collective. Throws
  /// Error.
  void planes(std::span<const Source> sources, std::span<const int> targets, const Work &work) {
    sweep(nullptr, sources, targets, work);
  }
  /// The same for a part: without targets, where only some of the results are wanted; each rank has
  /// a part of its own. On one rank there may be targets, if the planes are whole ones: the other
  /// planes of a target stay as they are, to be read by sweeps over planes that follow or written
  /// by them, and a sweep over lines reads the results of all parts. Throws
  /// Error(HFFT_ERROR_ARGUMENT) for negative numbers, and for targets otherwise.
  void planes(const Part &part, std::span<const Source> sources, std::span<const int> targets,
              const Work &work) {
    const hfft_part c_part{part.first, part.end, part.lines};
    sweep(&c_part, sources, targets, work);
  }

  /// A field, multiplied by factors, which are borrowed.
  struct Term {
    int field = 0;                   ///< 0 .. fields-1
    const Table *table = nullptr;    ///< nullptr: ones
    const Factors *along0 = nullptr; ///< nullptr: ones
  };
  /// The new value of a field: a sum of one or two terms.
  struct Product {
    int field = 0;           ///< 0 .. fields-1
    std::vector<Term> terms; ///< one or two
  };
  /// All products at once; the terms see the fields as they are before. At most 3 products, and 3
  /// different fields in the terms. Collective. Throws Error.
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

  /// True if fields travel one by one, in messages: work on one of them alone is better done in a
  /// sweep of its own, while the others are under way. Otherwise sweeps over several at once are
  /// faster. The same on all ranks.
  bool fields_travel_apart() const { return Api::fields_apart(plan_.get()) != 0; }

  /// Seconds that this rank has spent in its sweeps: in transforms with the work between them, and
  /// in waiting for, starting and finishing exchanges. Exchanges move on during transforms too.
  struct Profile {
    double planes = 0;   ///< sweeps over planes
    double lines = 0;    ///< sweeps over lines
    double exchange = 0; ///< waiting for messages, starting and finishing exchanges
  };
  /// The seconds so far. Local. Throws Error.
  Profile profile() const {
    Profile p;
    require(Api::profile(plan_.get(), &p.planes, &p.lines, &p.exchange) == HFFT_SUCCESS);
    return p;
  }

  /// The plan in words.
  std::string describe() const {
    const std::unique_ptr<char, void (*)(void *)> text(Api::describe(plan_.get()), std::free);
    return text ? text.get() : "";
  }
  /// Memory of this rank's fields and of the scratch of all threads, in bytes; tables come on top:
  /// (n0/2+1) n1 (n2/2+1) numbers each over all ranks.
  std::size_t bytes() const { return Api::bytes(plan_.get()); }
  /// The plan of the C API, which stays this object's.
  typename Api::Handle handle() const { return plan_.get(); }

private:
  /// Lists that are too long are refused by the library, which looks at no more entries.
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
  void sweep(const hfft_part *part, std::span<const Source> sources, std::span<const int> targets,
             const Work &work) {
    std::array<hfft_source, room> from{};
    for (std::size_t s = 0; s < std::min(sources.size(), room); ++s)
      from[s] = {sources[s].field, c_factors(sources[s].along1), c_factors(sources[s].along2)};
    const auto line = [](std::ptrdiff_t i, std::ptrdiff_t j, const Real *const *in,
                         Real *const *scratch, const Real **out, void *user) {
      (*static_cast<const Work *>(user))(Line{i, j, in, scratch, out});
    };
    const int code = work ? Api::planes(plan_.get(), part, number_of(sources), from.data(),
                                        number_of(targets), targets.data(), line, address_of(work))
                          : Api::planes(plan_.get(), part, number_of(sources), from.data(),
                                        number_of(targets), targets.data(), nullptr, nullptr);
    require(code == HFFT_SUCCESS);
  }

  struct Destroy {
    using pointer = typename Api::Handle;
    void operator()(pointer p) const { Api::destroy(p); }
  };
  std::unique_ptr<std::remove_pointer_t<typename Api::Handle>, Destroy> plan_;
};

} // namespace hybridfft

#endif
