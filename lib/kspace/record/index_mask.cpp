#include "kspace/record/index_mask.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

IndexMask::IndexMask(const InputFile &file, const LocalGrid &local, const grid::Communicator &comm)
    : comm_(comm), total_(static_cast<std::int64_t>(file.size("sensor_mask_index"))) {
  file.indices("sensor_mask_index", local.points(),
               [&](std::size_t first, std::span<const std::int64_t> points) {
                 comm.agree([&] {
                   for (std::size_t i = 0; i < points.size(); ++i)
                     if (const auto offset = local.offset_of(points[i])) {
                       places_.push_back(static_cast<std::int64_t>(first + i));
                       offsets_.push_back(*offset);
                     }
                 });
               });
}

void IndexMask::reserve(std::ptrdiff_t rows) {
  if (rows <= reserved_) return;
  reserved_ = rows;
  exchange_.emplace(comm_, total_, places_, rows);
  comm_.agree([&] { piece_.resize(static_cast<std::size_t>(rows * exchange_->count())); });
}

void IndexMask::create(OutputFile &out, const std::string &dataset) const {
  create_series(out, dataset, 1);
}

void IndexMask::create_series(OutputFile &out, const std::string &dataset, std::size_t rows) const {
  out.create_series(dataset, rows, static_cast<std::size_t>(total_));
}

void IndexMask::write(OutputFile &out, const std::string &dataset, std::span<const Real> values) {
  write_series(out, dataset, 0, 1, values);
}

void IndexMask::write_series(OutputFile &out, const std::string &dataset, std::size_t first_row,
                             std::size_t rows, std::span<const Real> values) {
  reserve(static_cast<std::ptrdiff_t>(rows));
  exchange_->exchange(static_cast<std::ptrdiff_t>(rows), values, piece_);
  out.write_series(dataset, first_row, rows, static_cast<std::size_t>(exchange_->start()),
                   static_cast<std::size_t>(exchange_->count()), piece_.data());
}

void IndexMask::read(const InputFile &file, const std::string &dataset,
                     std::span<Real> values) const {
  file.rows(
      dataset, 1, static_cast<std::size_t>(total_),
      [&](std::size_t, std::span<const Real> all) {
        for (std::size_t i = 0; i < places_.size(); ++i)
          values[i] = all[static_cast<std::size_t>(places_[i])];
      },
      InputFile::Values::any);
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
