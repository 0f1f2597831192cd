/// Several passes of matrices as one pass of all that lies in them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/memory.h"
#include "local/pass.h"

namespace hybridfft::plan {

/// One after another. Their rows belong together.
std::unique_ptr<local::Pass> make_pass_list(std::vector<std::unique_ptr<local::Pass>> passes);

/// One thread's passes of a plane, which lies in its tile between them.
struct PlaneWorker {
  std::vector<std::unique_ptr<local::Pass>> lines, columns;
  Memory tile;
};

/// Planes one after another, shared out among as many threads as there are workers: each from the
/// source into the tile of its thread, and from there to the destination. The passes are those of
/// the first plane, for one thread each; the others lie so many bytes further on.
std::unique_ptr<local::Pass> make_plane_list_pass(std::vector<PlaneWorker> workers,
                                                  std::ptrdiff_t planes, std::ptrdiff_t source_step,
                                                  std::ptrdiff_t destination_step);

} // namespace hybridfft::plan
