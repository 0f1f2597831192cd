// Functions of layout.h. An hfft_layout keeps the arguments of its creation, so later calls can
// change single options.
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"
#include "capi/errors.h"
#include "capi/handle.h"
#include "capi/options.h"
#include "hybridfft/hybridfft.h"
#include "hybridfft/hybridfft.hpp"
#include "hybridfft/layout.hpp"
#include "hybridfft/operators.h"
#include "layout/tiling.h"
#include "plan/arguments.h"
#include "plan/create.h"
#include "plan/plan.h"
#include "plan/problem.h"

/// The shape and options from the user's calls, and the layout made from them.
struct hfft_layout_s {
  std::vector<ptrdiff_t> extents;
  std::vector<int> parts; ///< number of parts of each axis, for a grid
  std::optional<std::vector<hybridfft::IndexBox>> boxes; ///< boxes of all ranks, unless it is a
                                                         ///< grid
  hybridfft::Layout::Options options;
  hybridfft::Layout layout;
};

namespace hybridfft::capi {

/// Make layouts: from the number of parts of each axis, from the lengths of these parts, or from
/// one box per rank. They throw Failure with HFFT_ERROR_LAYOUT, or with another code for null
/// pointers and wrong numbers of axes.
hfft_layout_s grid_layout(int rnk, const ptrdiff_t *n, const int *parts);
hfft_layout_s block_layout(int rnk, const int *parts, const ptrdiff_t *counts);
hfft_layout_s box_layout(int rnk, const ptrdiff_t *n, int ranks, const ptrdiff_t *starts,
                         const ptrdiff_t *counts);

/// Replaces the options and makes a new layout from them. If this throws, both stay unchanged.
void set_options(hfft_layout_s *layout, const Layout::Options &options);

/// require_layout() throws Failure for a null layout, called `name` in the message. require_rank()
/// throws Failure if the layout does not have this rank.
const Layout &require_layout(const hfft_layout_s *layout, const char *name = "the layout");
void require_rank(const Layout &layout, int rank);

/// Converts the arguments of a plan call to a problem; `kind` is a value of enum hfft_kind.
/// `options` may be null. Throws Failure.
plan::Problem layout_problem(int kind, const hfft_layout_s *in, const hfft_layout_s *out, int sign,
                             const hfft_options *options);

namespace {

void require_pointer(const void *p, const char *name) {
  if (p == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, std::string(name) + " is NULL");
}

void require_dimensions(int rnk) {
  // Maximum number of axes. The planner's tables have an entry for each of the 2^rnk sets of axes.
  constexpr int most = 16;
  if (rnk < 1 || rnk > most)
    throw Failure(HFFT_ERROR_EXTENTS, "rank (number of dimensions) is " + std::to_string(rnk) +
                                          ", expected 1 to " + std::to_string(most));
}

Layout made(const hfft_layout_s &l, const Layout::Options &options) {
  return l.boxes ? Layout::boxes(l.extents, *l.boxes, options)
                 : Layout::grid(l.extents, l.parts, options);
}

hfft_layout_s finished(hfft_layout_s l) {
  l.layout = made(l, l.options);
  return l;
}

} // namespace

hfft_layout_s grid_layout(int rnk, const ptrdiff_t *n, const int *parts) {
  require_dimensions(rnk);
  require_pointer(n, "the array of extents n");
  require_pointer(parts, "the array parts");
  hfft_layout_s l;
  l.extents.assign(n, n + rnk);
  l.parts.assign(parts, parts + rnk);
  return finished(std::move(l));
}

hfft_layout_s block_layout(int rnk, const int *parts, const ptrdiff_t *counts) {
  require_dimensions(rnk);
  require_pointer(parts, "the array parts");
  require_pointer(counts, "the array counts");
  std::vector<std::vector<ptrdiff_t>> blocks;
  hfft_layout_s l;
  for (int a = 0; a < rnk; counts += parts[a++]) {
    if (parts[a] < 1)
      throw Failure(HFFT_ERROR_LAYOUT, "parts[" + std::to_string(a) + "] is " +
                                           std::to_string(parts[a]) + ", expected 1 or more");
    blocks.emplace_back(counts, counts + parts[a]);
    l.extents.push_back(sum_of_counts(blocks.back(), static_cast<std::size_t>(a)));
  }
  l.boxes = boxes_of_counts(blocks);
  return finished(std::move(l));
}

hfft_layout_s box_layout(int rnk, const ptrdiff_t *n, int ranks, const ptrdiff_t *starts,
                         const ptrdiff_t *counts) {
  require_dimensions(rnk);
  require_pointer(n, "the array of extents n");
  require_pointer(starts, "the array starts");
  require_pointer(counts, "the array counts");
  if (ranks < 1)
    throw Failure(HFFT_ERROR_LAYOUT, "ranks is " + std::to_string(ranks) + ", expected 1 or more");
  hfft_layout_s l;
  l.extents.assign(n, n + rnk);
  l.boxes.emplace();
  for (int r = 0; r < ranks; ++r, starts += rnk, counts += rnk)
    l.boxes->push_back({{starts, starts + rnk}, {counts, counts + rnk}});
  return finished(std::move(l));
}

void set_options(hfft_layout_s *layout, const Layout::Options &options) {
  require_pointer(layout, "the layout");
  layout->layout = made(*layout, options);
  layout->options = options;
}

const Layout &require_layout(const hfft_layout_s *layout, const char *name) {
  require_pointer(layout, name);
  return layout->layout;
}

void require_rank(const Layout &layout, int rank) {
  if (rank < 0 || rank >= layout.ranks())
    throw Failure(HFFT_ERROR_ARGUMENT, "rank is " + std::to_string(rank) + ", expected 0 to " +
                                           std::to_string(layout.ranks() - 1));
}

plan::Problem layout_problem(int kind, const hfft_layout_s *in, const hfft_layout_s *out, int sign,
                             const hfft_options *options) {
  const hfft_options o = options_of(options);
  plan::Problem p;
  p.kind = kind_of(kind);
  p.sign = sign;
  p.in = require_layout(in, "the input's layout");
  p.out = require_layout(out, "the output's layout");
  if (o.axes != nullptr && o.naxes < 0)
    throw Failure(HFFT_ERROR_ARGUMENT,
                  "naxes is " + std::to_string(o.naxes) + ", expected 0 or more");
  if (o.axes != nullptr) {
    p.axes.assign(o.axes, o.axes + o.naxes);
  } else {
    p.axes.resize(static_cast<std::size_t>(p.in.dimensions()));
    std::iota(p.axes.begin(), p.axes.end(), 0);
  }
  plan::set_kinds(p, o.kinds);
  if (o.modes != nullptr) p.modes.assign(o.modes, o.modes + p.in.dimensions());
  p.flags = o.flags;
  p.scale = o.scale;
  p.threads = threads_of(o);
  p.time_limit = time_limit_of(o);
  return p;
}

} // namespace hybridfft::capi

namespace {

namespace capi = hybridfft::capi;
using hybridfft::Fields;
using hybridfft::Layout;
using hybridfft::plan::Problem;

template <class F> hfft_layout make(const F &f) {
  hfft_layout handle = nullptr;
  capi::guarded([&] { handle = new hfft_layout_s(f()); });
  return handle;
}

template <class F> int change(hfft_layout layout, const F &f) {
  return capi::guarded([&] {
    Layout::Options options = layout != nullptr ? layout->options : Layout::Options{};
    capi::require_layout(layout);
    f(options);
    capi::set_options(layout, options);
  });
}

template <class T> std::vector<T> list(const T *values, std::size_t n, const char *name) {
  if (values == nullptr)
    throw hybridfft::Failure(HFFT_ERROR_NULL_POINTER,
                             std::string("the array ") + name + " is NULL");
  return {values, values + n};
}

void local(const Layout &layout, int rank, ptrdiff_t *start, ptrdiff_t *count, ptrdiff_t *stride) {
  capi::require_rank(layout, rank);
  const auto d = static_cast<std::size_t>(layout.dimensions());
  const hybridfft::IndexBox box = layout.box(rank);
  if (start != nullptr) std::copy(box.start.begin(), box.start.end(), start);
  if (count != nullptr) std::copy(box.count.begin(), box.count.end(), count);
  if (stride == nullptr) return;
  ptrdiff_t step = layout.fields() == Fields::interleaved ? layout.howmany() : 1;
  for (std::size_t p = d; p-- > 0;) {
    const auto axis = static_cast<std::size_t>(layout.axes()[p].axis);
    stride[axis] = step;
    step *= box.count[axis] + layout.axes()[p].padding;
  }
  stride[d] = layout.field_stride(rank);
}

void locate(const Layout &layout, const ptrdiff_t *index, int *rank, ptrdiff_t *offset) {
  const auto at = list(index, static_cast<std::size_t>(layout.dimensions()), "index");
  for (int a = 0; a < layout.dimensions(); ++a)
    if (const ptrdiff_t i = index[a]; i < 0 || i >= layout.extent(a))
      throw hybridfft::Failure(HFFT_ERROR_ARGUMENT, "index[" + std::to_string(a) + "] is " +
                                                        std::to_string(i) + ", expected 0 to " +
                                                        std::to_string(layout.extent(a) - 1));
  const Layout::Location where = layout.locate(at);
  if (rank != nullptr) *rank = where.rank;
  if (offset != nullptr) *offset = where.offset;
}

ptrdiff_t size(hfft_layout in, hfft_layout out, int kind, MPI_Comm comm) {
  ptrdiff_t elements = -1;
  capi::guarded([&] {
    capi::require_communicator(comm);
    Problem p = capi::layout_problem(kind, in, out, HFFT_FORWARD, nullptr);
    // Only the numbers of ranks are checked: the plan's axes, and so the halved axis, are unknown.
    const int ranks = hybridfft::mpi::size(comm);
    hybridfft::plan::require_ranks(p.in, "the input's layout", ranks);
    hybridfft::plan::require_ranks(p.out, "the output's layout", ranks);
    elements = hybridfft::plan::allocation(p, hybridfft::mpi::rank(comm));
  });
  return elements;
}

Fields fields_of(int fields) {
  if (fields != HFFT_INTERLEAVED && fields != HFFT_SEPARATE)
    throw hybridfft::Failure(HFFT_ERROR_ARGUMENT,
                             "fields is " + std::to_string(fields) +
                                 ", expected HFFT_INTERLEAVED or HFFT_SEPARATE");
  return fields == HFFT_SEPARATE ? Fields::separate : Fields::interleaved;
}

int choose_grid(int kind, int rnk, const ptrdiff_t *n, ptrdiff_t howmany, int fields, MPI_Comm comm,
                unsigned flags, int *grid, std::size_t real_bytes) {
  return capi::guarded([=] {
    capi::require_communicator(comm);
    const auto problem = [=] {
      if (grid == nullptr)
        throw hybridfft::Failure(HFFT_ERROR_NULL_POINTER, "the array grid is NULL");
      const int threads = capi::effective_threads();
      capi::require_thread_level(threads);
      return hybridfft::plan::PencilProblem{
          capi::kind_of(kind),
          real_bytes,
          list(n, static_cast<std::size_t>(std::max(rnk, 0)), "n"),
          howmany,
          fields_of(fields),
          flags,
          threads,
          capi::planner_time_limit()};
    };
    const auto chosen = hybridfft::plan::choose_grid(comm, std::cref(problem));
    std::copy(chosen.begin(), chosen.end(), grid);
  });
}

/// Returns the options of a plan between layouts whose function has no argument for options.
hfft_options layout_options(int naxes, const int *axes, unsigned flags) {
  hfft_options options = HFFT_OPTIONS_INIT;
  options.naxes = naxes;
  options.axes = axes;
  options.flags = flags;
  return options;
}

/// The user's arguments for a plan between layouts, without the options.
struct LayoutCall {
  int kind; ///< a value of enum hfft_kind
  hfft_layout in_layout, out_layout;
  void *in;
  void *out;
  int sign;
};

/// Converts a plan call to a problem. Throws Failure.
template <class Real> Problem problem_of(const LayoutCall &call, const hfft_options *options) {
  Problem p = capi::layout_problem(call.kind, call.in_layout, call.out_layout, call.sign, options);
  p.real_bytes = sizeof(Real);
  if (p.kind == hybridfft::local::Kind::r2r && p.axes.empty()) hybridfft::plan::move_reals(p);
  p.input = call.in;
  p.output = call.out;
  p.in_place = call.in == call.out;
  return p;
}

template <class Handle, class Real>
Handle *make_layouts(const LayoutCall &call, MPI_Comm comm, const hfft_options *options,
                     bool pruned = false) {
  return capi::new_handle<Handle>([&](const auto &prepare) {
    capi::require_communicator(comm);
    const auto complete = [&](int ranks) {
      prepare();
      if (pruned && options->modes == nullptr)
        throw hybridfft::Failure(HFFT_ERROR_NULL_POINTER, "the array of modes is NULL");
      Problem p = problem_of<Real>(call, options);
      hybridfft::plan::check_arrays(p);
      hybridfft::plan::check(p, ranks);
      return p;
    };
    return hybridfft::plan::create(
        comm, {std::cref(complete), capi::notes_of(options), capi::work_of(options)});
  });
}

template <class Handle, class Real>
Handle *make_spectral_operator(const LayoutCall &call, MPI_Comm comm,
                               const hybridfft::local::PointWork &work,
                               const hfft_options *options) {
  return capi::new_handle<Handle>([&](const auto &prepare) {
    capi::require_communicator(comm);
    const auto complete = [&](int) {
      prepare();
      return problem_of<Real>(call, options);
    };
    return hybridfft::plan::create_operator(
        comm, {std::cref(complete), capi::notes_of(options), capi::work_of(options)}, work);
  });
}

template <class Handle, class Real>
Handle *make_pruned_layouts(const LayoutCall &call, const ptrdiff_t *modes, MPI_Comm comm,
                            hfft_options options) {
  options.modes = modes;
  return make_layouts<Handle, Real>(call, comm, &options, true);
}

} // namespace

extern "C" {

hfft_layout hfft_layout_grid(int rnk, const ptrdiff_t *n, const int *parts) {
  return make([=] { return capi::grid_layout(rnk, n, parts); });
}
hfft_layout hfft_layout_blocks(int rnk, const int *parts, const ptrdiff_t *counts) {
  return make([=] { return capi::block_layout(rnk, parts, counts); });
}
hfft_layout hfft_layout_boxes(int rnk, const ptrdiff_t *n, int ranks, const ptrdiff_t *starts,
                              const ptrdiff_t *counts) {
  return make([=] { return capi::box_layout(rnk, n, ranks, starts, counts); });
}
void hfft_layout_destroy(hfft_layout layout) { delete layout; }

int hfft_layout_set_order(hfft_layout layout, const int *order) {
  return change(
      layout, [=](Layout::Options &o) { o.order = list(order, layout->extents.size(), "order"); });
}
int hfft_layout_set_padding(hfft_layout layout, const ptrdiff_t *padding) {
  return change(layout, [=](Layout::Options &o) {
    o.padding = list(padding, layout->extents.size(), "padding");
  });
}
int hfft_layout_set_howmany(hfft_layout layout, ptrdiff_t howmany, int fields) {
  return change(layout, [=](Layout::Options &o) {
    o.fields = fields_of(fields);
    o.howmany = howmany;
  });
}

int hfft_layout_local(hfft_layout layout, int rank, ptrdiff_t *start, ptrdiff_t *count,
                      ptrdiff_t *stride) {
  return capi::guarded([=] { local(capi::require_layout(layout), rank, start, count, stride); });
}
ptrdiff_t hfft_layout_local_size(hfft_layout layout, int rank) {
  ptrdiff_t elements = -1;
  capi::guarded([&] {
    capi::require_rank(capi::require_layout(layout), rank);
    elements = layout->layout.local_size(rank);
  });
  return elements;
}
int hfft_layout_locate(hfft_layout layout, const ptrdiff_t *index, int *rank, ptrdiff_t *offset) {
  return capi::guarded([=] { locate(capi::require_layout(layout), index, rank, offset); });
}

/// Defines the planning functions of r2c or c2r between layouts.
#define HFFT_IMPLEMENT_REAL_LAYOUTS(X, name, KIND, R, In, Out)                                     \
  X(plan)                                                                                          \
  X(plan_layout_##name)                                                                            \
  (hfft_layout in_layout, hfft_layout out_layout, int naxes, const int *axes, In *in, Out *out,    \
   MPI_Comm comm, unsigned flags) {                                                                \
    const hfft_options options = layout_options(naxes, axes, flags);                               \
    return X(plan_layouts)(KIND, in_layout, out_layout, in, out, comm, 0, &options);               \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_pruned_layout_##name)                                                                     \
  (hfft_layout in_layout, hfft_layout out_layout, int naxes, const int *axes,                      \
   const ptrdiff_t *modes, In *in, Out *out, MPI_Comm comm, unsigned flags) {                      \
    return make_pruned_layouts<X(plan_s), R>({KIND, in_layout, out_layout, in, out, 0}, modes,     \
                                             comm, layout_options(naxes, axes, flags));            \
  }

#define HFFT_IMPLEMENT_LAYOUTS(X, R, C)                                                            \
  ptrdiff_t X(layout_size)(hfft_layout in_layout, hfft_layout out_layout, int kind,                \
                           MPI_Comm comm) {                                                        \
    return size(in_layout, out_layout, kind, comm);                                                \
  }                                                                                                \
  int X(choose_grid)(int kind, int rnk, const ptrdiff_t *n, ptrdiff_t howmany, int fields,         \
                     MPI_Comm comm, unsigned flags, int *grid) {                                   \
    return choose_grid(kind, rnk, n, howmany, fields, comm, flags, grid, sizeof(R));               \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_layouts)                                                                                  \
  (int kind, hfft_layout in_layout, hfft_layout out_layout, void *in, void *out, MPI_Comm comm,    \
   int sign, const hfft_options *options) {                                                        \
    return make_layouts<X(plan_s), R>({kind, in_layout, out_layout, in, out, sign}, comm,          \
                                      options);                                                    \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_layout_dft)                                                                               \
  (hfft_layout in_layout, hfft_layout out_layout, int naxes, const int *axes, C *in, C *out,       \
   MPI_Comm comm, int sign, unsigned flags) {                                                      \
    const hfft_options options = layout_options(naxes, axes, flags);                               \
    return X(plan_layouts)(HFFT_C2C, in_layout, out_layout, in, out, comm, sign, &options);        \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_layout_r2r)                                                                               \
  (hfft_layout in_layout, hfft_layout out_layout, int naxes, const int *axes, R *in, R *out,       \
   MPI_Comm comm, const int *kinds, unsigned flags) {                                              \
    hfft_options options = layout_options(naxes, axes, flags);                                     \
    options.kinds = kinds;                                                                         \
    return X(plan_layouts)(HFFT_R2R, in_layout, out_layout, in, out, comm, 0, &options);           \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_pruned_layout_dft)                                                                        \
  (hfft_layout in_layout, hfft_layout out_layout, int naxes, const int *axes,                      \
   const ptrdiff_t *modes, C *in, C *out, MPI_Comm comm, int sign, unsigned flags) {               \
    return make_pruned_layouts<X(plan_s), R>({HFFT_C2C, in_layout, out_layout, in, out, sign},     \
                                             modes, comm, layout_options(naxes, axes, flags));     \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_spectral_operator)                                                                        \
  (int kind, hfft_layout in_layout, hfft_layout out_layout, void *in, void *out, MPI_Comm comm,    \
   hfft_spectrum_work work, void *user, const hfft_options *options) {                             \
    return make_spectral_operator<X(plan_s), R>(                                                   \
        {kind, in_layout, out_layout, in, out, HFFT_FORWARD}, comm, {work, user}, options);        \
  }                                                                                                \
  HFFT_IMPLEMENT_REAL_LAYOUTS(X, dft_r2c, HFFT_R2C, R, R, C)                                       \
  HFFT_IMPLEMENT_REAL_LAYOUTS(X, dft_c2r, HFFT_C2R, R, C, R)

HFFT_IMPLEMENT_LAYOUTS(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_IMPLEMENT_LAYOUTS(HFFT_MANGLE_FLOAT, float, hfftf_complex)
}

namespace hybridfft::detail {

hfft_layout wrap(const Layout &layout) {
  return make([&] {
    hfft_layout_s l;
    l.layout = layout;
    return l;
  });
}

bool line_layouts(std::ptrdiff_t n, const hfft_options &options, MPI_Comm comm, Layout &in,
                  Layout &out) {
  return capi::guarded([&] {
           capi::require_communicator(comm);
           plan::Arguments line;
           line.rank = 1;
           line.n = &n;
           line.howmany = options.howmany;
           line.iblock = options.iblock;
           line.oblock = options.oblock;
           line.flags = options.flags;
           line.kinds = options.kinds;
           plan::LineLayouts layouts = plan::line_layouts(line, mpi::size(comm));
           in = std::move(layouts.in);
           out = std::move(layouts.out);
         }) == HFFT_SUCCESS;
}

} // namespace hybridfft::detail
