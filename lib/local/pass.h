/// One sweep of all threads over a rank's local data.
#pragma once

#include <cstddef>
#include <string>

namespace hybridfft::local {

/// What every pass is planned with.
struct PassOptions {
  int threads = 1;
  unsigned effort = 0;           ///< FFTW's planner flag
  std::ptrdiff_t tile_bytes = 0; ///< cache that a thread may fill with its tile
};

class Pass {
public:
  virtual ~Pass() = default;
  /// Reads `source` and writes `destination`, which may be the same array only if in_place().
  /// Opens its own parallel region; does not throw or allocate.
  virtual void execute(std::byte *source, std::byte *destination) const = 0;
  /// Source and destination may be the same array.
  virtual bool in_place() const = 0;
  /// "columns n0=256, tiles of 16 lines, 2 threads".
  virtual std::string describe() const = 0;
  /// Scratch that the pass owns, in bytes.
  virtual std::size_t scratch_bytes() const = 0;
};

} // namespace hybridfft::local
