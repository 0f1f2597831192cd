#include "solvers/kspace/record/steady.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "solvers/kspace/record/recording.h"

namespace hybridfft::kspace {

namespace {

/// Returns the row of `quantities` for the maximum at the sensor.
std::size_t row_of_maximum() {
  std::size_t row = 0;
  for_each_quantity([&](std::size_t i, const auto &quantity) {
    if (std::string_view(quantity.option) == "_max") row = i;
  });
  return row;
}

} // namespace

template <class Real>
SteadyState<Real>::SteadyState(double change,
                               const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
                               const grid::Communicator &comm, const Exec &exec)
    : change_(change), comm_(comm), exec_(exec) {
  comm_.agree([&] {
    for (const std::unique_ptr<SensorMask<Real>> &mask : sensor) {
      mask->prepare(exec_);
      const std::vector<Real> start(mask->offsets().size(), Real(lowest));
      masks_.push_back({mask.get(), ExecArray<Real>(start, exec_), {}});
    }
  });
}

template <class Real> void SteadyState<Real>::sample(const Field<Real> &pressure) {
  static const std::size_t row = row_of_maximum();
  for (MaskMaximum &at : masks_) {
    typename SensorMask<Real>::Combined combined{};
    combined[row] = at.largest.data();
    at.mask->sample(exec_, pressure, nullptr, combined);
  }
}

template <class Real> bool SteadyState<Real>::end_period(bool whole) {
  double largest = 0, difference = 0;
  bool compared = true;
  comm_.agree([&] {
    for (MaskMaximum &at : masks_) {
      const std::vector<Real> now = at.largest.on_host();
      compared = compared && at.before.size() == now.size();
      for (std::size_t i = 0; i < now.size(); ++i) {
        largest = std::max(largest, static_cast<double>(std::abs(now[i])));
        if (at.before.size() == now.size())
          difference = std::max(difference, static_cast<double>(std::abs(now[i] - at.before[i])));
      }
      at.before = whole ? now : std::vector<Real>();
      at.largest.assign(std::vector<Real>(now.size(), Real(lowest)));
    }
  });
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
