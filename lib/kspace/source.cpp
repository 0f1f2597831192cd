#include "kspace/source.h"

namespace hybridfft::kspace {

PressureSource::PressureSource(const InputFile &file, const Parameters &parameters,
                               const Slab &slab)
    : mode_(parameters.p_source_mode), steps_(parameters.p_source_steps),
      many_(parameters.p_source_many) {
  if (steps_ == 0) return;
  file.indices("p_source_index", slab.points(),
               [&](std::size_t first, std::span<const std::int64_t> points) {
                 for (std::size_t i = 0; i < points.size(); ++i)
                   if (const auto offset = slab.offset_of(points[i])) {
                     offsets_.push_back(*offset);
                     columns_.push_back(first + i);
                   }
               });
  read_signals(file, many_ ? file.list_size("p_source_index") : 1);
}

void PressureSource::read_signals(const InputFile &file, std::size_t columns) {
  const std::size_t own = many_ ? columns_.size() : 1;
  signals_.reserve(own * static_cast<std::size_t>(steps_));
  file.rows("p_source_input", static_cast<std::size_t>(steps_), columns,
            [&](std::size_t, std::span<const float> values) {
              for (std::size_t row = 0; row < values.size(); row += columns) {
                if (!many_) signals_.push_back(values[row]);
                if (many_)
                  for (const std::size_t column : columns_)
                    signals_.push_back(values[row + column]);
              }
            });
}

void PressureSource::inject(std::int64_t n, const std::array<Field, 3> &density) const {
  if (n >= steps_) return;
  const float *row = signals_.data() + n * static_cast<std::int64_t>(many_ ? offsets_.size() : 1);
  for (const Field &component : density)
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      const float value = many_ ? row[i] : *row;
      float &target = component.data()[offsets_[i]];
      target = mode_ == SourceMode::dirichlet ? value : target + value;
    }
}

} // namespace hybridfft::kspace
