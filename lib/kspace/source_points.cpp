#include "kspace/source_points.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

SourcePoints::SourcePoints(const InputFile &file, const std::string &dataset,
                           const LocalGrid &local)
    : total_(file.size(dataset)) {
  file.indices(dataset, local.points(),
               [&](std::size_t first, std::span<const std::int64_t> points) {
                 for (std::size_t i = 0; i < points.size(); ++i)
                   if (const auto offset = local.offset_of(points[i])) {
                     offsets_.push_back(*offset);
                     places_.push_back(first + i);
                   }
               });
}

Signals::Signals(const InputFile &file, const std::string &dataset, std::int64_t steps, bool many,
                 const SourcePoints &points)
    : steps_(steps), many_(many), own_(many ? points.places().size() : 1) {
  if (steps == 0) return;
  const std::size_t columns = many ? points.total() : 1;
  file.rows(dataset, static_cast<std::size_t>(steps), columns,
            [&](std::size_t, std::span<const Real> values) {
              for (std::size_t row = 0; row < values.size(); row += columns) {
                if (!many_) values_.push_back(values[row]);
                if (many_)
                  for (const std::size_t place : points.places())
                    values_.push_back(values[row + place]);
              }
            });
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
