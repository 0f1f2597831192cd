#include "kspace/record/recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kspace/base/point_kernels.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

namespace {

// Where nothing was larger or smaller, k-Wave's numbers, which readers in single precision can
// hold.
constexpr Real lowest = std::numeric_limits<float>::lowest();
constexpr Real highest = std::numeric_limits<float>::max();

} // namespace

FieldRecorder::FieldRecorder(const std::string &name, const FieldRecording &wanted,
                             std::int64_t steps, std::int64_t done, OutputFile &out,
                             const std::vector<std::unique_ptr<SensorMask>> &sensor,
                             const LocalGrid &local, const grid::Communicator &comm,
                             const Exec &exec)
    : name_(name), wanted_(wanted), steps_(steps), local_(local), comm_(comm), exec_(exec) {
  comm.agree([&] { prepare(sensor); });
  if (!wanted.raw) return;
  for (AtMask &at : masks_)
    at.series.emplace(out, at.mask->dataset(name), steps, done,
                      TimeSeries::rows_at_once(*at.mask, steps, comm), *at.mask, comm, exec);
}

void FieldRecorder::prepare(const std::vector<std::unique_ptr<SensorMask>> &sensor) {
  const auto everywhere = [&](Real value) {
    Field field(local_.size(), exec_);
    for_points(exec_, local_.box(), kernels::SetTo{field.view(local_), value});
    return field;
  };
  if (wanted_.max_all) largest_ = everywhere(lowest);
  if (wanted_.min_all) smallest_ = everywhere(highest);
  if (!wanted_.at_sensor()) return;
  for (const std::unique_ptr<SensorMask> &mask : sensor) {
    mask->prepare(exec_);
    const auto at_points = [&](Real value) {
      return ExecArray<Real>(std::vector<Real>(mask->offsets().size(), value), exec_);
    };
    AtMask at{mask.get(), {}, {}, {}, {}};
    if (wanted_.rms) at.squares = at_points(0);
    if (wanted_.max) at.largest = at_points(lowest);
    if (wanted_.min) at.smallest = at_points(highest);
    masks_.push_back(std::move(at));
  }
}

void FieldRecorder::sample(OutputFile &out, const Field &field) {
  for (AtMask &at : masks_)
    sample_at(at, out, field);
  const auto keep = [&](const auto &kernel) { for_points(exec_, local_.box(), kernel); };
  const grid::Rows<Real> values = field.rows(local_);
  const grid::View<Real> most = largest_.view(local_), least = smallest_.view(local_);
  if (wanted_.max_all && wanted_.min_all)
    keep(kernels::KeepExtremes<true, true>{values, most, least});
  else if (wanted_.max_all)
    keep(kernels::KeepExtremes<true, false>{values, most, least});
  else if (wanted_.min_all)
    keep(kernels::KeepExtremes<false, true>{values, most, least});
}

void FieldRecorder::sample_at(AtMask &at, OutputFile &out, const Field &field) const {
  at.mask->sample(exec_, field, at.series ? at.series->begin_row(out) : nullptr,
                  {at.squares.data(), at.largest.data(), at.smallest.data()});
  if (at.series) at.series->end_row();
}

std::vector<Real> FieldRecorder::on_host(const ExecArray<Real> &values) const {
  std::vector<Real> copy;
  comm_.agree([&] { copy = values.on_host(); });
  return copy;
}

void FieldRecorder::write(const AtMask &at, OutputFile &out, const std::string &dataset,
                          std::span<const Real> values) const {
  at.mask->create(out, at.mask->dataset(dataset));
  at.mask->write(out, at.mask->dataset(dataset), values);
}

void FieldRecorder::finish_at(AtMask &at, OutputFile &out) const {
  if (at.series) at.series->flush(out);
  if (wanted_.rms) {
    std::vector<Real> rms = on_host(at.squares);
    for (Real &value : rms)
      value = std::sqrt(value / static_cast<Real>(steps_));
    write(at, out, name_ + "_rms", rms);
  }
  if (wanted_.max) write(at, out, name_ + "_max", on_host(at.largest));
  if (wanted_.min) write(at, out, name_ + "_min", on_host(at.smallest));
}

void FieldRecorder::finish(OutputFile &out, const Field &field) {
  for (AtMask &at : masks_)
    finish_at(at, out);
  if (wanted_.max_all) out.field(name_ + "_max_all", local_, largest_);
  if (wanted_.min_all) out.field(name_ + "_min_all", local_, smallest_);
  if (wanted_.final) out.field(name_ + "_final", local_, field);
}

void FieldRecorder::flush(OutputFile &out) {
  for (AtMask &at : masks_)
    if (at.series) at.series->flush(out);
}

template <class At, class F> void FieldRecorder::for_each_reduction(At &at, const F &f) const {
  if (wanted_.rms) f(at.mask->dataset(name_ + "_squares"), at.squares);
  if (wanted_.max) f(at.mask->dataset(name_ + "_max"), at.largest);
  if (wanted_.min) f(at.mask->dataset(name_ + "_min"), at.smallest);
}

void FieldRecorder::save(OutputFile &checkpoint, Checksum &checksum) const {
  for (const AtMask &at : masks_)
    for_each_reduction(at, [&](const std::string &dataset, const ExecArray<Real> &reduced) {
      const std::vector<Real> values = on_host(reduced);
      at.mask->create(checkpoint, dataset);
      at.mask->write(checkpoint, dataset, values);
      checksum.add(dataset, values, at.mask->places());
    });
  const auto everywhere = [&](bool wanted, const char *what, const Field &field) {
    if (wanted) checkpoint.field(name_ + what, local_, field, &checksum);
  };
  everywhere(wanted_.max_all, "_max_all", largest_);
  everywhere(wanted_.min_all, "_min_all", smallest_);
}

void FieldRecorder::restore(const InputFile &checkpoint, Checksum &checksum) {
  for (AtMask &at : masks_)
    for_each_reduction(at, [&](const std::string &dataset, ExecArray<Real> &reduced) {
      std::vector<Real> values = on_host(reduced);
      at.mask->read(checkpoint, dataset, values);
      checksum.add(dataset, values, at.mask->places());
      comm_.agree([&] { reduced.assign(values); });
    });
  const auto everywhere = [&](bool wanted, const char *what, const Field &field) {
    if (wanted) checkpoint.field(name_ + what, local_, InputFile::Values::finite, field, &checksum);
  };
  everywhere(wanted_.max_all, "_max_all", largest_);
  everywhere(wanted_.min_all, "_min_all", smallest_);
}

Recorder::Recorder(const Recording &wanted, const Parameters &parameters, std::int64_t done,
                   OutputFile &out, const std::vector<std::unique_ptr<SensorMask>> &sensor,
                   const LocalGrid &local, const grid::Communicator &comm, const Exec &exec)
    : first_(wanted.start - 1), samples_(wanted.p.samples() || wanted.u.samples() ||
                                         wanted.u_non_staggered_raw || wanted.intensity.any()),
      out_(out),
      pressure_("p", wanted.p, parameters.steps - first_, std::max<std::int64_t>(done - first_, 0),
                out, sensor, local, comm, exec) {
  const std::int64_t rows = std::max<std::int64_t>(done - first_, 0);
  const std::int64_t steps = parameters.steps - first_;
  for (int axis = 0; axis < local.dimensions(); ++axis) {
    const std::string name = std::string("u") + axis_name(axis);
    velocity_.emplace_back(name, wanted.u, steps, rows, out, sensor, local, comm, exec);
    FieldRecording raw;
    raw.raw = true;
    if (wanted.u_non_staggered_raw)
      unstaggered_.emplace_back(name + "_non_staggered", raw, steps, rows, out, sensor, local, comm,
                                exec);
  }
  if (wanted.intensity.any())
    intensity_.emplace(wanted.intensity, parameters, steps, rows, sensor, local, comm, exec);
}

void Recorder::sample(std::int64_t n, const State &state, Derivative &derivative) {
  if (n < first_) return;
  pressure_.sample(out_, state.pressure);
  for (std::size_t a = 0; a < velocity_.size(); ++a)
    velocity_[a].sample(out_, state.velocity[a]);
  if (intensity_) intensity_->sample(0, state.pressure);
  if (intensity_ || !unstaggered_.empty())
    for (std::size_t a = 0; a < velocity_.size(); ++a) {
      const int axis = static_cast<int>(a);
      derivative.unstagger(axis, state.velocity[a], [&](const Field &u) {
        if (!unstaggered_.empty()) unstaggered_[a].sample(out_, u);
        if (intensity_) intensity_->sample(axis + 1, u);
      });
    }
  if (intensity_) intensity_->next();
}

void Recorder::finish(const State &state) {
  pressure_.finish(out_, state.pressure);
  for (std::size_t a = 0; a < velocity_.size(); ++a)
    velocity_[a].finish(out_, state.velocity[a]);
  for (std::size_t a = 0; a < unstaggered_.size(); ++a)
    unstaggered_[a].finish(out_, state.velocity[a]);
  if (intensity_) intensity_->finish(out_);
}

void Recorder::flush() {
  pressure_.flush(out_);
  for (std::vector<FieldRecorder> *all : {&velocity_, &unstaggered_})
    for (FieldRecorder &recorder : *all)
      recorder.flush(out_);
}

void Recorder::save(OutputFile &checkpoint, Checksum &checksum) {
  pressure_.save(checkpoint, checksum);
  for (const FieldRecorder &recorder : velocity_)
    recorder.save(checkpoint, checksum);
  if (intensity_) intensity_->save(checkpoint, checksum);
}

void Recorder::restore(const InputFile &checkpoint, Checksum &checksum) {
  pressure_.restore(checkpoint, checksum);
  for (FieldRecorder &recorder : velocity_)
    recorder.restore(checkpoint, checksum);
  if (intensity_) intensity_->restore(checkpoint, checksum);
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
