/// Sensors: the points at which fields are recorded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kspace/base/exec_array.h"
#include "kspace/files/input_file.h"
#include "kspace/files/output_file.h"
#include "kspace/record/quantities.h"

namespace hybridfft::kspace {

/// A set of grid points, of which each rank has its own, and how their values lie in the output.
template <class Real> class SensorMask {
public:
  virtual ~SensorMask() = default;

  /// "p", or "p/2" for the second of several masks.
  std::string dataset(const std::string &quantity) const { return quantity + suffix_; }
  /// This rank's points, as offsets in a field.
  std::span<const std::ptrdiff_t> offsets() const { return offsets_; }
  /// Places of this rank's points among all points of the mask.
  std::span<const std::int64_t> places() const { return places_; }
  /// Arrays in which samples are combined over time, one value per point, by the rows of
  /// `quantities`; nullptr for rows that are not wanted.
  using Combined = std::array<Real *, quantity_count>;
  /// Copies the offsets to the device of exec, if there is one; before it samples. Throws
  /// hybridfft::Error.
  void prepare(const Exec &exec);
  /// values[i] = field at the point of offsets()[i], or only the combined values for nullptr. All
  /// are in the memory of exec; a device does the work later, in its stream.
  void sample(const Exec &exec, const Field<Real> &field, Real *values,
              const Combined &combined) const;
  void sample(const Exec &exec, const Field<Real> &field, Real *values) const {
    sample(exec, field, values, Combined());
  }
  /// Points of the whole mask.
  virtual std::int64_t points() const = 0;

  /// Shapes of a dataset of one value per point, or of a series of them.
  virtual void create(OutputFile<Real> &out, const std::string &dataset) const = 0;
  virtual void create_series(OutputFile<Real> &out, const std::string &dataset,
                             std::size_t rows) const = 0;
  /// Writes this rank's values, rows x offsets().size() for a series. Collective.
  virtual void write(OutputFile<Real> &out, const std::string &dataset,
                     std::span<const Real> values) = 0;
  virtual void write_series(OutputFile<Real> &out, const std::string &dataset,
                            std::size_t first_row, std::size_t rows,
                            std::span<const Real> values) = 0;
  /// Reads values that write() has written. Throws InputError. Collective.
  virtual void read(const InputFile<Real> &file, const std::string &dataset,
                    std::span<Real> values) const = 0;
  /// Prepares for series of up to so many rows at once. Collective. Throws hybridfft::Error.
  virtual void reserve(std::ptrdiff_t rows) = 0;
  /// Points whose values this rank writes, after reserve().
  virtual std::int64_t written_points() const = 0;
  /// Bytes of this rank's lists of points.
  std::size_t bytes() const {
    return offsets_.size() * sizeof(offsets_[0]) + places_.size() * sizeof(places_[0]);
  }

protected:
  std::string suffix_;
  std::vector<std::ptrdiff_t> offsets_;
  std::vector<std::int64_t> places_;

private:
  ExecArray<std::ptrdiff_t> device_offsets_;
};

} // namespace hybridfft::kspace
