/// Pressure that is driven over time at some points.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kspace/parameters.h"

namespace hybridfft::kspace {

/// The p_source_* datasets: amplitudes as density (kg/m^3) per split component, already scaled.
/// Each rank keeps its own points and their signals.
class PressureSource {
public:
  /// Without a pressure source in the file it is empty. Throws InputError. Collective.
  PressureSource(const InputFile &file, const Parameters &parameters, const Slab &slab);

  /// Gives time step n's values to every component, while the signal lasts. In the order of the
  /// list: of several values for one point the last one stays (dirichlet) or all add up.
  void inject(std::int64_t n, const std::array<Field, 3> &density) const;

private:
  void read_signals(const InputFile &file, std::size_t columns);

  SourceMode mode_ = SourceMode::dirichlet;
  std::int64_t steps_ = 0;
  bool many_ = false;
  std::vector<std::ptrdiff_t> offsets_; ///< of own points in a field
  std::vector<std::size_t> columns_;    ///< of own points in the matrix of signals
  std::vector<float> signals_;          ///< [step][own point], or [step]
};

} // namespace hybridfft::kspace
