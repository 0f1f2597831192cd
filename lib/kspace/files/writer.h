/// The choice of what writes the recorded values.
#pragma once

namespace hybridfft::kspace {

/// How values at the sensor are written: by all ranks together while they wait, or by a thread of
/// each rank while it computes (io::File::write_behind), which no compressed arrays can be.
enum class Writer { together, thread };

} // namespace hybridfft::kspace
