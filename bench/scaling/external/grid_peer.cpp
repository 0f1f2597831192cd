// Lists process grids, tries each of them, and keeps FFTW alive for other peers.
#include "scaling/external/grid_peer.h"

#include "base/mpi.h"

/// Empty functions in place of FFTW's. 2DECOMP&FFT, P3DFFT and AccFFT call them when they end,
/// which would invalidate all other FFTW plans of this process.
extern "C" void fftw_cleanup() {}
extern "C" void fftwf_cleanup() {}
extern "C" void fftw_cleanup_threads() {}
extern "C" void fftwf_cleanup_threads() {}

namespace hybridfft::bench {

std::vector<ProcessGrid> process_grids(int ranks) {
  std::vector<ProcessGrid> grids;
  for (int p = 1; p <= ranks; ++p)
    if (ranks % p == 0) grids.push_back({p, ranks / p});
  return grids;
}

std::string in_words(const ProcessGrid &grid) {
  return "on " + std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + " ranks";
}

std::vector<ProcessGrid> GridPeer::grids() const {
  std::vector<ProcessGrid> admitted;
  for (const ProcessGrid &grid : process_grids(mpi::size(comm())))
    if (admits(grid)) admitted.push_back(grid);
  return admitted;
}

std::string GridPeer::in_words(const Values &values) const {
  return bench::in_words(grid_of(values));
}

} // namespace hybridfft::bench
