/// A choice is one way to compute a Problem: a value for each property of a plan. Its text form is
/// stored as wisdom.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "exchange/exchange.h"
#include "local/passes.h"
#include "plan/path.h"

namespace hybridfft::plan {

/// Passes over planes, on paths between slabs.
enum class Passes {
  fused, ///< all axes of a plane in one pass
  split, ///< separate passes for lines and columns, for few planes and many threads
  whole  ///< one rank: FFTW's own threaded plan of the whole array
};

/// How the exchanges of a path send their blocks.
enum class MessageForm {
  whole,  ///< one message for each pair of ranks
  chunks, ///< several messages, overlapped with the passes before and after
  shared  ///< no messages: all ranks of a node read each other's memory, in all exchanges
};

/// A choice. Copies of it allocate nothing.
struct Choice {
  std::shared_ptr<const OrderedPath> path; ///< never null in the choice of a plan
  Passes passes = Passes::fused;           ///< matters on paths between slabs only
  bool by_field = false; ///< fields are transformed one after another, each with its own messages
  MessageForm messages = MessageForm::whole; ///< how exchanges of blocks send the blocks

  /// Algorithm of the exchanges. On paths between slabs it makes all exchanges. On other paths it
  /// makes the transpositions within process grids. nullptr: the exchanges send messages of blocks,
  /// or there is only one rank.
  const exchange::Algorithm *algorithm = nullptr;
  local::Kernel plane_kernel = local::Kernel::simd;
  local::Kernel column_kernel = local::Kernel::simd;
  simd::Store store = simd::Store::streamed; ///< kind of stores of the library's own kernels
  local::TileOrder order = local::TileOrder::interleaved; ///< order of the numbers in FFTW's tiles
                                                          ///< of columns
  std::ptrdiff_t tile_bytes = 0; ///< bytes of cache for a thread's tile, for FFTW's kernels and
                                 ///< copies
  int threads = 0;               ///< maximum number of threads; 0: all threads of the plan

  bool operator==(const Choice &) const = default;
};

/// Returns the choice along a path with default values of all other properties.
inline Choice along(OrderedPath path) {
  Choice choice;
  choice.path = std::make_shared<const OrderedPath>(std::move(path));
  return choice;
}

/// Returns the text of a choice: "form=fused planes=simd columns=simd store=cached
/// order=interleaved tile=32768 threads=all exchange=alltoallv
/// path=n0(8/4)_n1(8):_n1,_2x2_over_n1_n2:_n0 axes=0,1,2,3 fields=together messages=whole". A
/// choice without an algorithm has exchange=none.
std::string serialize(const Choice &choice);

/// Returns the choice of a text for this problem. Throws Failure(HFFT_ERROR_WISDOM) for a wrong
/// word, naming the value found and the values expected, and for an unknown algorithm or path.
Choice parse_choice(std::string_view text, const Problem &problem);

/// Checks the text alone, without looking up the algorithm and the path.
void check_choice(std::string_view text);

/// Returns the text of a process grid: "grid=4x2".
std::string serialize(const std::array<int, 2> &grid);
/// Returns the grid of a text. Throws Failure(HFFT_ERROR_WISDOM).
std::array<int, 2> parse_grid(std::string_view text);

} // namespace hybridfft::plan
