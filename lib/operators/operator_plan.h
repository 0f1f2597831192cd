/// Operators on real fields: what hybridfft/operators.h says, for one precision.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/mpi_kind.h"

namespace hybridfft {

/// hybridfft/operators.h says what its functions do. Errors are thrown as Failure. Results do not
/// depend on the number of ranks and threads, not even in the last bit.
template <class Real> class OperatorEngine {
public:
  using Complex = std::complex<Real>;

  /// Whether this rank's processor has kernels for the extents; a plan takes what all ranks have.
  static bool supports(const std::array<std::ptrdiff_t, 3> &extents);

  /// Collective; every rank may have planes or none. Throws Error, HFFT_ERROR_UNSUPPORTED where
  /// no kernel that the processors of all ranks have fits the extents.
  /// \param threads per rank, at least 1
  OperatorEngine(const std::array<std::ptrdiff_t, 3> &extents, int fields, MPI_Comm comm,
                 int threads);
  ~OperatorEngine();
  OperatorEngine(OperatorEngine &&) noexcept;
  OperatorEngine &operator=(OperatorEngine &&) noexcept;

  /// Factors along an axis: one for each of its n0 or n1, or n2/2+1 bins.
  class Factors {
  public:
    Factors() = default; ///< ones
    explicit operator bool() const { return !values_.empty(); }

  private:
    friend class OperatorEngine;
    std::vector<Complex> values_; ///< in the order in which the sweeps take them
    int axis_ = 0;
  };
  /// Throws Error(HFFT_ERROR_ARGUMENT) for a wrong axis or number.
  Factors factors(int axis, std::span<const Complex> values) const;

  /// Real factors for all bins of this rank.
  class Table;
  /// f(k0, k1, k2), called with bin numbers 0 <= k0 <= n0/2, 0 <= k1 < n1, 0 <= k2 <= n2/2: it must
  /// be even in k0. Called concurrently. Collective. Throws Error.
  std::shared_ptr<const Table>
  table(const std::function<double(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t)> &f) const;

  /// A field that a sweep over planes transforms back, multiplied by factors of axis 1 and axis 2;
  /// they are borrowed, nullptr for none.
  struct Source {
    int field = 0;
    const Factors *along1 = nullptr;
    const Factors *along2 = nullptr;
  };
  /// Line j of this rank's plane i: in[s][k] are the values of source s. The n2 values that go to
  /// the field targets[t] are written to scratch[t]; or out[t] is set to point to the user's own,
  /// which must stay as they are until the sweep is over. In scratch[t] nothing is kept.
  struct Line {
    std::ptrdiff_t i, j;
    Real *const *in;
    Real *const *scratch;
    const Real **out;
  };
  using Work = std::function<void(const Line &)>;
  /// `work` is called once for each line, concurrently and in any order, after the whole plane is
  /// read from the sources and before any of its targets is written: a field may be a source and a
  /// target. It must not throw, nor be empty. At most 3 sources and 3 targets.
  void planes(std::span<const Source> sources, std::span<const int> targets, const Work &work);

  /// Lines j < lines of this rank's planes first <= i < end; more than there are is all of them.
  struct Part {
    std::ptrdiff_t first = 0;
    std::ptrdiff_t end = std::numeric_limits<std::ptrdiff_t>::max();
    std::ptrdiff_t lines = std::numeric_limits<std::ptrdiff_t>::max();
  };
  /// The same for a part: without targets, where only some of the results are wanted; each rank has
  /// a part of its own. On one rank there may be targets, if the planes are whole ones: the other
  /// planes of a target stay as they are, to be read by sweeps over planes that follow or written
  /// by them, and a sweep over lines takes what all parts have written. Throws
  /// Error(HFFT_ERROR_ARGUMENT) for negative numbers, and for targets otherwise.
  void planes(const Part &part, std::span<const Source> sources, std::span<const int> targets,
              const Work &work);

  struct Term {
    int field = 0;
    const Table *table = nullptr;    ///< nullptr: ones
    const Factors *along0 = nullptr; ///< nullptr: ones
  };
  /// The new values of a field: a sum of one or two terms.
  struct Product {
    int field = 0;
    std::span<const Term> terms;
  };
  /// All products at once; the terms see the fields as they are before. At most 3 products, and 3
  /// different fields in the terms. What is refused is refused before any product is computed.
  void lines(std::span<const Product> products);

  /// Whether fields travel one by one, in messages: what needs one of them only is better done in a
  /// sweep of its own, while the others are under way. Otherwise sweeps over several at once are
  /// faster. The same on all ranks.
  bool fields_travel_apart() const;

  /// Seconds that this rank has spent in its sweeps: in transforms with the work between them, and
  /// in waiting for, starting and finishing exchanges. Exchanges move on during transforms too.
  struct Profile {
    double planes = 0, lines = 0, exchange = 0;
  };
  Profile profile() const;

  /// The plan in words.
  std::string describe() const;
  /// Memory of this rank's fields and of the scratch of all threads, in bytes; tables come on top:
  /// (n0/2+1) n1 (n2/2+1) numbers each over all ranks.
  std::size_t bytes() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace hybridfft
