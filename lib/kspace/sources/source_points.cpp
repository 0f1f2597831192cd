#include "kspace/sources/source_points.h"

#include <algorithm>

namespace hybridfft::kspace {

template <class Real>
SourcePoints<Real>::SourcePoints(const InputFile<Real> &file, const std::string &dataset,
                                 const LocalGrid &local)
    : total_(file.size(dataset)) {
  struct Entry {
    std::ptrdiff_t offset;
    std::size_t place;
  };
  std::vector<Entry> entries;
  file.indices(dataset, local.points(),
               [&](std::size_t first, std::span<const std::int64_t> points) {
                 file.comm().agree([&] {
                   for (std::size_t i = 0; i < points.size(); ++i)
                     if (const auto offset = local.offset_of(points[i]))
                       entries.push_back({*offset, first + i});
                 });
               });
  file.comm().agree([&] {
    std::ranges::stable_sort(entries, {}, &Entry::offset);
    std::vector<std::ptrdiff_t> offsets, first;
    for (const Entry &entry : entries) {
      if (offsets.empty() || offsets.back() != entry.offset) {
        offsets.push_back(entry.offset);
        first.push_back(static_cast<std::ptrdiff_t>(places_.size()));
      }
      places_.push_back(entry.place);
    }
    first.push_back(static_cast<std::ptrdiff_t>(places_.size()));
    offsets_ = ExecArray<std::ptrdiff_t>(std::move(offsets));
    first_ = ExecArray<std::ptrdiff_t>(std::move(first));
  });
}

template <class Real> void SourcePoints<Real>::move_to(const Exec &exec) {
  offsets_.move_to(exec);
  first_.move_to(exec);
}

template <class Real>
Signals<Real>::Signals(const InputFile<Real> &file, const std::string &dataset, std::int64_t steps,
                       bool many, const SourcePoints<Real> &points)
    : steps_(steps), many_(many), own_(many ? points.places().size() : 1) {
  if (steps == 0) return;
  const std::size_t columns = many ? points.total() : 1;
  std::vector<Real> own;
  file.comm().agree([&] { own.reserve(static_cast<std::size_t>(steps) * own_); });
  file.rows(dataset, static_cast<std::size_t>(steps), columns,
            [&](std::size_t, std::span<const Real> values) {
              for (std::size_t row = 0; row < values.size(); row += columns) {
                if (!many_) own.push_back(values[row]);
                if (many_)
                  for (const std::size_t place : points.places())
                    own.push_back(values[row + place]);
              }
            });
  values_ = ExecArray<Real>(std::move(own));
}

template class SourcePoints<float>;
template class SourcePoints<double>;
template class Signals<float>;
template class Signals<double>;

} // namespace hybridfft::kspace
