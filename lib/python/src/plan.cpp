#include "plan.h"

#include <span>
#include <utility>

namespace hybridfft::python {
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

} // namespace hybridfft::python
