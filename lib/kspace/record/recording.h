/// What a simulation records.
#pragma once

#include <cstdint>

namespace hybridfft::kspace {

/// What is wanted of one field.
struct FieldRecording {
  bool raw = false;              ///< values at the sensor over time
  bool rms = false;              ///< root of the mean square over the recorded steps, there
  bool max = false, min = false; ///< extremes over the recorded steps, there
  bool max_all = false;          ///< extremes over the recorded steps, everywhere
  bool min_all = false;
  bool final = false; ///< values everywhere after the last step, which need not be recorded

  /// Something is to be done in each recorded step: at the sensor, or anywhere.
  bool at_sensor() const { return raw || rms || max || min; }
  bool samples() const { return at_sensor() || max_all || min_all; }
  bool any() const { return samples() || final; }
};

/// What is wanted of the acoustic intensity.
struct IntensityRecording {
  bool average = false; ///< Ix_avg ...
  bool heat = false;    ///< Q_term
  bool any() const { return average || heat; }
};

/// The wishes of the user.
struct Recording {
  FieldRecording p;
  FieldRecording u; ///< all components, at their own, staggered points
  bool u_non_staggered_raw = false;
  IntensityRecording intensity;
  std::int64_t start = 1; ///< first recorded step, from 1

  bool any() const { return p.any() || u.any() || u_non_staggered_raw || intensity.any(); }
};

} // namespace hybridfft::kspace
