/// One candidate among the ways to compute a Problem, and its text, as wisdom keeps it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "exchange/exchange.h"
#include "local/column_pass.h"
#include "plan/path.h"
#include "plan/storage.h"

namespace hybridfft::plan {

/// How the planes of a path between slabs are transformed.
enum class Passes {
  fused, ///< all axes of a plane in one pass
  split, ///< lines and columns, for few planes and many threads
  whole  ///< one rank: all of the array by FFTW's own threaded plan
};

/// How blocks go from rank to rank along a path.
enum class Messages {
  whole,  ///< one message for each pair of ranks
  chunks, ///< several, overlapped with the passes before and after
  shared  ///< none: all ranks of a node read what the others have written, in all exchanges
};

/// Copies take no memory.
struct Choice {
  std::shared_ptr<const OrderedPath> path; ///< set in every choice of a plan
  Passes passes = Passes::fused;           ///< between slabs
  bool by_field = false;                   ///< fields one after another, with messages of their own
  Messages messages = Messages::whole;     ///< how exchanges of blocks send

  /// Serves all exchanges between slabs, and those along a path that are transpositions; nullptr:
  /// messages of blocks, or one rank.
  const exchange::Algorithm *algorithm = nullptr;
  local::Kernel plane_kernel = local::Kernel::simd;
  local::Kernel column_kernel = local::Kernel::simd;
  simd::Store store = simd::Store::streamed;              ///< how the library's own kernels store
  local::TileOrder order = local::TileOrder::interleaved; ///< in the tiles of FFTW's columns
  std::ptrdiff_t tile_bytes = 0;                          ///< size of FFTW's tiles
  int threads = 0;                                        ///< at most; 0: all that are given

  bool operator==(const Choice &) const = default;
};

/// "form=fused planes=simd columns=simd store=cached order=interleaved tile=32768 threads=all
/// exchange=alltoallv path=n0(8/4)_n1(8):_n1,_2x2_over_n1_n2:_n0 axes=0,1,2,3 fields=together
/// messages=whole"; exchange=none where no algorithm is named.
std::string serialize(const Choice &choice);

/// The choice for this problem. Throws Failure(HFFT_ERROR_WISDOM) naming the word, the value found
/// and the values expected, or what this library does not have: an algorithm or a path.
Choice parse_choice(std::string_view text, const Problem &problem);

/// The same without asking whether this library has the algorithm and the path.
void check_choice(std::string_view text);

/// The text of a process grid: "grid=4x2".
std::string serialize(const std::array<int, 2> &grid);
/// Throws Failure(HFFT_ERROR_WISDOM).
std::array<int, 2> parse_grid(std::string_view text);

} // namespace hybridfft::plan
