/// \file hybridfft.hpp
/// C++ API of HybridFFT: RAII plans typed on precision and kind, spans for arrays, exceptions. It
/// is a thin layer over hybridfft.h with the same conventions (FFTW's). Every failed call throws
/// hybridfft::Error, on all ranks alike.
#ifndef HYBRIDFFT_HYBRIDFFT_HPP
#define HYBRIDFFT_HYBRIDFFT_HPP

#include "hybridfft/require_cxx20.h"

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/hybridfft.h"
#include "hybridfft/layout.hpp"

namespace hybridfft {

/// Kind of a transform; its values are those of enum hfft_kind.
enum class Kind { c2c = HFFT_C2C, r2c = HFFT_R2C, c2r = HFFT_C2R, r2r = HFFT_R2R };
/// Sign of a complex transform.
enum class Direction : int { forward = HFFT_FORWARD, backward = HFFT_BACKWARD };
/// Planning effort: the planner flags of hybridfft.h.
enum class Effort : unsigned {
  estimate = HFFT_ESTIMATE,
  measure = HFFT_MEASURE,
  patient = HFFT_PATIENT,
  exhaustive = HFFT_EXHAUSTIVE
};

/// Precision of messages between ranks. HFFT_WIRE_SINGLE in hybridfft.h documents the errors.
enum class Wire : unsigned {
  full = 0,
  single = HFFT_WIRE_SINGLE,     ///< single precision, for double plans
  bfloat16 = HFFT_WIRE_BFLOAT16, ///< bfloat16 numbers, for float plans
  half = HFFT_WIRE_HALF          ///< half-precision numbers, for float plans
};

/// A work space: buffers shared by several plans. A forward and a backward plan then need one set
/// of buffers. See hfft_work_create() in hybridfft/options.h. Move-only.
class WorkSpace {
public:
  /// Creates a work space in memory of the library, as large as the largest plan needs. Throws
  /// Error.
  WorkSpace() : work_(hfft_work_create()) { require(work_ != nullptr); }
  /// Returns the bytes needed on this rank by the plans so far.
  std::size_t size() const { return hfft_work_size(work_.get()); }
  /// Replaces the memory by the user's, aligned to 64 bytes.
  /// \param memory at least size() bytes
  /// \throws Error without any change if the memory is too small or misaligned, or if an active
  ///   execution uses the work space
  void give(std::span<std::byte> memory) {
    require(hfft_work_set_memory(work_.get(), memory.data(), memory.size()) == HFFT_SUCCESS);
  }
  /// Returns the work space of the C API; this object keeps its ownership.
  hfft_work handle() const { return work_.get(); }

private:
  static void require(bool ok) {
    if (!ok) throw Error(static_cast<hfft_error>(hfft_last_error()), hfft_last_error_message());
  }
  struct Destroy {
    using pointer = hfft_work;
    void operator()(hfft_work work) const { hfft_work_destroy(work); }
  };
  std::unique_ptr<hfft_work_s, Destroy> work_;
};

/// Options of a Plan besides its extents.
struct Options {
  MPI_Comm comm = MPI_COMM_WORLD;                ///< communicator of the ranks with the arrays
  Direction direction = Direction::forward;      ///< for c2c only: r2c is forward and c2r backward
  Effort effort = Effort::measure;               ///< all efforts but estimate overwrite the arrays
  bool transposed_in = false;                    ///< input stored n1 x n0 x ..., distributed along
                                                 ///< n1
  bool transposed_out = false;                   ///< output stored n1 x n0 x ..., distributed along
                                                 ///< n1
  std::ptrdiff_t howmany = 1;                    ///< interleaved values per point
  std::ptrdiff_t block_in = HFFT_DEFAULT_BLOCK;  ///< rows of the input on a rank
  std::ptrdiff_t block_out = HFFT_DEFAULT_BLOCK; ///< rows of the output on a rank
  int threads = 0;            ///< threads per rank; 0: the number of plan_with_nthreads()
  double time_limit = -1;     ///< seconds for planning; negative: the limit of set_timelimit()
  double scale = 1;           ///< factor of the result, applied in the last transform's pass; not 0
  bool deterministic = false; ///< identical bits for any number of ranks and threads
  Wire wire = Wire::full; ///< precision of messages; a reduced one halves their bytes, and rounds
  bool nonblocking =
      false; ///< for start(): messages are in flight while the program does other work
  bool wisdom_only = false; ///< take the plan from wisdom, else HFFT_ERROR_NO_WISDOM
  /// Axes to transform, for plans between layouts. For r2c and c2r the last axis of the list is the
  /// halved one. Empty: all axes.
  std::vector<int> axes = {};
  bool redistribute_only = false; ///< a plan between layouts transforms no axis
  /// Number of modes of the spectrum along each axis, at most the extent of the grid. Transforms to
  /// the spectrum drop the other modes, and transforms from it take them as zero. Empty: all modes.
  /// See plan_pruned_dft in hybridfft.h.
  std::vector<std::ptrdiff_t> modes = {};
  /// Kind of the transform along each axis (of each of `axes`), a value of enum hfft_r2r_kind.
  /// Required for r2r. Empty: Fourier transforms. Between slabs r2c and c2r halve the last axis
  /// with HFFT_DFT.
  std::vector<int> kinds = {};
  const WorkSpace *work = nullptr; ///< shared work space; nullptr: the plan has its own
  bool scrambled_in = false; ///< input of a line in scrambled order, see plan_dft_1d in hybridfft.h
  bool scrambled_out = false; ///< output of a line in scrambled order
};

namespace detail {

/// Makes a layout of the C API; returns nullptr on failure.
HFFT_EXPORT hfft_layout wrap(const Layout &layout);
/// Makes the layouts of a line of n points; returns false on failure.
HFFT_EXPORT bool line_layouts(std::ptrdiff_t n, const hfft_options &options, MPI_Comm comm,
                              Layout &in, Layout &out);

struct DestroyLayout {
  using pointer = hfft_layout;
  void operator()(hfft_layout l) const { hfft_layout_destroy(l); }
};
using LayoutHandle = std::unique_ptr<hfft_layout_s, DestroyLayout>;

/// Throws Error unless there is one number of modes for each axis, or none.
inline void require_modes(const Options &options, std::size_t axes) {
  if (!options.modes.empty() && options.modes.size() != axes)
    throw Error(HFFT_ERROR_ARGUMENT, "Options::modes has " + std::to_string(options.modes.size()) +
                                         " numbers, expected " + std::to_string(axes) +
                                         ", one for each axis");
}

/// Throws Error unless there is one kind for each axis, or none.
inline void require_kinds(const Options &options, std::size_t axes) {
  if (!options.kinds.empty() && options.kinds.size() != axes)
    throw Error(HFFT_ERROR_ARGUMENT, "Options::kinds has " + std::to_string(options.kinds.size()) +
                                         " numbers, expected " + std::to_string(axes) +
                                         ", one for each axis");
}

/// Returns the axis halved by r2c and c2r plans of slabs: the last one with the kind HFFT_DFT.
inline std::size_t halved_axis(const Options &options, std::size_t axes) {
  std::size_t axis = axes;
  while (axis > 1 && !options.kinds.empty() && options.kinds[axis - 1] != HFFT_DFT)
    --axis;
  return axis - 1;
}

/// Converts options to the C API; the result points into `o`. `slabs` is true for plans of slabs,
/// false for plans between layouts. Only plans of slabs use transposition and scrambled order. Only
/// plans between layouts use the list of axes.
inline hfft_options c_options(const Options &o, bool slabs) {
  static constexpr int none = 0;
  hfft_options c = HFFT_OPTIONS_INIT;
  c.flags = static_cast<unsigned>(o.effort) | static_cast<unsigned>(o.wire) |
            (o.deterministic ? HFFT_DETERMINISTIC : 0U) | (o.nonblocking ? HFFT_NONBLOCKING : 0U) |
            (o.wisdom_only ? HFFT_WISDOM_ONLY : 0U);
  c.threads = o.threads;
  c.time_limit = o.time_limit;
  c.scale = o.scale;
  c.howmany = o.howmany;
  c.iblock = o.block_in;
  c.oblock = o.block_out;
  c.work = o.work != nullptr ? o.work->handle() : nullptr;
  c.modes = o.modes.empty() ? nullptr : o.modes.data();
  c.kinds = o.kinds.empty() ? nullptr : o.kinds.data();
  if (slabs) {
    c.flags |=
        (o.transposed_in ? HFFT_TRANSPOSED_IN : 0U) | (o.transposed_out ? HFFT_TRANSPOSED_OUT : 0U);
    c.flags |=
        (o.scrambled_in ? HFFT_SCRAMBLED_IN : 0U) | (o.scrambled_out ? HFFT_SCRAMBLED_OUT : 0U);
  } else if (o.redistribute_only || !o.axes.empty()) {
    c.axes = o.redistribute_only ? &none : o.axes.data();
    c.naxes = o.redistribute_only ? 0 : static_cast<int>(o.axes.size());
  }
  return c;
}

template <class Real> struct Api;

/// Maps the C functions of one precision to overloads.
#define HFFT_DEFINE_CPP_API(X, R, C)                                                               \
  template <> struct Api<R> {                                                                      \
    using Handle = X(plan);                                                                        \
    using Complex = std::complex<R>;                                                               \
    static C *raw(Complex *p) { return reinterpret_cast<C *>(p); }                                 \
    static R *raw(R *p) { return p; }                                                              \
    [[noreturn]] static void raise() {                                                             \
      throw Error(static_cast<hfft_error>(X(last_error)()), X(last_error_message)());              \
    }                                                                                              \
    static Handle plan(int kind, std::span<const std::ptrdiff_t> n, void *in, void *out,           \
                       MPI_Comm comm, int sign, const hfft_options &o) {                           \
      return X(plan_slabs)(kind, static_cast<int>(n.size()), n.data(), in, out, comm, sign, &o);   \
    }                                                                                              \
    static Handle plan(int kind, hfft_layout i, hfft_layout o, void *in, void *out, MPI_Comm comm, \
                       int sign, const hfft_options &options) {                                    \
      return X(plan_layouts)(kind, i, o, in, out, comm, sign, &options);                           \
    }                                                                                              \
    static int choose_grid(int kind, std::span<const std::ptrdiff_t> n, const Options &o,          \
                           int fields, int *grid) {                                                \
      const unsigned only = o.wisdom_only ? HFFT_WISDOM_ONLY : 0U;                                 \
      return X(choose_grid)(kind, static_cast<int>(n.size()), n.data(), o.howmany, fields, o.comm, \
                            static_cast<unsigned>(o.effort) | only, grid);                         \
    }                                                                                              \
    static int last_error() { return X(last_error)(); }                                            \
    static std::ptrdiff_t layout_size(hfft_layout i, hfft_layout o, int kind, MPI_Comm comm) {     \
      return X(layout_size)(i, o, kind, comm);                                                     \
    }                                                                                              \
    static int execute(Handle p, Complex *in, Complex *out) {                                      \
      return X(execute_dft)(p, raw(in), raw(out));                                                 \
    }                                                                                              \
    static int execute(Handle p, R *in, Complex *out) {                                            \
      return X(execute_dft_r2c)(p, in, raw(out));                                                  \
    }                                                                                              \
    static int execute(Handle p, Complex *in, R *out) {                                            \
      return X(execute_dft_c2r)(p, raw(in), out);                                                  \
    }                                                                                              \
    static int execute(Handle p, R *in, R *out) { return X(execute_r2r)(p, in, out); }             \
    static int start(Handle p, R *in, R *out) { return X(execute_start_r2r)(p, in, out); }         \
    static int start(Handle p, Complex *in, Complex *out) {                                        \
      return X(execute_start_dft)(p, raw(in), raw(out));                                           \
    }                                                                                              \
    static int start(Handle p, R *in, Complex *out) {                                              \
      return X(execute_start_dft_r2c)(p, in, raw(out));                                            \
    }                                                                                              \
    static int start(Handle p, Complex *in, R *out) {                                              \
      return X(execute_start_dft_c2r)(p, raw(in), out);                                            \
    }                                                                                              \
    static int test(Handle p, int *done) { return X(execute_test)(p, done); }                      \
    static int wait(Handle p) { return X(execute_wait)(p); }                                       \
    static bool under_way(Handle p) { return X(plan_under_way)(p) != 0; }                          \
    static std::ptrdiff_t local_size(int d, const std::ptrdiff_t *n, std::ptrdiff_t howmany,       \
                                     std::ptrdiff_t b0, std::ptrdiff_t b1, MPI_Comm comm) {        \
      std::ptrdiff_t unused[4];                                                                    \
      return X(local_size_many_transposed)(d, n, howmany, b0, b1, comm, unused, unused + 1,        \
                                           unused + 2, unused + 3);                                \
    }                                                                                              \
    static std::ptrdiff_t local_size_pruned(int d, const std::ptrdiff_t *n,                        \
                                            const std::ptrdiff_t *modes, std::ptrdiff_t howmany,   \
                                            std::ptrdiff_t b0, std::ptrdiff_t b1, MPI_Comm comm) { \
      return X(local_size_pruned)(d, n, modes, howmany, b0, b1, comm);                             \
    }                                                                                              \
    static void destroy(Handle p) { X(destroy_plan)(p); }                                          \
    static char *describe(Handle p) { return X(sprint_plan)(p); }                                  \
    static std::size_t work_bytes(Handle p) { return X(plan_work_bytes)(p); }                      \
    static int set_profiling(Handle p, bool on) { return X(plan_set_profiling)(p, on ? 1 : 0); }   \
    static int profile(Handle p, hfft_stage_profile *stages, int capacity, int *count) {           \
      return X(plan_profile)(p, stages, capacity, count);                                          \
    }                                                                                              \
  };
HFFT_DEFINE_CPP_API(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_DEFINE_CPP_API(HFFT_MANGLE_FLOAT, float, hfftf_complex)
#undef HFFT_DEFINE_CPP_API

} // namespace detail

/// Returns wisdom (the fastest known plans) as text. Throws Error.
inline std::string export_wisdom() {
  const std::unique_ptr<char, void (*)(void *)> text(hfft_export_wisdom_to_string(), std::free);
  if (!text) detail::Api<double>::raise();
  return text.get();
}

/// Adds wisdom to the store of the process. For damaged text it throws Error and changes nothing.
inline void import_wisdom(const std::string &text) {
  if (hfft_import_wisdom_from_string(text.c_str()) == 0) detail::Api<double>::raise();
}

/// Aligned memory, zeroed and first touched by the threads of the next plan. T is float, double or
/// their std::complex. Throws Error(HFFT_ERROR_OUT_OF_MEMORY), on this rank alone.
template <class T> class Buffer {
public:
  Buffer() = default;
  /// Allocates n elements.
  explicit Buffer(std::size_t n) : size_(n) {
    if (n <= static_cast<std::size_t>(-1) / sizeof(T))
      data_.reset(static_cast<T *>(hfft_malloc(n * sizeof(T))));
    if (!data_)
      throw Error(HFFT_ERROR_OUT_OF_MEMORY, "out of memory: " + std::to_string(n) +
                                                " elements of " + std::to_string(sizeof(T)) +
                                                " bytes cannot be allocated");
  }
  /// Returns the first element; nullptr for an empty buffer.
  T *data() { return data_.get(); }
  /// Returns the first element; nullptr for an empty buffer.
  const T *data() const { return data_.get(); }
  /// Returns the number of elements.
  std::size_t size() const { return size_; }
  /// Returns element i, 0 <= i < size(). Any integer type is accepted, because offsets of a
  /// LayoutView are signed and sizes are not.
  template <std::integral I> T &operator[](I i) { return data_.get()[i]; }
  /// Returns element i, 0 <= i < size().
  template <std::integral I> const T &operator[](I i) const { return data_.get()[i]; }
  /// Returns all elements.
  std::span<T> span() { return {data(), size_}; }
  /// Converts to a span of all elements, for the arguments of plans.
  operator std::span<T>() { return span(); }
  /// Returns the begin of range-based loops.
  T *begin() { return data(); }
  /// Returns the end of range-based loops.
  T *end() { return data() + size_; }

private:
  struct Free {
    void operator()(T *p) const { hfft_free(p); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

/// Element types of a kind of transform.
template <class Real, Kind K> struct Elements {
  /// Type of the input's elements.
  using In = std::conditional_t<K == Kind::r2c || K == Kind::r2r, Real, std::complex<Real>>;
  /// Type of the output's elements.
  using Out = std::conditional_t<K == Kind::c2r || K == Kind::r2r, Real, std::complex<Real>>;
};

/// This rank's parts of input and output, and the numbers of elements to allocate.
struct LocalSizes {
  LayoutView in;                ///< view of the input
  LayoutView out;               ///< view of the output
  std::size_t allocate_in = 0;  ///< elements of the input's type
  std::size_t allocate_out = 0; ///< elements of the output's type
};

namespace detail {

/// Returns true if two arrays share a byte.
inline bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.empty() || b.empty()) return false;
  const std::less<> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

/// Returns f() if it throws Error on no rank; otherwise throws on all ranks. Collective.
template <class F> auto on_all_ranks(MPI_Comm comm, const F &f) {
  std::optional<decltype(f())> value;
  std::optional<Error> failure;
  try {
    value.emplace(f());
  } catch (const Error &e) {
    failure = e;
  }
  // Without MPI all ranks fail with the same error, and no reduction is possible.
  if (failure && failure->code() == HFFT_ERROR_MPI_NOT_RUNNING) throw Error(*failure);
  int code = failure ? failure->code() : HFFT_SUCCESS;
  if (comm != MPI_COMM_NULL) MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, comm);
  if (failure) throw Error(*failure);
  if (code != HFFT_SUCCESS)
    throw Error(static_cast<hfft_error>(code), "an argument was refused on another rank");
  return std::move(*value);
}

template <class Real> LocalSizes sizes_of_line(std::ptrdiff_t n, const Options &options) {
  Layout in;
  Layout out;
  if (!line_layouts(n, c_options(options, true), options.comm, in, out)) Api<Real>::raise();
  int rank = 0;
  MPI_Comm_rank(options.comm, &rank);
  const auto size = static_cast<std::size_t>(
      std::max({std::ptrdiff_t{1}, in.local_size(rank), out.local_size(rank)}));
  return {LayoutView(in, rank), LayoutView(out, rank), size, size};
}

template <class Real, Kind K>
LocalSizes sizes_of_slabs(std::span<const std::ptrdiff_t> extents, const Options &options) {
  using Api = detail::Api<Real>;
  using Extents = std::vector<std::ptrdiff_t>;
  detail::require_modes(options, extents.size());
  detail::require_kinds(options, extents.size());
  constexpr bool halves = K == Kind::r2c || K == Kind::c2r;
  if (!halves && extents.size() == 1) return sizes_of_line<Real>(extents[0], options);
  const std::size_t halved = detail::halved_axis(options, std::max<std::size_t>(extents.size(), 1));
  const auto complex = [&](Extents n) {
    if (halves && !n.empty()) n[halved] = n[halved] / 2 + 1;
    return n;
  };
  const Extents grid(extents.begin(), extents.end());
  const Extents half = complex(grid);
  const Extents spectrum = options.modes.empty() ? half : complex(options.modes);
  const int d = static_cast<int>(half.size());
  // Blocks belong to the distributed axis: n0 normally, n1 when transposed.
  const auto allocation = [&](const auto &size) {
    std::ptrdiff_t most = 0;
    for (const auto &[transposed, block] : {std::pair(options.transposed_in, options.block_in),
                                            std::pair(options.transposed_out, options.block_out)}) {
      const std::ptrdiff_t n = size(transposed ? 0 : block, transposed ? block : 0);
      if (n < 0) Api::raise();
      most = std::max(most, n);
    }
    return static_cast<std::size_t>(most);
  };
  const auto own_size = [&](const Extents &n) {
    return allocation([&](std::ptrdiff_t block0, std::ptrdiff_t block1) {
      return Api::local_size(d, n.data(), options.howmany, block0, block1, options.comm);
    });
  };
  std::size_t of_spectrum = own_size(spectrum);
  // The real array is padded only if the last axis is halved. Without padding it may be larger than
  // the complex array.
  if (halves && halved + 1 < grid.size())
    of_spectrum = std::max(of_spectrum, (own_size(grid) + 1) / 2);
  std::size_t of_grid = of_spectrum;
  if (!options.modes.empty())
    of_grid = allocation([&](std::ptrdiff_t block0, std::ptrdiff_t block1) {
      return Api::local_size_pruned(d, half.data(), spectrum.data(), options.howmany, block0,
                                    block1, options.comm);
    });
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(options.comm, &rank);
  MPI_Comm_size(options.comm, &size);
  const auto view = [&](bool on_grid, bool transposed, std::ptrdiff_t block) {
    Layout::SlabOptions slab{transposed, block, options.howmany, 0};
    if (on_grid && halves && halved + 1 == grid.size())
      slab.last_padding = 2 * half.back() - grid.back();
    return LayoutView(Layout::slab(on_grid ? grid : spectrum, size, slab), rank);
  };
  const bool backward =
      K == Kind::c2r || (K == Kind::c2c && options.direction == Direction::backward);
  const std::size_t n_in = backward ? of_spectrum : of_grid;
  const std::size_t n_out = backward ? of_grid : of_spectrum;
  return {view(!backward, options.transposed_in, options.block_in),
          view(backward, options.transposed_out, options.block_out),
          K == Kind::r2c ? 2 * n_in : n_in, K == Kind::c2r ? 2 * n_out : n_out};
}

} // namespace detail

/// Returns the local sizes of a slab problem; extents are real extents for r2c and c2r. A single
/// extent means a complex transform along one dimension. For arrays in scrambled order, the views
/// of such a transform return indices in memory order, not frequencies. Collective. Throws Error on
/// all ranks alike.
template <class Real, Kind K>
LocalSizes local_sizes(std::span<const std::ptrdiff_t> extents, const Options &options = {}) {
  return detail::on_all_ranks(options.comm,
                              [&] { return detail::sizes_of_slabs<Real, K>(extents, options); });
}

/// Returns the local sizes of a problem between two layouts. Collective.
template <class Real, Kind K>
LocalSizes local_sizes(const Layout &in, const Layout &out, const Options &options = {}) {
  using Api = detail::Api<Real>;
  const std::ptrdiff_t size = detail::on_all_ranks(options.comm, [&] {
    detail::require_modes(options, static_cast<std::size_t>(in.dimensions()));
    detail::require_kinds(options, options.axes.empty() ? static_cast<std::size_t>(in.dimensions())
                                                        : options.axes.size());
    const detail::LayoutHandle i(detail::wrap(in));
    const detail::LayoutHandle o(detail::wrap(out));
    const std::ptrdiff_t found =
        i && o ? Api::layout_size(i.get(), o.get(), static_cast<int>(K), options.comm) : -1;
    if (found < 0) Api::raise();
    return found;
  });
  int rank = 0;
  MPI_Comm_rank(options.comm, &rank);
  const auto n = static_cast<std::size_t>(size);
  constexpr bool reals = K == Kind::r2r;
  return {LayoutView(in, rank), LayoutView(out, rank), K == Kind::r2c || reals ? 2 * n : n,
          K == Kind::c2r || reals ? 2 * n : n};
}

/// A planned transform of one precision (float or double) and kind. Move-only.
template <class Real, Kind K> class Plan {
  using Api = detail::Api<Real>;

public:
  /// Type of the input's elements.
  using In = typename Elements<Real, K>::In;
  /// Type of the output's elements.
  using Out = typename Elements<Real, K>::Out;

  Plan() = default;
  /// Plans a transform of slabs, or of a distributed line. in.data() == out.data() is in place;
  /// other arrays must not overlap. The spans hold at least local_sizes().allocate_* elements.
  /// Collective. Throws Error.
  Plan(std::span<const std::ptrdiff_t> extents, std::span<In> in, std::span<Out> out,
       const Options &options = {})
      : sizes_(local_sizes<Real, K>(extents, options)), comm_(options.comm) {
    make(in, out, [&] {
      return Api::plan(static_cast<int>(K), extents, in.data(), out.data(), options.comm,
                       static_cast<int>(options.direction), detail::c_options(options, true));
    });
  }
  /// Plans a transform between two layouts with as many ranks as the communicator. Transposition,
  /// howmany and blocks come from the layouts, not from the options. With Options::modes the layout
  /// of the spectrum has modes[a] points (for r2c and c2r modes[a]/2+1 along the halved axis).
  /// Collective. Throws Error.
  Plan(const Layout &in_layout, const Layout &out_layout, std::span<In> in, std::span<Out> out,
       const Options &options = {})
      : sizes_(local_sizes<Real, K>(in_layout, out_layout, options)), comm_(options.comm) {
    const detail::LayoutHandle i(detail::wrap(in_layout));
    const detail::LayoutHandle o(detail::wrap(out_layout));
    make(in, out, [&] {
      return Api::plan(static_cast<int>(K), i.get(), o.get(), in.data(), out.data(), options.comm,
                       static_cast<int>(options.direction), detail::c_options(options, false));
    });
  }

  /// Transforms the planned arrays. Throws Error.
  void execute() { run(in_, out_); }
  /// Transforms other arrays, in place if and only if planned so. The check of these arrays is
  /// local: if they have too few elements or overlap in part, the call throws on this rank only.
  void execute(std::span<In> in, std::span<Out> out) {
    require_arrays(in, out);
    run(in.data(), out.data());
  }

  /// Begins an execution in the background; see execute_start in hybridfft.h. The destructor waits
  /// for an active plan. Throws Error.
  void start() { begin(in_, out_); }
  /// Begins an execution with other arrays, under the rules of execute().
  void start(std::span<In> in, std::span<Out> out) {
    require_arrays(in, out);
    begin(in.data(), out.data());
  }
  /// Makes progress on the active execution. Returns true if only wait() remains. Throws Error.
  bool test() {
    require_plan();
    int done = 0;
    if (Api::test(plan_.get(), &done) != HFFT_SUCCESS) Api::raise();
    return done != 0;
  }
  /// Ends the active execution. Throws Error.
  void wait() {
    require_plan();
    if (Api::wait(plan_.get()) != HFFT_SUCCESS) Api::raise();
  }
  /// Returns true between start() and wait().
  bool under_way() const { return Api::under_way(plan_.get()); }

  /// Returns the view of this rank's input: it maps each local element to its global index.
  const LayoutView &input() const { return sizes_.in; }
  /// Returns the view of this rank's output: it maps each local element to its global index.
  const LayoutView &output() const { return sizes_.out; }
  /// Returns the plan of the C API; this object keeps its ownership.
  typename Api::Handle handle() const { return plan_.get(); }

  /// Returns the text of print_plan of the C API.
  std::string describe() const {
    const std::unique_ptr<char, void (*)(void *)> text(Api::describe(plan_.get()), std::free);
    return text ? text.get() : "";
  }

  /// Returns the bytes of the plan's own work space on this rank, without in, out and a shared
  /// hfft_work.
  std::size_t work_bytes() const { return Api::work_bytes(plan_.get()); }

  /// Starts (from zero) or stops timing the stages of later executions. Throws Error.
  void set_profiling(bool on) {
    if (Api::set_profiling(plan_.get(), on) != HFFT_SUCCESS) Api::raise();
  }
  /// Returns the times of all stages of this rank. Collective. Throws Error.
  std::vector<hfft_stage_profile> profile() const {
    int count = 0;
    if (Api::profile(plan_.get(), nullptr, 0, &count) != HFFT_SUCCESS) Api::raise();
    std::vector<hfft_stage_profile> stages(static_cast<std::size_t>(count));
    for (hfft_stage_profile &s : stages)
      s.size = sizeof(s);
    if (Api::profile(plan_.get(), stages.data(), count, &count) != HFFT_SUCCESS) Api::raise();
    return stages;
  }

protected:
  /// Adopts the handle returned by planner(), which may be null after an error of the C API.
  template <class Planner>
  Plan(const LocalSizes &sizes, MPI_Comm comm, std::span<In> in, std::span<Out> out,
       const Planner &planner)
      : sizes_(sizes), comm_(comm) {
    make(in, out, planner);
  }

private:
  template <class Planner> void make(std::span<In> in, std::span<Out> out, const Planner &planner) {
    require_arrays_everywhere(in, out);
    plan_.reset(planner());
    if (!plan_) Api::raise();
    in_ = in.data();
    out_ = out.data();
  }
  /// Throws for an empty plan, because the C functions would call MPI's error handler.
  void require_plan() const {
    if (!plan_) throw Error(HFFT_ERROR_NULL_POINTER, "the plan is empty: none was made, or moved");
  }
  void run(In *in, Out *out) {
    require_plan();
    if (Api::execute(plan_.get(), in, out) != HFFT_SUCCESS) Api::raise();
  }
  void begin(In *in, Out *out) {
    require_plan();
    if (Api::start(plan_.get(), in, out) != HFFT_SUCCESS) Api::raise();
  }
  void require_arrays(std::span<In> in, std::span<Out> out) const {
    if (in.size() < sizes_.allocate_in || out.size() < sizes_.allocate_out)
      throw Error(HFFT_ERROR_ARGUMENT,
                  "arrays of " + std::to_string(in.size()) + " and " + std::to_string(out.size()) +
                      " elements are too small, " + std::to_string(sizes_.allocate_in) + " and " +
                      std::to_string(sizes_.allocate_out) + " are needed");
    const auto first = std::as_bytes(in.first(sizes_.allocate_in));
    const auto second = std::as_bytes(out.first(sizes_.allocate_out));
    if (first.data() != second.data() && detail::overlap(first, second))
      throw Error(HFFT_ERROR_ARGUMENT,
                  "the arrays overlap in part: the output begins " +
                      std::to_string(second.data() - first.data()) +
                      " bytes after the input, expected 0 (in place) or separate arrays of " +
                      std::to_string(first.size()) + " and " + std::to_string(second.size()) +
                      " bytes");
  }
  /// Checks the arrays collectively, so an invalid array on one rank is an error on all.
  void require_arrays_everywhere(std::span<In> in, std::span<Out> out) const {
    detail::on_all_ranks(comm_, [&] {
      require_arrays(in, out);
      return true;
    });
  }

  struct Destroy {
    using pointer = typename Api::Handle;
    void operator()(pointer p) const {
      if (Api::under_way(p)) Api::wait(p);
      Api::destroy(p);
    }
  };
  std::unique_ptr<std::remove_pointer_t<typename Api::Handle>, Destroy> plan_;
  LocalSizes sizes_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  In *in_ = nullptr;
  Out *out_ = nullptr;
};

} // namespace hybridfft

#endif
