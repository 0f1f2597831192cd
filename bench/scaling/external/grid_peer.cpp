#include "scaling/external/grid_peer.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/mpi.h"
#include "scaling/data.h"
#include "scaling/rounds.h"

/// 2DECOMP&FFT ends with this call, which would spoil the FFTW plans of all others in this process:
/// here it finds a function that does nothing instead of FFTW's.
extern "C" void fftw_cleanup() {}

namespace hybridfft::bench {

void GridPeer::plan(Effort effort) {
  const int ranks = mpi::size(comm());
  double best = std::numeric_limits<double>::infinity();
  ProcessGrid last{};
  for (int p = 1; p <= ranks; ++p) {
    const ProcessGrid grid{p, ranks / p};
    if (ranks % p != 0 || !admits(grid)) continue;
    plan_on(last = grid, effort);
    // Transforms of infinities and denormal numbers would take longer.
    fill_input(*this);
    double seconds = slowest_seconds([this] { execute(); }, comm());
    fill_input(*this);
    seconds = std::min(seconds, slowest_seconds([this] { execute(); }, comm()));
    if (seconds >= best) continue;
    best = seconds;
    grid_ = grid;
  }
  if (last == ProcessGrid{})
    throw std::runtime_error(std::string(library()) + " has no process grid of " +
                             std::to_string(ranks) + " ranks for " + to_string(problem()));
  if (grid_ != last) plan_on(grid_, effort);
}

std::string GridPeer::describe() const {
  return std::string(library()) + " on " + std::to_string(grid_[0]) + "x" +
         std::to_string(grid_[1]) + " ranks: " + input().layout().describe() + " to " +
         output().layout().describe();
}

LayoutView GridPeer::gathered(const std::vector<std::ptrdiff_t> &extents, const IndexBox &mine,
                              const std::vector<int> &order) const {
  std::array<long long, 6> box{};
  for (std::size_t a = 0; a < 3; ++a) {
    box[a] = mine.start[a];
    box[3 + a] = mine.count[a];
  }
  const auto ranks = static_cast<std::size_t>(mpi::size(comm()));
  std::vector<long long> all(ranks * box.size());
  mpi::check(MPI_Allgather(box.data(), 6, MPI_LONG_LONG, all.data(), 6, MPI_LONG_LONG, comm()),
             "MPI_Allgather");
  std::vector<IndexBox> boxes;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(6 * r);
    boxes.push_back({{at, at + 3}, {at + 3, at + 6}});
  }
  return {Layout::boxes(extents, std::move(boxes), {order, {}, 1, Fields::interleaved}),
          mpi::rank(comm())};
}

void GridPeer::make_grid_arrays(const LayoutView &in, const LayoutView &out,
                                std::size_t least_bytes) {
  const Problem &p = problem();
  const std::size_t real = p.single ? sizeof(float) : sizeof(double);
  const auto bytes = [real](const LayoutView &view, bool real_side) {
    return static_cast<std::size_t>(view.size()) * (real_side ? real : 2 * real);
  };
  make_arrays(
      in, out,
      std::max({least_bytes, bytes(in, p.kind == Kind::r2c), bytes(out, p.kind == Kind::c2r)}));
}

std::string refuses_grid_problem(const Problem &p) {
  if (p.extents.size() != 3) return "it transforms three dimensions";
  if (p.howmany != 1) return "it transforms one field";
  if (p.block_in != HFFT_DEFAULT_BLOCK || p.block_out != HFFT_DEFAULT_BLOCK)
    return "blocks are its own";
  return "";
}

} // namespace hybridfft::bench
