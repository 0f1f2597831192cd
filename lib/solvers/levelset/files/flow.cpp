#include "solvers/levelset/files/flow.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace hybridfft::levelset {

namespace {

constexpr double pi = std::numbers::pi;

using Function = std::function<double(double)>;

double one(double) { return 1; }
double sine(double x) { return std::sin(pi * x); }
double sine_squared(double x) { return sine(x) * sine(x); }
double sine_of_twice(double x) { return std::sin(2 * pi * x); }

} // namespace

template <class Real>
Flow<Real>::Flow(const InputFile &input, const Solver<Real> &solver, const Executor &exec)
    : settings_(input.settings()) {
  // any_ takes the place of absent arrays in kernels. The solver's field of phi cannot do this,
  // because the solver swaps its fields of phi during a step.
  any_ = solver.make_array();
  for (const int axis : {0, 1, 2}) {
    const std::string name = std::string("u") + "xyz"[axis];
    if (!input.has(name)) continue;
    has_velocity_ = true;
    velocity_[static_cast<std::size_t>(axis)] = read(input, solver, name);
  }
  has_speed_ = input.has("speed");
  if (has_speed_) speed_ = read(input, solver, "speed");
  if (settings_.flow.empty()) return;
  has_velocity_ = true;
  make_tables(solver, exec);
}

template <class Real>
typename Flow<Real>::FlowValues Flow<Real>::read(const InputFile &input, const Solver<Real> &solver,
                                                 const std::string &dataset) {
  FlowValues values;
  if (input.is_number(dataset)) {
    values.number = input.number(dataset);
    return values;
  }
  for (std::size_t t = 0; t < input.times_of(dataset); ++t) {
    Array<Real> host = solver.make_host_array();
    input.read_points(dataset, t, solver.box(), host);
    values.arrays.push_back(solver.make_array());
    solver.upload(host, values.arrays.back());
  }
  return values;
}

template <class Real>
kernels::Field<Real> Flow<Real>::field(const FlowValues &values, double time) const {
  const auto at = [](const Array<Real> &array) { return array.view().origin(); };
  if (values.arrays.empty())
    return {at(any_), at(any_), Real(0), Real(0), static_cast<Real>(values.number)};
  if (values.arrays.size() == 1) return {at(values.arrays[0]), at(any_), Real(1), Real(0), Real(0)};
  const std::vector<double> &times = settings_.flow_time;
  const auto after = std::upper_bound(times.begin(), times.end(), time) - times.begin();
  const auto last = static_cast<std::ptrdiff_t>(times.size()) - 2;
  const auto n = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, last));
  const double share = std::clamp((time - times[n]) / (times[n + 1] - times[n]), 0., 1.);
  return {at(values.arrays[n]), at(values.arrays[n + 1]), static_cast<Real>(1 - share),
          static_cast<Real>(share), Real(0)};
}

/// Tabulates the factors of a built-in flow. Each velocity component is a product of functions of
/// x, y and z. The rotation is (w (1/2 - y), w (x - 1/2), 0) with w = 2 pi. The deformation is from
/// Enright et al., J. Comput. Phys. 183 (2002).
template <class Real>
void Flow<Real>::make_tables(const Solver<Real> &solver, const Executor &exec) {
  const Function turn = [](double y) { return 2 * pi * (0.5 - y); };
  const Function back = [](double x) { return 2 * pi * (x - 0.5); };
  const Function s2 = sine_squared, d = sine_of_twice;
  const bool rotates = settings_.flow == "rotation";
  const Function all[3][3] = {
      {rotates ? Function(one) : s2, rotates ? turn : d, rotates ? Function(one) : d},
      {rotates ? back : d, rotates ? Function(one) : s2, rotates ? Function(one) : d},
      {d, d, s2}};
  const Problem &p = solver.problem();
  for (const std::size_t axis : {0U, 1U, 2U}) {
    const int a = 2 - static_cast<int>(axis);
    first_[static_cast<int>(axis)] = solver.box().lo[a];
    for (const std::size_t c : {0U, 1U, 2U}) {
      std::vector<Real> values;
      for (Index n = solver.box().lo[a]; n < solver.box().hi[a]; ++n)
        values.push_back(
            static_cast<Real>(all[c][axis](p.origin[axis] + static_cast<double>(n) * p.h)));
      tables_[c][axis] = detail::List<Real>(exec, values);
    }
  }
}

/// Returns the built-in flow at a time. The deformation is scaled by cos(pi t / period).
template <class Real> kernels::TableVelocity<Real> Flow<Real>::table(double time) const {
  kernels::TableVelocity<Real> v{};
  const bool rotates = settings_.flow == "rotation";
  const double f = rotates ? 1 : std::cos(pi * time / settings_.flow_period);
  const double factors[3] = {rotates ? 1 : 2 * f, rotates ? 1 : -f, rotates ? 0 : -f};
  for (const std::size_t c : {0U, 1U, 2U}) {
    v.factor[c] = static_cast<Real>(factors[c]);
    for (const std::size_t axis : {0U, 1U, 2U})
      v.along[c][axis] = tables_[c][axis].data() - first_[static_cast<int>(axis)];
  }
  return v;
}

template <class Real> Motion<Real> Flow<Real>::at(double time) const {
  Motion<Real> m;
  if (!settings_.flow.empty()) {
    m.velocity = Motion<Real>::Velocity::table;
    m.table = table(time);
  } else if (has_velocity_) {
    m.velocity = Motion<Real>::Velocity::fields;
    for (const std::size_t c : {0U, 1U, 2U})
      m.fields.component[c] = field(velocity_[c], time);
  }
  m.has_speed = has_speed_;
  if (has_speed_) m.speed = field(speed_, time);
  m.bending = settings_.bending;
  return m;
}

template class Flow<float>;
template class Flow<double>;

} // namespace hybridfft::levelset
