#include "solvers/kspace/record/time_series.h"

#include <algorithm>

namespace hybridfft::kspace {

namespace {

/// Maximum number of values in a buffer: 4 MiB of float, enough for the stripes of a file system.
constexpr std::int64_t max_buffer_values = std::int64_t{1} << 20;

} // namespace

template <class Real>
std::ptrdiff_t TimeSeries<Real>::rows_at_once(SensorMask<Real> &mask, std::int64_t rows,
                                              const grid::Communicator &comm) {
  mask.reserve(1);
  // The longest row on this rank: at its points, or as a writer of a list.
  const std::int64_t mine =
      std::max(static_cast<std::int64_t>(mask.offsets().size()), mask.written_points());
  return std::clamp<std::int64_t>(max_buffer_values / std::max(comm.max(mine), std::int64_t{1}), 1,
                                  rows);
}

template <class Real>
TimeSeries<Real>::TimeSeries(OutputFile<Real> &out, std::string dataset, std::int64_t rows,
                             std::int64_t done, std::ptrdiff_t rows_at_once, SensorMask<Real> &mask,
                             const grid::Communicator &comm, const Exec &exec)
    : dataset_(std::move(dataset)), rows_at_once_(rows_at_once), mask_(&mask),
      row_values_(mask.offsets().size()), two_buffers_(exec.device != nullptr), written_(done) {
  // Completed rows must exist; a new dataset would have zeros there.
  if (done > 0) out.require_existing(dataset_);
  mask.reserve(rows_at_once);
  mask.create_series(out, dataset_, static_cast<std::size_t>(rows));
  comm.agree([&] {
    collected_.resize((two_buffers_ ? 2 : 1) * buffer_values());
    pinned_ = PinnedMemory<Real>(exec, collected_.data(), collected_.size());
    copies_ = SampleCopies<Real>(exec, row_values_);
  });
}

template <class Real> Real *TimeSeries<Real>::begin_row(OutputFile<Real> &out) {
  if (rows_ == rows_at_once_) {
    write_waiting(out);
    if (two_buffers_) {
      copies_.mark();
      waiting_ = rows_;
      buffer_ = 1 - buffer_;
    } else {
      write(out, buffer_, rows_);
    }
    rows_ = 0;
  }
  return copies_.begin(row());
}

template <class Real> void TimeSeries<Real>::end_row() {
  copies_.end(row());
  ++rows_;
}

template <class Real>
void TimeSeries<Real>::write(OutputFile<Real> &out, int buffer, std::ptrdiff_t rows) {
  mask_->write_series(out, dataset_, static_cast<std::size_t>(written_),
                      static_cast<std::size_t>(rows),
                      std::span(collected_)
                          .subspan(static_cast<std::size_t>(buffer) * buffer_values(),
                                   static_cast<std::size_t>(rows) * row_values_));
  written_ += rows;
}

template <class Real> void TimeSeries<Real>::write_waiting(OutputFile<Real> &out) {
  if (waiting_ == 0) return;
  copies_.wait_for_marked();
  write(out, 1 - buffer_, waiting_);
  waiting_ = 0;
}

template <class Real> void TimeSeries<Real>::flush(OutputFile<Real> &out) {
  write_waiting(out);
  if (rows_ == 0) return;
  copies_.finish();
  write(out, buffer_, rows_);
  rows_ = 0;
}

template <class Real> void TimeSeries<Real>::end_early(OutputFile<Real> &out) {
  flush(out);
  out.shrink_series(dataset_, static_cast<std::size_t>(written_));
}

template class TimeSeries<float>;
template class TimeSeries<double>;

} // namespace hybridfft::kspace
