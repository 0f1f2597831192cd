#include "kspace/time_series.h"

#include <algorithm>

namespace hybridfft::kspace {

namespace {

/// Values per buffer: 4 MiB, enough for the file system's stripes.
constexpr std::int64_t buffer_values = std::int64_t{1} << 20;

} // namespace

std::ptrdiff_t TimeSeries::rows_at_once(const Sensor &sensor, std::int64_t rows,
                                        const grid::Communicator &comm) {
  // The longest row of a rank before the exchange, or its even share after.
  const std::int64_t row =
      std::max({comm.max(static_cast<std::int64_t>(sensor.positions().size())),
                static_cast<std::int64_t>(sensor.total()) / comm.size(), std::int64_t{1}});
  return std::clamp<std::int64_t>(buffer_values / row, 1, rows);
}

TimeSeries::TimeSeries(OutputFile &out, std::string dataset, std::int64_t rows,
                       std::ptrdiff_t rows_at_once, const Sensor &sensor,
                       grid::ListExchange &exchange)
    : out_(out), dataset_(std::move(dataset)), rows_at_once_(rows_at_once), exchange_(exchange),
      piece_(static_cast<std::size_t>(rows_at_once * exchange.count())) {
  out_.create_series(dataset_, static_cast<std::size_t>(rows),
                     static_cast<std::size_t>(sensor.total()));
  collected_.reserve(static_cast<std::size_t>(rows_at_once) * sensor.positions().size());
}

void TimeSeries::append(std::span<const float> values) {
  collected_.insert(collected_.end(), values.begin(), values.end());
  if (++rows_ == rows_at_once_) flush();
}

void TimeSeries::flush() {
  if (rows_ == 0) return;
  exchange_.exchange(rows_, collected_, piece_);
  out_.write_series(dataset_, static_cast<std::size_t>(written_), static_cast<std::size_t>(rows_),
                    static_cast<std::size_t>(exchange_.start()),
                    static_cast<std::size_t>(exchange_.count()), piece_.data());
  written_ += rows_;
  rows_ = 0;
  collected_.clear();
}

} // namespace hybridfft::kspace
