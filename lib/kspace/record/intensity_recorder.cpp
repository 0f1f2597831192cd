#include "kspace/record/intensity_recorder.h"

#include "kspace/operators/divergence.h"
#include "kspace/record/cuboid_mask.h"

namespace hybridfft::kspace {

template <class Real>
IntensityRecorder<Real>::IntensityRecorder(
    IntensityRecording wanted, const Parameters &parameters, std::int64_t steps, std::int64_t done,
    const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor, const LocalGrid &local,
    const grid::Communicator &comm, const Exec &exec)
    : wanted_(wanted), parameters_(parameters), sensor_(&sensor), local_(local), comm_(comm),
      exec_(exec) {
  comm.agree([&] {
    if (wanted.heat) {
      const Extents &n = local.extents();
      everywhere_ = std::make_unique<CuboidMask<Real>>(
          Cuboid{{0, 0, 0}, {n[0] - 1, n[1] - 1, n[2] - 1}}, 1, local);
      add(*everywhere_, steps, done);
      return;
    }
    for (const std::unique_ptr<SensorMask<Real>> &mask : sensor)
      add(*mask, steps, done);
  });
}

template <class Real>
void IntensityRecorder<Real>::add(SensorMask<Real> &mask, std::int64_t steps, std::int64_t done) {
  mask.prepare(exec_);
  const std::size_t points = mask.offsets().size();
  AtMask at{&mask,
            IntensityAverage<Real>(points, local_.dimensions(), steps, done, exec_.host),
            PinnedMemory<Real>(),
            {}};
  at.pinned = PinnedMemory<Real>(exec_, at.average.samples().data(), at.average.samples().size());
  for (int quantity = 0; quantity <= local_.dimensions(); ++quantity)
    at.copies.emplace_back(exec_, points);
  masks_.push_back(std::move(at));
}

template <class Real> void IntensityRecorder<Real>::sample(int quantity, const Field<Real> &field) {
  for (AtMask &at : masks_) {
    const SampleCopies<Real> &copies = at.copies[static_cast<std::size_t>(quantity)];
    Real *row = at.average.row(quantity).data();
    at.mask->sample(exec_, field, copies.begin(row));
    copies.end(row);
  }
}

template <class Real> void IntensityRecorder<Real>::next() {
  for (AtMask &at : masks_)
    if (at.average.next()) drain(at);
}

template <class Real> void IntensityRecorder<Real>::drain(AtMask &at) {
  for (const SampleCopies<Real> &copies : at.copies)
    copies.finish();
  at.average.drain();
}

template <class Real>
void IntensityRecorder<Real>::write(OutputFile<Real> &out, const std::string &quantity,
                                    const Field<Real> &field) const {
  for (const std::unique_ptr<SensorMask<Real>> &mask : *sensor_) {
    std::vector<Real> values(mask->offsets().size());
    mask->sample({exec_.host}, field, values.data());
    mask->create(out, mask->dataset(quantity));
    mask->write(out, mask->dataset(quantity), values);
  }
}

template <class Real> void IntensityRecorder<Real>::write_averages(OutputFile<Real> &out) {
  // Values at the masks, or everywhere, go through a field, from which masks sample.
  Field<Real> field;
  comm_.agree([&] { field = Field<Real>(local_.size(), exec_.host.threads); });
  for (int axis = 0; axis < local_.dimensions(); ++axis) {
    for (const AtMask &at : masks_)
      for (std::size_t i = 0; i < at.mask->offsets().size(); ++i)
        field.data()[at.mask->offsets()[i]] = static_cast<Real>(at.average.mean(axis, i));
    write(out, std::string("I") + axis_name(axis) + "_avg", field);
  }
}

template <class Real> void IntensityRecorder<Real>::create_at_end(OutputFile<Real> &out) const {
  std::vector<std::string> quantities;
  if (wanted_.heat) quantities.emplace_back("Q_term");
  for (int axis = 0; wanted_.average && axis < local_.dimensions(); ++axis)
    quantities.push_back(std::string("I") + axis_name(axis) + "_avg");
  for (const std::string &quantity : quantities)
    for (const std::unique_ptr<SensorMask<Real>> &mask : *sensor_)
      mask->create(out, mask->dataset(quantity));
}

template <class Real> void IntensityRecorder<Real>::finish(OutputFile<Real> &out) {
  for (AtMask &at : masks_)
    drain(at);
  if (wanted_.average) write_averages(out);
  if (!wanted_.heat) return;
  const AtMask &all = masks_.front();
  const Field<Real> heat = divergence<Real>(
      parameters_, local_, comm_, exec_.host, [&](int axis, std::span<double> values) {
        const std::span<const std::ptrdiff_t> offsets = all.mask->offsets();
        for (std::size_t i = 0; i < offsets.size(); ++i)
          values[static_cast<std::size_t>(offsets[i])] = -all.average.mean(axis, i);
      });
  write(out, "Q_term", heat);
}

template <class Real>
void IntensityRecorder<Real>::save(OutputFile<Real> &checkpoint, Checksum &checksum) {
  for (AtMask &at : masks_) {
    drain(at);
    at.average.for_each_state([&](const std::string &name, std::span<Real> values) {
      const std::string dataset = at.mask->dataset(name);
      at.mask->create(checkpoint, dataset);
      at.mask->write(checkpoint, dataset, values);
      checksum.add_at<Real>(dataset, values, at.mask->places());
    });
  }
}

template <class Real>
void IntensityRecorder<Real>::restore(const InputFile<Real> &checkpoint, Checksum &checksum) {
  for (AtMask &at : masks_)
    at.average.for_each_state([&](const std::string &name, std::span<Real> values) {
      const std::string dataset = at.mask->dataset(name);
      at.mask->read(checkpoint, dataset, values);
      checksum.add_at<Real>(dataset, values, at.mask->places());
    });
}

template class IntensityRecorder<float>;
template class IntensityRecorder<double>;

} // namespace hybridfft::kspace
