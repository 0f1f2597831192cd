// hybridfft._core.Plan, Options and WorkSpace. Communicating and computing calls release Python's
// lock.
#include "bindings.h"
#include "communicator.h"
#include "plan.h"

#include <string>
#include <utility>

#include <hybridfft/pencils.hpp>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace hybridfft::python {
namespace {

using WithoutLock = nb::call_guard<nb::gil_scoped_release>;
/// Address and number of bytes, as Python takes them.
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
