/// Rewrites: functions that replace the steps of a plan by cheaper ones, each in a file of
/// `rewrites/`. Those with a communicator are collective, and throw Failure on all ranks alike.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "local/fft.h"
#include "plan/choice.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

// Transpositions between slabs (slab_exchanges.cpp).

/// Returns false if one rank has all of the array and its numbers are not rounded on the way.
bool exchanges_slabs(const Problem &problem);

/// Returns the matrix transposed by the exchange before a stage of a path between slabs.
exchange::Transposition slab_transposition(const Problem &problem, const Path &path,
                                           std::size_t stage);

/// The exchanges along a path. The second one may be nullptr if it uses the window of the first.
using SlabExchanges = std::array<std::unique_ptr<exchange::Exchange>, 2>;

/// Plans the exchanges of a choice. Returns nothing, on all ranks, if the choice's algorithm does
/// not apply.
/// \param forced the user named the algorithm
std::optional<SlabExchanges>
plan_slab_exchanges(const Problem &problem, const Choice &choice,
                    const std::shared_ptr<exchange::Communicator> &comm, bool forced);

/// Lets passes write the send matrices and read the receive matrices of the exchanges. Removes the
/// copies before and after an exchange that works on the user's array itself. Copies next to a
/// window stay, and the copies of a redistribution, which has no transforms. Local; may throw.
/// Returns false, on all ranks, if a window has no way back. The caller frees what a failure leaves
/// in `exchanges` after the ranks have agreed on it: freeing is collective.
bool use_slab_exchanges(Steps &steps, const Problem &problem, const Choice &choice,
                        SlabExchanges &exchanges);

/// Does the same for the cost model, with the matrices of the choice's algorithm on a rank. Plans
/// no exchange.
void outline_slab_exchanges(Steps &steps, const Problem &problem, const Choice &choice, int rank);

// Transpositions in rows or columns of a process grid (group_transposition.cpp).

/// One dimension of the grid leaves one axis and cuts another instead.
struct GroupTransposition {
  int whole = 0; ///< the axis that was cut and becomes whole: the rows of the matrix
  int cut = 0;   ///< the axis that was whole and is cut: its columns
  GridDimension group;
  exchange::Transposition matrix; ///< the matrix that this rank's group transposes
};

/// Returns the transposition from `before` to the stage `after`; nothing for other exchanges.
std::optional<GroupTransposition> group_transposition(const Problem &problem,
                                                      const Distribution &before,
                                                      const PathStage &after, int rank);

/// Lets `algorithm` do each exchange along the path that is such a transposition on all ranks, if
/// the FFTs on both sides can write and read its matrix. It uses a communicator for each row or
/// column. Returns the number of these exchanges; the others do not change.
int transpose_in_groups(Steps &steps, const Problem &problem, const OrderedPath &path,
                        const exchange::Algorithm &algorithm,
                        const std::shared_ptr<exchange::Communicator> &comm);

// Messages of blocks (share_messages.cpp, chunk_messages.cpp).

/// Moves exchanges of blocks into memory that the ranks of a node share. The steps before all
/// exchanges write the memory of their rank, and the steps after them read that of the others.
/// Copies are inserted if there are no such steps. Exchanges alternate between two windows. Returns
/// false, on all ranks and without a change, if the ranks do not share a node's memory.
bool share_messages(Steps &steps, const std::shared_ptr<exchange::Communicator> &comm,
                    const Problem &problem);

/// Cuts the messages of every exchange of blocks along its slowest axis, so that passes write and
/// read one chunk after another. There are as many chunks as all ranks can have, each of them still
/// worth a message. Returns the number of exchanges in several chunks.
int chunk_messages(Steps &steps, const exchange::Communicator &comm);

/// Return the rows of the FFT before the exchange at `k` at which its chunks are complete, or of
/// the FFT after it at which they are needed: as many as chunks, or the end of all rows if chunks
/// are no rows.
std::vector<std::ptrdiff_t> send_ends(const Steps &steps, std::size_t k);
std::vector<std::ptrdiff_t> receive_ends(const Steps &steps, std::size_t k);

// Passes in cache (fuse_planes.cpp).

/// Makes one step of two complex transforms along different axes, and omits the array between them.
/// A plane of both axes must fit the cache, all boxes of a side must have one distance between
/// planes, and the kernels must be the library's own. Exchanges in chunks next to the two keep
/// their overlap: nothing changes there.
void fuse_planes(Steps &steps, const Problem &problem, const AxisOrder &order,
                 local::Kernel kernel);

// Copies (copies.cpp).

/// Inserts a copy before a first step that would overwrite an input to be kept, or before the only
/// step of a transform in place if this step cannot work in place. `planes` is the kernel of
/// planes.
void protect_input(Steps &steps, const Problem &problem, local::Kernel planes);

/// Inserts a copy between two adjacent exchanges: a field must not arrive in the buffer that
/// another one is sent from.
void part_exchanges(Steps &steps);

/// Lets the step before an exchange of blocks write this rank's own block into the receive buffer,
/// and removes the block from the exchange. The receive buffer begins `distance` bytes after the
/// send buffer (or before it). The step must not read the receive buffer.
void elide_self_copy(Step &writer, Step &exchange, int rank, std::ptrdiff_t distance,
                     std::size_t real_bytes);

} // namespace hybridfft::plan
