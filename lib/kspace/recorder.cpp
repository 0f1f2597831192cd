#include "kspace/recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

namespace {

// Where nothing was larger or smaller, k-Wave's numbers, which readers in single precision can
// hold.
constexpr Real lowest = std::numeric_limits<float>::lowest();
constexpr Real highest = std::numeric_limits<float>::max();

void fill(const Field &field, Real value) { std::ranges::fill(field.real(), value); }

} // namespace

FieldRecorder::FieldRecorder(const std::string &name, const FieldRecording &wanted,
                             std::int64_t steps, std::int64_t done, OutputFile &out,
                             const std::vector<std::unique_ptr<SensorMask>> &sensor,
                             const LocalGrid &local, const grid::Communicator &comm,
                             grid::Host host)
    : name_(name), wanted_(wanted), steps_(steps), local_(local), host_(host) {
  const std::size_t all = local.size();
  comm.agree([&] {
    if (wanted.max_all) largest_ = Field(all, host.threads);
    if (wanted.min_all) smallest_ = Field(all, host.threads);
    for (const std::unique_ptr<SensorMask> &mask : sensor) {
      const std::size_t n = mask->offsets().size();
      AtMask at{mask.get(), {}, std::vector<Real>(n), {}, {}, {}};
      if (wanted.rms) at.squares.assign(n, 0.0F);
      if (wanted.max) at.largest.assign(n, lowest);
      if (wanted.min) at.smallest.assign(n, highest);
      masks_.push_back(std::move(at));
    }
  });
  if (wanted.max_all) fill(largest_, lowest);
  if (wanted.min_all) fill(smallest_, highest);
  if (!wanted.raw) return;
  for (AtMask &at : masks_)
    at.series.emplace(out, at.mask->dataset(name), steps, done,
                      TimeSeries::rows_at_once(*at.mask, steps, comm), *at.mask);
}

void FieldRecorder::sample(OutputFile &out, const Field &field) {
  if (wanted_.raw || wanted_.rms || wanted_.max || wanted_.min)
    for (AtMask &at : masks_)
      sample_at(at, out, field);
  if (wanted_.max_all || wanted_.min_all) sample_everywhere(field);
}

void FieldRecorder::sample_at(AtMask &at, OutputFile &out, const Field &field) const {
  at.mask->sample(field, host_, at.sampled);
  if (at.series) at.series->append(out, at.sampled);
  for (std::size_t i = 0; i < at.squares.size(); ++i)
    at.squares[i] += at.sampled[i] * at.sampled[i];
  for (std::size_t i = 0; i < at.largest.size(); ++i)
    at.largest[i] = std::max(at.largest[i], at.sampled[i]);
  for (std::size_t i = 0; i < at.smallest.size(); ++i)
    at.smallest[i] = std::min(at.smallest[i], at.sampled[i]);
}

void FieldRecorder::sample_everywhere(const Field &field) const {
  const auto v = field.rows(local_);
  if (wanted_.max_all) {
    const auto most = largest_.view(local_);
    parallel_for(host_, local_.box(), [=](auto i, auto j, auto k) {
      most(i, j, k) = std::max(most(i, j, k), v(i, j, k));
    });
  }
  if (wanted_.min_all) {
    const auto least = smallest_.view(local_);
    parallel_for(host_, local_.box(), [=](auto i, auto j, auto k) {
      least(i, j, k) = std::min(least(i, j, k), v(i, j, k));
    });
  }
}

void FieldRecorder::write(const AtMask &at, OutputFile &out, const std::string &dataset,
                          const std::vector<Real> &values) const {
  at.mask->create(out, at.mask->dataset(dataset));
  at.mask->write(out, at.mask->dataset(dataset), values);
}

void FieldRecorder::finish_at(AtMask &at, OutputFile &out) const {
  if (at.series) at.series->flush(out);
  if (wanted_.rms) {
    std::vector<Real> rms(at.squares.size());
    std::ranges::transform(at.squares, rms.begin(),
                           [this](Real sum) { return std::sqrt(sum / static_cast<Real>(steps_)); });
    write(at, out, name_ + "_rms", rms);
  }
  if (wanted_.max) write(at, out, name_ + "_max", at.largest);
  if (wanted_.min) write(at, out, name_ + "_min", at.smallest);
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
    for_each_reduction(at, [&](const std::string &dataset, const std::vector<Real> &values) {
      at.mask->create(checkpoint, dataset);
      at.mask->write(checkpoint, dataset, values);
      checksum.add(dataset, values, at.mask->places());
    });
  const auto everywhere = [&](bool wanted, const char *what, const Field &field) {
    if (!wanted) return;
    checkpoint.field(name_ + what, local_, field);
    checksum.add(name_ + what, field, local_);
  };
  everywhere(wanted_.max_all, "_max_all", largest_);
  everywhere(wanted_.min_all, "_min_all", smallest_);
}

void FieldRecorder::restore(const InputFile &checkpoint, Checksum &checksum) {
  for (AtMask &at : masks_)
    for_each_reduction(at, [&](const std::string &dataset, std::vector<Real> &values) {
      at.mask->read(checkpoint, dataset, values);
      checksum.add(dataset, values, at.mask->places());
    });
  const auto everywhere = [&](bool wanted, const char *what, const Field &field) {
    if (!wanted) return;
    checkpoint.field(name_ + what, local_, InputFile::Values::finite, field);
    checksum.add(name_ + what, field, local_);
  };
  everywhere(wanted_.max_all, "_max_all", largest_);
  everywhere(wanted_.min_all, "_min_all", smallest_);
}

Recorder::Recorder(const Recording &wanted, const Parameters &parameters, std::int64_t done,
                   OutputFile &out, const std::vector<std::unique_ptr<SensorMask>> &sensor,
                   const LocalGrid &local, const grid::Communicator &comm, grid::Host host)
    : first_(wanted.start - 1), samples_(wanted.p.samples() || wanted.u.samples() ||
                                         wanted.u_non_staggered_raw || wanted.intensity.any()),
      out_(out),
      pressure_("p", wanted.p, parameters.steps - first_, std::max<std::int64_t>(done - first_, 0),
                out, sensor, local, comm, host) {
  const std::int64_t rows = std::max<std::int64_t>(done - first_, 0);
  const std::int64_t steps = parameters.steps - first_;
  for (int axis = 0; axis < local.dimensions(); ++axis) {
    const std::string name = std::string("u") + axis_name(axis);
    velocity_.emplace_back(name, wanted.u, steps, rows, out, sensor, local, comm, host);
    FieldRecording raw;
    raw.raw = true;
    if (wanted.u_non_staggered_raw)
      unstaggered_.emplace_back(name + "_non_staggered", raw, steps, rows, out, sensor, local, comm,
                                host);
  }
  if (wanted.intensity.any())
    intensity_.emplace(wanted.intensity, parameters, steps, rows, sensor, local, comm, host);
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
