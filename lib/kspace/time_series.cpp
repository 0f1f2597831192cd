#include "kspace/time_series.h"

#include <algorithm>

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

namespace {

/// Values per buffer: 4 MiB, enough for the file system's stripes.
constexpr std::int64_t buffer_values = std::int64_t{1} << 20;

} // namespace

std::ptrdiff_t TimeSeries::rows_at_once(const SensorMask &mask, std::int64_t rows,
                                        const grid::Communicator &comm) {
  // The longest row of a rank before it is brought to those that write, or its even share after.
  const std::int64_t row = std::max({comm.max(static_cast<std::int64_t>(mask.offsets().size())),
                                     mask.points() / comm.size(), std::int64_t{1}});
  return std::clamp<std::int64_t>(buffer_values / row, 1, rows);
}

TimeSeries::TimeSeries(OutputFile &out, std::string dataset, std::int64_t rows, std::int64_t done,
                       std::ptrdiff_t rows_at_once, SensorMask &mask)
    : dataset_(std::move(dataset)), rows_at_once_(rows_at_once), mask_(&mask), written_(done) {
  // Rows of steps that are over would be zeros.
  if (done > 0) out.require_existing(dataset_);
  mask.reserve(rows_at_once);
  mask.create_series(out, dataset_, static_cast<std::size_t>(rows));
  collected_.reserve(static_cast<std::size_t>(rows_at_once) * mask.offsets().size());
}

void TimeSeries::append(OutputFile &out, std::span<const Real> values) {
  collected_.insert(collected_.end(), values.begin(), values.end());
  if (++rows_ == rows_at_once_) flush(out);
}

void TimeSeries::flush(OutputFile &out) {
  if (rows_ == 0) return;
  mask_->write_series(out, dataset_, static_cast<std::size_t>(written_),
                      static_cast<std::size_t>(rows_), collected_);
  written_ += rows_;
  rows_ = 0;
  collected_.clear();
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
