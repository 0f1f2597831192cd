#include "kspace/record/index_mask.h"

namespace hybridfft::kspace {

template <class Real>
IndexMask<Real>::IndexMask(const InputFile<Real> &file, const LocalGrid &local,
                           const grid::Communicator &comm)
    : comm_(comm), total_(static_cast<std::int64_t>(file.size("sensor_mask_index"))) {
  file.indices("sensor_mask_index", local.points(),
               [&](std::size_t first, std::span<const std::int64_t> points) {
                 comm.agree([&] {
                   for (std::size_t i = 0; i < points.size(); ++i)
                     if (const auto offset = local.offset_of(points[i])) {
                       this->places_.push_back(static_cast<std::int64_t>(first + i));
                       this->offsets_.push_back(*offset);
                     }
                 });
               });
}

template <class Real> void IndexMask<Real>::reserve(std::ptrdiff_t rows) {
  if (rows <= reserved_) return;
  reserved_ = rows;
  exchange_.emplace(comm_, total_, this->places_, rows);
  comm_.agree([&] { piece_.resize(static_cast<std::size_t>(rows * exchange_->count())); });
}

template <class Real>
void IndexMask<Real>::create(OutputFile<Real> &out, const std::string &dataset) const {
  create_series(out, dataset, 1);
}

template <class Real>
void IndexMask<Real>::create_series(OutputFile<Real> &out, const std::string &dataset,
                                    std::size_t rows) const {
  out.create_series(dataset, rows, static_cast<std::size_t>(total_));
}

template <class Real>
void IndexMask<Real>::write(OutputFile<Real> &out, const std::string &dataset,
                            std::span<const Real> values) {
  write_series(out, dataset, 0, 1, values);
}

template <class Real>
void IndexMask<Real>::write_series(OutputFile<Real> &out, const std::string &dataset,
                                   std::size_t first_row, std::size_t rows,
                                   std::span<const Real> values) {
  reserve(static_cast<std::ptrdiff_t>(rows));
  exchange_->exchange(static_cast<std::ptrdiff_t>(rows), values, piece_);
  out.write_series(dataset, first_row, rows, static_cast<std::size_t>(exchange_->start()),
                   static_cast<std::size_t>(exchange_->count()), piece_.data());
}

template <class Real>
void IndexMask<Real>::read(const InputFile<Real> &file, const std::string &dataset,
                           std::span<Real> values) const {
  file.rows(
      dataset, 1, static_cast<std::size_t>(total_),
      [&](std::size_t, std::span<const Real> all) {
        for (std::size_t i = 0; i < this->places_.size(); ++i)
          values[i] = all[static_cast<std::size_t>(this->places_[i])];
      },
      Values::any);
}

template class IndexMask<float>;
template class IndexMask<double>;

} // namespace hybridfft::kspace
