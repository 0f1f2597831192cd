#include "kspace/sensor.h"

namespace hybridfft::kspace {

Sensor::Sensor(const InputFile &file, const Slab &slab)
    : total_(static_cast<std::ptrdiff_t>(file.list_size("sensor_mask_index"))) {
  file.indices("sensor_mask_index", slab.points(),
               [&](std::size_t first, std::span<const std::int64_t> points) {
                 for (std::size_t i = 0; i < points.size(); ++i)
                   if (const auto offset = slab.offset_of(points[i])) {
                     positions_.push_back(static_cast<std::int64_t>(first + i));
                     offsets_.push_back(*offset);
                   }
               });
}

void Sensor::sample(const Field &field, grid::Host host, std::span<float> values) const {
  const float *from = field.data();
  parallel_ranges(static_cast<std::ptrdiff_t>(offsets_.size()), host.threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                    for (auto i = static_cast<std::size_t>(first);
                         i < static_cast<std::size_t>(last); ++i)
                      values[i] = from[offsets_[i]];
                  });
}

} // namespace hybridfft::kspace
