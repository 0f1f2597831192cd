/// The choice of the writer of recorded values.
#pragma once

namespace hybridfft::kspace {

/// The writer of values at the sensor: all ranks together while they wait, or a thread of each rank
/// while it computes (io::File::write_behind), which cannot write compressed arrays.
enum class Writer { together, thread };

} // namespace hybridfft::kspace
