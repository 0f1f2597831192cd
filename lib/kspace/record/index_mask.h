/// A sensor mask of grid points by index.
#pragma once

#include <optional>

#include "hybridfft/grid/list_exchange.hpp"
#include "kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Points in any order, more than once allowed; the output keeps the order of the list: datasets
/// [1][1][points] and [1][rows][points]. Ranks bring their values to those that write that part of
/// the list.
template <class Real> class IndexMask final : public SensorMask<Real> {
public:
  /// Reads sensor_mask_index. Throws InputError. Collective.
  IndexMask(const InputFile<Real> &file, const LocalGrid &local, const grid::Communicator &comm);

  std::int64_t points() const override { return total_; }
  void create(OutputFile<Real> &out, const std::string &dataset) const override;
  void create_series(OutputFile<Real> &out, const std::string &dataset,
                     std::size_t rows) const override;
  void write(OutputFile<Real> &out, const std::string &dataset,
             std::span<const Real> values) override;
  void write_series(OutputFile<Real> &out, const std::string &dataset, std::size_t first_row,
                    std::size_t rows, std::span<const Real> values) override;
  void read(const InputFile<Real> &file, const std::string &dataset,
            std::span<Real> values) const override;
  void reserve(std::ptrdiff_t rows) override;
  std::int64_t written_points() const override { return exchange_ ? exchange_->count() : 0; }

private:
  grid::Communicator comm_;
  std::int64_t total_;
  std::ptrdiff_t reserved_ = 0;
  std::optional<grid::ListExchange<Real>> exchange_;
  std::vector<Real> piece_;
};

} // namespace hybridfft::kspace
