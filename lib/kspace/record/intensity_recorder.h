/// Records the time-averaged acoustic intensity and the heat deposited, its negative divergence.
#pragma once

#include <memory>
#include <vector>

#include "kspace/base/parameters.h"
#include "kspace/files/checksum.h"
#include "kspace/files/output_file.h"
#include "kspace/record/intensity.h"
#include "kspace/record/recording.h"
#include "kspace/record/sample_copies.h"
#include "kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Datasets Ix_avg, Iy_avg, Iz_avg (W/m^2): the intensity averaged over the recorded time steps
/// (see IntensityAverage), and Q_term (W/m^3): its negative divergence, the volume rate of heat
/// deposition. They have the shapes of p_max. The divergence is that of the intensity in the whole
/// grid, for any sensor, so that averages are kept of the whole grid for it. The host keeps the
/// averages: of fields on a device it gets the samples of each step.
template <class Real> class IntensityRecorder {
public:
  /// \param steps that will be recorded, \param done of them already. Borrows the masks.
  /// Collective.
  IntensityRecorder(IntensityRecording wanted, const Parameters &parameters, std::int64_t steps,
                    std::int64_t done, const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
                    const LocalGrid &local, const grid::Communicator &comm, const Exec &exec);

  /// Takes the samples of a recorded step: the pressure (quantity 0), and the components of the
  /// velocity at the points of the pressure (1 ...), which exec has; then next().
  void sample(int quantity, const Field<Real> &field);
  void next();
  /// Writes the averages after the last step. Collective.
  void finish(OutputFile<Real> &out);
  /// Creates the datasets that finish() creates, for OutputFile::reserve(). Collective.
  void create_at_end(OutputFile<Real> &out) const;
  /// Writes the sums to a checkpoint, and reads them back. Collective.
  void save(OutputFile<Real> &checkpoint, Checksum &checksum);
  void restore(const InputFile<Real> &checkpoint, Checksum &checksum);

private:
  struct AtMask {
    SensorMask<Real> *mask;
    IntensityAverage<Real> average;
    PinnedMemory<Real> pinned;
    std::vector<SampleCopies<Real>> copies; ///< one for each quantity
  };
  void add(SensorMask<Real> &mask, std::int64_t steps, std::int64_t done);
  /// Waits for samples and adds them to the averages.
  static void drain(AtMask &at);
  /// Writes values of a field at the sensor.
  void write(OutputFile<Real> &out, const std::string &quantity, const Field<Real> &field) const;
  void write_averages(OutputFile<Real> &out);

  IntensityRecording wanted_;
  Parameters parameters_;
  const std::vector<std::unique_ptr<SensorMask<Real>>> *sensor_;
  LocalGrid local_;
  grid::Communicator comm_;
  Exec exec_;
  std::unique_ptr<SensorMask<Real>> everywhere_; ///< for the divergence, else none
  std::vector<AtMask> masks_;
};

} // namespace hybridfft::kspace
