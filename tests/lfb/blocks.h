/// Grids of blocks with local bases, and fields on them, for tests of extensions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device/emulated.h"
#include "grid/device_messages.h"
#include "hybridfft/grid/cartesian.hpp"
#include "solvers/lfb/extension.h"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft::lfb {

namespace cases {

using grid::Index;

/// Returns an emulated device with random delays, or the GPU selected by HFFT_TEST_GPU.
inline std::unique_ptr<device::Runtime> make_device(std::uint64_t seed) {
  const int rank = grid::Communicator(test::world()).rank();
  if (test::on_real_gpu()) {
    const test::Variable gpu("HFFT_GPU", "cuda");
    return device::Runtime::open(rank);
  }
  return device::make_emulated(
      {std::size_t{64} << 20, 1, 100 * seed + static_cast<std::uint64_t>(rank) + 1});
}

/// Returns the transports that the device supports.
inline std::set<grid::Transport> transports(device::Runtime &runtime) {
  using grid::Transport;
  if (!test::on_real_gpu()) return {Transport::staged, Transport::cuda_aware};
  return {Transport::staged,
          grid::choose_transport(Transport::automatic, grid::Communicator(test::world()), runtime)
              .transport};
}

struct Problem {
  grid::Cuts cuts;
  std::array<std::string, 3> bases; ///< basis of each axis, empty if the axis is not distributed
  std::array<Index, 3> more{};      ///< points of the period in addition to block + gap
};

inline Bases bases_of(const Problem &p) {
  Bases bases;
  for (std::size_t a = 0; a < 3; ++a) {
    if (p.bases[a].empty()) continue;
    const Basis basis = Basis::read(p.bases[a]);
    std::vector<std::ptrdiff_t> periods;
    for (const Index n : p.cuts[a])
      periods.push_back(n + basis.gap() + p.more[a]);
    bases[a] = AxisBasis{basis, periods};
  }
  return bases;
}

/// Returns a smooth function of the global index plus a rough one.
inline double value(Index i, Index j, Index k) {
  return std::sin(0.3 * static_cast<double>(i)) + std::cos(0.2 * static_cast<double>(j + 2 * k)) +
         1e-3 * static_cast<double>((i * 7919 + j * 104729 + k * 1299709) % 1000);
}

/// A block's field before its extension: `factor` times the values, and NaN in the gaps.
template <class Real> struct BlockField {
  /// \param padded true for rows padded as for transforms in place; the padding holds 7
  BlockField(const grid::Cartesian &c, const Bases &bases, int block, double factor = 1,
             bool padded = false) {
    const grid::Box box = c.box(block);
    for (int a = 0; a < 3; ++a) {
      const auto at = static_cast<std::size_t>(a);
      p[at] = bases[at] ? bases[at]->periods[static_cast<std::size_t>(c.place(block)[a])]
                        : box.extent(a);
    }
    pitch = padded ? 2 * (p[2] / 2 + 1) : p[2];
    values.assign(static_cast<std::size_t>(p[0] * p[1] * pitch), Real(7));
    for (Index row = 0; row < p[0] * p[1]; ++row)
      std::fill_n(values.begin() + row * pitch, p[2], Real(NAN));
    for (Index i = 0; i < box.extent(0); ++i)
      for (Index j = 0; j < box.extent(1); ++j)
        for (Index k = 0; k < box.extent(2); ++k)
          values[static_cast<std::size_t>((i * p[1] + j) * pitch + k)] =
              static_cast<Real>(factor * value(box.lo[0] + i, box.lo[1] + j, box.lo[2] + k));
  }
  std::vector<Real> values;
  std::array<Index, 3> p{}; ///< periods of the axes
  Index pitch = 0;
};

inline const std::vector<Problem> &problems() {
  static const std::vector<Problem> all{
      {{{{9}, {11}, {20, 17}}}, {"", "", "erf:6"}, {0, 0, 0}},
      {{{{8, 9}, {7, 12, 6}, {10}}}, {"ls:8", "erf:5", ""}, {0, 3, 0}},
      {{{{6, 7}, {8, 6}, {9, 8, 7}}}, {"ls:6", "ls:4", "erf:4"}, {1, 2, 0}},
      {{{{16, 18}, {5}, {33, 40}}}, {"mom:4/16", "", "mom:6/32"}, {0, 0, 0}},
      {{{{4}, {16, 17}, {18, 16}}}, {"", "opt:8", "opt:16"}, {0, 0, 0}},
      {{{{17, 16}, {5, 7}, {1}}}, {"mom:4/16", "ls:4", ""}, {0, 0, 0}}};
  return all;
}

} // namespace cases

} // namespace hybridfft::lfb
