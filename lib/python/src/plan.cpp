// hybridfft._core.Plan, Options and WorkSpace. Plans of any kind and precision have a common
// interface with addresses of arrays. Communicating and computing calls release Python's lock.
#include "bindings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <hybridfft/hybridfft.hpp>
#include <hybridfft/pencils.hpp>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace hybridfft::python {

/// An array on this rank: its address and the number of bytes usable by a plan.
struct ArrayView {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
};

/// The extents of slabs, or the layouts of input and output.
struct Slabs {
  std::vector<std::ptrdiff_t> extents;
};
struct Between {
  Layout in;
  Layout out;
};
using Shape = std::variant<Slabs, Between>;

/// The memory required by a plan on this rank: layouts, and bytes to allocate.
struct Need {
  Layout in;
  Layout out;
  std::size_t bytes_in = 0;
  std::size_t bytes_out = 0;
};

/// A plan with kind and precision chosen at run time.
class AnyPlan {
public:
  AnyPlan() = default;
  AnyPlan(const AnyPlan &) = delete;
  AnyPlan &operator=(const AnyPlan &) = delete;
  virtual ~AnyPlan() = default;

  /// All functions throw Error. Arrays must have the size of the planned arrays.
  virtual void execute(const ArrayView &in, const ArrayView &out) = 0;
  virtual void start(const ArrayView &in, const ArrayView &out) = 0;
  virtual bool test() = 0;
  virtual void wait() = 0;
  virtual bool under_way() const = 0;
  virtual std::string describe() const = 0;
  virtual void set_profiling(bool on) = 0;
  virtual std::vector<hfft_stage_profile> profile() const = 0;
  /// Bytes of the plan's own work space.
  virtual std::size_t work_bytes() const = 0;
};

/// Returns the memory that a plan needs. `single` means float instead of double. Collective. Throws
/// Error.
Need need_of(Kind kind, bool single, const Shape &shape, const Options &options);
/// Makes a plan, using the arrays for measurements. Collective. Throws Error.
std::unique_ptr<AnyPlan> make_plan(Kind kind, bool single, const Shape &shape, const ArrayView &in,
                                   const ArrayView &out, const Options &options);

namespace {

template <class T> std::span<T> span_of(const ArrayView &array) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses come from numpy
  return {reinterpret_cast<T *>(array.address), array.bytes / sizeof(T)};
}

template <class Real, Kind K> class TypedPlan final : public AnyPlan {
  using In = typename Elements<Real, K>::In;
  using Out = typename Elements<Real, K>::Out;

public:
  TypedPlan(const Slabs &slabs, const ArrayView &in, const ArrayView &out, const Options &options)
      : plan_(slabs.extents, span_of<In>(in), span_of<Out>(out), options) {}
  TypedPlan(const Between &layouts, const ArrayView &in, const ArrayView &out,
            const Options &options)
      : plan_(layouts.in, layouts.out, span_of<In>(in), span_of<Out>(out), options) {}

  void execute(const ArrayView &in, const ArrayView &out) override {
    plan_.execute(span_of<In>(in), span_of<Out>(out));
  }
  void start(const ArrayView &in, const ArrayView &out) override {
    plan_.start(span_of<In>(in), span_of<Out>(out));
  }
  bool test() override { return plan_.test(); }
  void wait() override { plan_.wait(); }
  bool under_way() const override { return plan_.under_way(); }
  std::string describe() const override { return plan_.describe(); }
  void set_profiling(bool on) override { plan_.set_profiling(on); }
  std::vector<hfft_stage_profile> profile() const override { return plan_.profile(); }
  std::size_t work_bytes() const override { return plan_.work_bytes(); }

private:
  Plan<Real, K> plan_;
};

template <class Real, Kind K> Need typed_need(const Shape &shape, const Options &options) {
  const LocalSizes sizes = std::visit(
      [&](const auto &s) {
        if constexpr (std::is_same_v<std::decay_t<decltype(s)>, Slabs>)
          return local_sizes<Real, K>(s.extents, options);
        else
          return local_sizes<Real, K>(s.in, s.out, options);
      },
      shape);
  return {sizes.in.layout(), sizes.out.layout(),
          sizes.allocate_in * sizeof(typename Elements<Real, K>::In),
          sizes.allocate_out * sizeof(typename Elements<Real, K>::Out)};
}

/// Calls f with the precision and the kind as template arguments.
template <class F> auto dispatch(Kind kind, bool single, F &&f) {
  const auto of_kind = [&]<class Real>() {
    switch (kind) {
    case Kind::r2c:
      return f.template operator()<Real, Kind::r2c>();
    case Kind::c2r:
      return f.template operator()<Real, Kind::c2r>();
    case Kind::r2r:
      return f.template operator()<Real, Kind::r2r>();
    case Kind::c2c:
      break;
    }
    return f.template operator()<Real, Kind::c2c>();
  };
  return single ? of_kind.template operator()<float>() : of_kind.template operator()<double>();
}

} // namespace

Need need_of(Kind kind, bool single, const Shape &shape, const Options &options) {
  return dispatch(kind, single,
                  [&]<class Real, Kind K>() { return typed_need<Real, K>(shape, options); });
}

std::unique_ptr<AnyPlan> make_plan(Kind kind, bool single, const Shape &shape, const ArrayView &in,
                                   const ArrayView &out, const Options &options) {
  return dispatch(kind, single, [&]<class Real, Kind K>() -> std::unique_ptr<AnyPlan> {
    return std::visit(
        [&](const auto &s) -> std::unique_ptr<AnyPlan> {
          return std::make_unique<TypedPlan<Real, K>>(s, in, out, options);
        },
        shape);
  });
}

namespace {

using WithoutLock = nb::call_guard<nb::gil_scoped_release>;
/// Address and number of bytes of an array, as Python passes them.
using Memory = std::pair<std::uintptr_t, std::size_t>;

ArrayView array_of(const Memory &memory) { return {memory.first, memory.second}; }

nb::dict stage(const hfft_stage_profile &s) {
  nb::dict result;
  result["name"] = s.name;
  result["calls"] = s.calls;
  result["seconds"] = s.seconds;
  result["min_seconds"] = s.min_seconds;
  result["mean_seconds"] = s.mean_seconds;
  result["max_seconds"] = s.max_seconds;
  result["bytes"] = s.bytes;
  result["flops"] = s.flops;
  return result;
}

nb::list profile(const AnyPlan &plan) {
  std::vector<hfft_stage_profile> stages;
  {
    const nb::gil_scoped_release release;
    stages = plan.profile();
  }
  nb::list result;
  for (const hfft_stage_profile &s : stages)
    result.append(stage(s));
  return result;
}

std::array<int, 2> process_grid(Kind kind, bool single, const std::vector<std::ptrdiff_t> &extents,
                                const Options &options, Fields fields) {
  const auto choose = [&]<class Real>() {
    switch (kind) {
    case Kind::r2c:
      return choose_grid<Real, Kind::r2c>(extents, options, fields);
    case Kind::c2r:
      return choose_grid<Real, Kind::c2r>(extents, options, fields);
    case Kind::r2r:
      return choose_grid<Real, Kind::r2r>(extents, options, fields);
    case Kind::c2c:
      break;
    }
    return choose_grid<Real, Kind::c2c>(extents, options, fields);
  };
  return single ? choose.template operator()<float>() : choose.template operator()<double>();
}

void bind_options(nb::module_ &m) {
  nb::enum_<Kind>(m, "Kind")
      .value("c2c", Kind::c2c)
      .value("r2c", Kind::r2c)
      .value("c2r", Kind::c2r)
      .value("r2r", Kind::r2r);
  nb::enum_<Direction>(m, "Direction")
      .value("forward", Direction::forward)
      .value("backward", Direction::backward);
  nb::enum_<Effort>(m, "Effort")
      .value("estimate", Effort::estimate)
      .value("measure", Effort::measure)
      .value("patient", Effort::patient)
      .value("exhaustive", Effort::exhaustive);
  nb::enum_<Wire>(m, "Wire")
      .value("full", Wire::full)
      .value("single", Wire::single)
      .value("bfloat16", Wire::bfloat16)
      .value("half", Wire::half);
  nb::class_<WorkSpace>(m, "WorkSpace")
      .def(nb::init<>())
      .def_prop_ro("size", &WorkSpace::size)
      .def("give", [](WorkSpace &work, const Memory &memory) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        work.give({reinterpret_cast<std::byte *>(memory.first), memory.second});
      });
  nb::class_<Options>(m, "Options")
      .def(
          "__init__",
          [](Options *options, nb::handle comm) {
            new (options) Options{.comm = communicator_of(comm)};
          },
          nb::arg("comm"))
      .def_rw("direction", &Options::direction)
      .def_rw("effort", &Options::effort)
      .def_rw("transposed_in", &Options::transposed_in)
      .def_rw("transposed_out", &Options::transposed_out)
      .def_rw("scrambled_in", &Options::scrambled_in)
      .def_rw("scrambled_out", &Options::scrambled_out)
      .def_rw("howmany", &Options::howmany)
      .def_rw("block_in", &Options::block_in)
      .def_rw("block_out", &Options::block_out)
      .def_rw("threads", &Options::threads)
      .def_rw("time_limit", &Options::time_limit)
      .def_rw("scale", &Options::scale)
      .def_rw("deterministic", &Options::deterministic)
      .def_rw("wire", &Options::wire)
      .def_rw("nonblocking", &Options::nonblocking)
      .def_rw("wisdom_only", &Options::wisdom_only)
      .def_rw("axes", &Options::axes)
      .def_rw("redistribute_only", &Options::redistribute_only)
      .def_rw("modes", &Options::modes)
      .def_rw("kinds", &Options::kinds)
      .def("set_work", [](Options &options, const WorkSpace &work) { options.work = &work; });
}

} // namespace

void bind_plan(nb::module_ &m) {
  bind_options(m);
  nb::class_<AnyPlan>(m, "Plan")
      .def(
          "execute",
          [](AnyPlan &plan, const Memory &in, const Memory &out) {
            plan.execute(array_of(in), array_of(out));
          },
          WithoutLock())
      .def(
          "start",
          [](AnyPlan &plan, const Memory &in, const Memory &out) {
            plan.start(array_of(in), array_of(out));
          },
          WithoutLock())
      .def("test", &AnyPlan::test, WithoutLock())
      .def("wait", &AnyPlan::wait, WithoutLock())
      .def("under_way", &AnyPlan::under_way)
      .def("describe", &AnyPlan::describe)
      .def("set_profiling", &AnyPlan::set_profiling, nb::arg("on"))
      .def("profile", &profile)
      .def_prop_ro("work_bytes", &AnyPlan::work_bytes);

  m.def(
      "need_of_slabs",
      [](Kind kind, bool single, std::vector<std::ptrdiff_t> extents, const Options &options) {
        const Need need = need_of(kind, single, Slabs{std::move(extents)}, options);
        return std::tuple(need.in, need.out, need.bytes_in, need.bytes_out);
      },
      WithoutLock());
  m.def(
      "need_of_layouts",
      [](Kind kind, bool single, const Layout &in, const Layout &out, const Options &options) {
        const Need need = need_of(kind, single, Between{in, out}, options);
        return std::tuple(need.in, need.out, need.bytes_in, need.bytes_out);
      },
      WithoutLock());
  m.def(
      "plan_slabs",
      [](Kind kind, bool single, std::vector<std::ptrdiff_t> extents, const Memory &in,
         const Memory &out, const Options &options) {
        return make_plan(kind, single, Slabs{std::move(extents)}, array_of(in), array_of(out),
                         options);
      },
      WithoutLock());
  m.def(
      "plan_layouts",
      [](Kind kind, bool single, const Layout &in, const Layout &out, const Memory &memory_in,
         const Memory &memory_out, const Options &options) {
        return make_plan(kind, single, Between{in, out}, array_of(memory_in), array_of(memory_out),
                         options);
      },
      WithoutLock());
  m.def("choose_grid", &process_grid, WithoutLock());
}

} // namespace hybridfft::python
