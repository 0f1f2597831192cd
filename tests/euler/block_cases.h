/// Reads the reference solver's values on the blocks of a forest.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "hybridfft/grid/blocks.hpp"
#include "io/hdf5.h"

namespace hybridfft::test {

using grid::Index;

/// A case of the reference solver: a group of the file library.h5.
class BlockCase {
public:
  BlockCase(MPI_Comm comm, const std::string &name)
      : file_(io::File::open(HFFT_TEST_DATA "/euler/library.h5", comm)), name_(name) {}

  std::vector<double> operator()(const std::string &dataset) const {
    return file_.read_all<double>(name_ + "/" + dataset);
  }
  /// Returns the leaves of a dataset with rows of level, x, y and, in three dimensions, z.
  std::vector<grid::Leaf> leaves(const std::string &dataset = "in/leaf") const {
    const auto d = file_.info(name_ + "/" + dataset).shape[1] - 1;
    const std::vector<double> numbers = (*this)(dataset);
    std::vector<grid::Leaf> all;
    for (std::size_t n = 0; n < numbers.size(); n += d + 1) {
      grid::Leaf leaf{static_cast<int>(numbers[n]), {}};
      for (std::size_t a = 0; a < d; ++a)
        leaf.place[2 - static_cast<int>(a)] = static_cast<Index>(numbers[n + 1 + a]);
      all.push_back(leaf);
    }
    return all;
  }

private:
  io::File file_;
  std::string name_;
};

/// Calls f(value, index) for all values of this rank's leaves, with `ghosts` layers of ghosts.
/// `index` addresses an array [variable][leaf][cells of a leaf].
template <class F>
void for_values(const grid::Forest &forest, const grid::Blocks<double> &blocks, Index ghosts,
                const F &f) {
  const grid::BlockView<double> view = blocks.view();
  const int d = forest.shape().dimensions;
  const Index n = forest.shape().cells + (blocks.traits().centring == grid::Centring::node ? 1 : 0);
  const Index w = n + 2 * ghosts, planes = d == 3 ? w : 1;
  const auto leaves = static_cast<Index>(forest.leaves().size());
  for (int v = 0; v < blocks.variables(); ++v)
    for (const Index leaf : forest.mine())
      for (Index i = 0; i < planes; ++i)
        for (Index j = 0; j < w; ++j)
          for (Index k = 0; k < w; ++k)
            f(view.at(forest.slot(leaf), v, d == 3 ? i - ghosts : 0, j - ghosts, k - ghosts),
              static_cast<std::size_t>((((v * leaves + leaf) * planes + i) * w + j) * w + k));
}

} // namespace hybridfft::test
