// Divides a dataset evenly over the ranks along one axis, and each part into pieces.
#include "support/pieces.h"

#include <algorithm>
#include <cstdint>

#include "base/mpi.h"
#include "hybridfft/layout.hpp"
#include "io/box.h"
#include "support/progress.h"

namespace hybridfft::tools {

io::Hyperslab my_part(const io::Shape &shape, MPI_Comm comm) {
  io::Hyperslab part{io::Shape(shape.size(), 0), shape};
  if (shape.empty()) return part;
  const int ranks = mpi::size(comm);
  auto axis = std::find_if(shape.begin(), shape.end(),
                           [&](std::size_t n) { return n >= static_cast<std::size_t>(ranks); });
  if (axis == shape.end()) axis = std::max_element(shape.begin(), shape.end());
  const auto a = static_cast<std::size_t>(axis - shape.begin());
  const BlockDistribution blocks(static_cast<std::ptrdiff_t>(*axis), ranks);
  part.offset[a] = static_cast<std::size_t>(blocks.start(mpi::rank(comm)));
  part.count[a] = static_cast<std::size_t>(blocks.count(mpi::rank(comm)));
  return part;
}

void for_pieces(const io::Hyperslab &part, std::size_t most, MPI_Comm comm,
                const std::string &label, const std::function<void(const io::Hyperslab &)> &step) {
  const io::Pieces pieces(part.count, most);
  std::uint64_t steps = pieces.number();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &steps, 1, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");
  const io::Shape zeros(part.count.size(), 0);
  ProgressLine progress(label, static_cast<std::size_t>(steps), mpi::rank(comm) == 0);
  for (std::size_t i = 0; i < steps; ++i) {
    io::Hyperslab piece = i < pieces.number() ? pieces[i] : io::Hyperslab{zeros, zeros};
    if (i < pieces.number())
      for (std::size_t d = 0; d < piece.offset.size(); ++d)
        piece.offset[d] += part.offset[d];
    step(piece);
    progress.update(i + 1);
  }
}

} // namespace hybridfft::tools
