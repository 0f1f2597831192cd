#include "solvers/kspace/record/recorder.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "io/checkpoint.h"
#include "solvers/kspace/equations/equation_kernels.h"
#include "solvers/kspace/record/record_kernels.h"
#include "solvers/kspace/record/recording.h"

namespace hybridfft::kspace {

template <class Real>
FieldRecorder<Real>::FieldRecorder(const std::string &name, const FieldRecording &wanted,
                                   std::int64_t steps, std::int64_t done, OutputFile &out,
                                   const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
                                   const LocalGrid &local, const grid::Communicator &comm,
                                   const Exec &exec)
    : name_(name), wanted_(wanted), steps_(steps), local_(local), comm_(comm), exec_(exec) {
  comm.agree([&] { prepare(sensor); });
  if (wanted.count(Keep::series) == 0) return;
  for (AtMask &at : masks_)
    at.series.emplace(out, at.mask->dataset(name), steps, done,
                      TimeSeries<Real>::rows_at_once(*at.mask, steps, comm), *at.mask, comm, exec);
}

template <class Real>
void FieldRecorder<Real>::prepare(const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor) {
  for_each_wanted(Keep::in_grid, [&](std::size_t i, const auto &) {
    in_grid_[i] = Field<Real>(local_.size(), exec_);
  });
  clear_in_grid();
  if (!wanted_.at_sensor()) return;
  for (const std::unique_ptr<SensorMask<Real>> &mask : sensor) {
    mask->prepare(exec_);
    AtMask at{mask.get(), {}, {}};
    for_each_wanted(Keep::at_sensor, [&](std::size_t i, const auto &quantity) {
      const std::vector<Real> start(mask->offsets().size(), Real(quantity.identity));
      at.combined[i] = ExecArray<Real>(start, exec_);
    });
    masks_.push_back(std::move(at));
  }
}

template <class Real> void FieldRecorder<Real>::clear_in_grid() const {
  for_each_wanted(Keep::in_grid, [&](std::size_t i, const auto &quantity) {
    for_points(exec_, local_.box(),
               kernels::SetTo<Real>{in_grid_[i].view(local_), Real(quantity.identity)});
  });
}

template <class Real> void FieldRecorder<Real>::restart(std::int64_t steps) {
  steps_ = steps;
  clear_in_grid();
  comm_.agree([&] {
    for (AtMask &at : masks_)
      for_each_wanted(Keep::at_sensor, [&](std::size_t i, const auto &quantity) {
        at.combined[i].assign(
            std::vector<Real>(at.mask->offsets().size(), Real(quantity.identity)));
      });
  });
}

template <class Real> void FieldRecorder<Real>::sample_in_grid(const Field<Real> &field) const {
  std::size_t wanted = 0;
  for_each_wanted(Keep::in_grid,
                  [&](std::size_t i, const auto &) { wanted |= std::size_t{1} << i; });
  kernels::for_each_set_in_grid([&](auto set) {
    if (set != wanted) return;
    kernels::CombineInGrid<Real, set> kernel{field.rows(local_), {}};
    for (std::size_t i = 0; i < quantity_count; ++i)
      kernel.combined[i] = in_grid_[i].view(local_);
    for_points(exec_, local_.box(), kernel);
  });
}

template <class Real>
void FieldRecorder<Real>::sample_at(AtMask &at, OutputFile &out, const Field<Real> &field) const {
  typename SensorMask<Real>::Combined combined{};
  for (std::size_t i = 0; i < quantity_count; ++i)
    combined[i] = at.combined[i].data();
  at.mask->sample(exec_, field, at.series ? at.series->begin_row(out) : nullptr, combined);
  if (at.series) at.series->end_row();
}

template <class Real> std::vector<Real> FieldRecorder<Real>::combined(std::size_t row) const {
  std::vector<Real> all;
  comm_.agree([&] {
    for (const AtMask &at : masks_) {
      const std::vector<Real> values = at.combined[row].on_host();
      all.insert(all.end(), values.begin(), values.end());
    }
  });
  return all;
}

template <class Real> void FieldRecorder<Real>::finish_at(AtMask &at, OutputFile &out) {
  if (at.series) at.series->flush(out);
  for_each_wanted(Keep::at_sensor, [&](std::size_t i, const auto &quantity) {
    std::vector<Real> values = on_host(at.combined[i]);
    for (Real &value : values)
      value = quantity.finish(value, static_cast<Real>(steps_));
    at.mask->record(out, name_ + quantity.dataset, values);
    grid::Communicator::ArgMin first;
    for (std::size_t p = 0; p < values.size() && !first.found(); ++p)
      if (!std::isfinite(values[p])) first = {at.mask->places()[p], static_cast<double>(values[p])};
    first = comm_.argmin(first);
    if (first.found())
      not_finite_.push_back(io::describe_overflow(at.mask->dataset(name_ + quantity.dataset),
                                                  first.value,
                                                  "entry " + std::to_string(first.where + 1)));
  });
}

template <class Real> void FieldRecorder<Real>::finish(OutputFile &out, const Field<Real> &field) {
  for (AtMask &at : masks_)
    finish_at(at, out);
  for_each_wanted(Keep::in_grid, [&](std::size_t i, const auto &quantity) {
    using Finish = std::remove_cvref_t<decltype(quantity.finish)>;
    if constexpr (!std::is_same_v<Finish, Unchanged>)
      for_points(exec_, local_.box(),
                 kernels::FinishInGrid<Real, Finish>{in_grid_[i].view(local_), Real(steps_)});
    out.field(name_ + quantity.dataset, local_, in_grid_[i]);
  });
  for_each_wanted(Keep::last, [&](std::size_t, const auto &quantity) {
    out.field(name_ + quantity.dataset, local_, field);
  });
}

template <class Real> void FieldRecorder<Real>::create_at_end(OutputFile &out) const {
  for (const AtMask &at : masks_)
    for_each_wanted(Keep::at_sensor, [&](std::size_t, const auto &quantity) {
      at.mask->create(out, at.mask->dataset(name_ + quantity.dataset));
    });
  for (const Keep keep : {Keep::in_grid, Keep::last})
    for_each_wanted(keep, [&](std::size_t, const auto &quantity) {
      out.create_field(name_ + quantity.dataset, local_);
    });
}

template <class Real>
void FieldRecorder<Real>::save(OutputFile &checkpoint, Checksum &checksum) const {
  for (const AtMask &at : masks_)
    for_each_wanted(Keep::at_sensor, [&](std::size_t i, const auto &quantity) {
      at.mask->save(checkpoint, name_ + quantity.checkpoint, on_host(at.combined[i]), checksum);
    });
  for_each_wanted(Keep::in_grid, [&](std::size_t i, const auto &quantity) {
    checkpoint.field(name_ + quantity.checkpoint, local_, in_grid_[i], &checksum);
  });
}

template <class Real>
void FieldRecorder<Real>::restore(const InputFile &checkpoint, Checksum &checksum) {
  for (AtMask &at : masks_)
    for_each_wanted(Keep::at_sensor, [&](std::size_t i, const auto &quantity) {
      std::vector<Real> values = on_host(at.combined[i]);
      at.mask->restore(checkpoint, name_ + quantity.checkpoint, values, checksum);
      comm_.agree([&] { at.combined[i].assign(values); });
    });
  for_each_wanted(Keep::in_grid, [&](std::size_t i, const auto &quantity) {
    checkpoint.field(name_ + quantity.checkpoint, local_, Values::any, in_grid_[i], &checksum);
  });
}

template <class Real>
Recorder<Real>::Recorder(const Recording &wanted, const Parameters &parameters, std::int64_t done,
                         OutputFile &out,
                         const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
                         const LocalGrid &local, const grid::Communicator &comm, const Exec &exec)
    : first_(wanted.start - 1), samples_(wanted.p.samples() || wanted.u.samples() ||
                                         wanted.u_non_staggered_raw || wanted.intensity.any()),
      dimensions_(static_cast<std::size_t>(local.dimensions())), out_(out) {
  const std::int64_t rows = std::max<std::int64_t>(done - first_, 0);
  const std::int64_t steps = parameters.steps - first_;
  const auto add = [&](const std::string &name, const FieldRecording &quantities) {
    fields_.emplace_back(name, quantities, steps, rows, out, sensor, local, comm, exec);
  };
  add("p", wanted.p);
  for (int axis = 0; axis < local.dimensions(); ++axis)
    add(std::string("u") + axis_name(axis), wanted.u);
  for (int axis = 0; axis < local.dimensions() && wanted.u_non_staggered_raw; ++axis)
    add(std::string("u") + axis_name(axis) + "_non_staggered", FieldRecording::only("raw"));
  if (wanted.intensity.any())
    intensity_.emplace(wanted.intensity, parameters, steps, rows, sensor, local, comm, exec);
}

template <class Real>
void Recorder<Real>::sample(std::int64_t n, const State<Real> &state,
                            Derivative<Real> &derivative) {
  if (n < first_) return;
  fields_[0].sample(out_, state.pressure);
  for (std::size_t a = 0; a < dimensions_; ++a)
    fields_[1 + a].sample(out_, state.velocity[a]);
  if (intensity_) intensity_->sample(0, state.pressure);
  const bool unstaggered = fields_.size() > 1 + dimensions_;
  for (std::size_t a = 0; a < dimensions_ && (intensity_ || unstaggered); ++a) {
    const int axis = static_cast<int>(a);
    derivative.unstagger(axis, state.velocity[a], [&](const Field<Real> &u) {
      if (unstaggered) fields_[1 + dimensions_ + a].sample(out_, u);
      if (intensity_) intensity_->sample(axis + 1, u);
    });
  }
  if (intensity_) intensity_->next();
}

template class FieldRecorder<float>;
template class FieldRecorder<double>;
template class Recorder<float>;
template class Recorder<double>;

template <class Real> bool SteadyState<Real>::end_period(bool whole) {
  double largest = 0, difference = 0;
  std::vector<Real> now = maximum_.combined(FieldRecording::number("max"));
  const bool compared = before_.size() == now.size();
  for (std::size_t i = 0; i < now.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(now[i])));
    if (compared)
      difference = std::max(difference, static_cast<double>(std::abs(now[i] - before_[i])));
  }
  before_ = whole ? std::move(now) : std::vector<Real>();
  maximum_.restart(0);
  largest = comm_.max(largest);
  difference = comm_.max(difference);
  // Ranks without points have no values to compare.
  if (comm_.max(std::int64_t{compared ? 0 : 1}) != 0 || !(largest > 0)) return false;
  found_ = difference / largest;
  return found_ < change_;
}

template class SteadyState<float>;
template class SteadyState<double>;

} // namespace hybridfft::kspace
