/// Text: numbers in messages, names and times of records, and the attributes of datasets in
/// k-Wave's files.
#pragma once

#include <string>

#include "io/hdf5.h"
#include "io/xdmf_text.h"

namespace hybridfft::elastic {

using io::number_text;

/// Returns "p" for the pressure (-1), or "ux", "uy", "uz" for a velocity (0, 1, 2).
inline std::string name_of_quantity(int field) {
  return field < 0 ? "p" : std::string("u") + "xyz"[field];
}

/// Returns a quantity's time offset in steps: after time step n it belongs to time (n +
/// time_offset) dt. Velocities are half a step before stresses.
inline double time_offset(int field) { return field < 0 ? 1 : .5; }

/// True if the dataset exists with this shape and size of values. Such a dataset remains from an
/// earlier run that was interrupted between writing it and removing its checkpoint.
template <class Value>
bool has_values(const io::File &file, const std::string &dataset, const io::Shape &shape) {
  if (!file.exists(dataset)) return false;
  const io::DatasetInfo found = file.info(dataset);
  return found.shape == shape && found.bytes == sizeof(Value);
}

/// Writes the attributes of a k-Wave dataset.
template <class Real> void describe_values(io::File &file, const std::string &dataset) {
  file.set_attribute(dataset, "data_type", sizeof(Real) == 4 ? "float" : "double");
  file.set_attribute(dataset, "domain_type", "real");
}

} // namespace hybridfft::elastic
