/// Makes a plan from a choice in stages. A path is lowered to steps, rewrites replace steps by
/// cheaper ones, and the builder makes buffers and passes. The builder applies rewrites according
/// to the choice. Functions with a communicator are collective and throw Failure on all ranks
/// alike.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "local/fft.h"
#include "local/pass.h"
#include "local/passes.h"
#include "plan/choice.h"
#include "plan/plan.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

// Rewrites. Each one replaces steps of a plan, and has a file in `rewrites/`.

// Transpositions between slabs (slab_exchanges.cpp).

/// Returns true if the slabs need exchanges: false if one rank has the complete array and its
/// numbers are not rounded to the format of messages.
bool exchanges_slabs(const Problem &problem);

/// Returns the matrix transposed by the exchange before a stage of a path between slabs.
exchange::Transposition slab_transposition(const Problem &problem, const Path &path,
                                           std::size_t stage);

/// The exchanges along a path between slabs. The second one is nullptr if the first one's shared
/// window serves both.
using SlabExchanges = std::array<std::unique_ptr<exchange::Exchange>, 2>;

/// Plans the exchanges of a choice. Returns nothing, on all ranks, if the choice's algorithm cannot
/// serve the problem.
/// \param forced true if the user has named the algorithm
std::optional<SlabExchanges>
plan_slab_exchanges(const Problem &problem, const Choice &choice,
                    const std::shared_ptr<exchange::Communicator> &comm, bool forced);

/// Connects the exchanges with the steps before and after them: the passes write the send matrices
/// and read the receive matrices. Removes copies before and after the exchanges, with two
/// exceptions:
/// - copies to and from a shared window;
/// - copies of a redistribution (a plan without transforms), unless its exchange works within the
///   user's array. Its copy after the exchange is also removed if the exchange itself delivers the
///   final order.
/// Returns false, on all ranks, if the second exchange needs the shared window of the first one and
/// cannot be made. Not collective; may throw. If it throws, the caller frees the rest of `made`
/// after the ranks have agreed on the failure, because freeing is collective.
bool use_slab_exchanges(Steps &steps, const Problem &problem, const Choice &choice,
                        SlabExchanges &made);

/// Variant of use_slab_exchanges() for the cost model: it sets the matrices that the choice's
/// algorithm would have on a rank, without planning an exchange.
void outline_slab_exchanges(Steps &steps, const Problem &problem, const Choice &choice, int rank);

// Transpositions in rows or columns of a process grid (group_transposition.cpp).

/// An exchange among the ranks of one row or column of a process grid. Before the exchange one axis
/// is distributed over these ranks, afterwards another axis.
struct GroupTransposition {
  int whole =
      0; ///< axis distributed before and complete on each rank afterwards: the rows of the matrix
  int cut = 0; ///< axis complete on each rank before and distributed afterwards: the columns of the
               ///< matrix
  GridDimension group;
  exchange::Transposition matrix; ///< matrix transposed by this rank's group
};

/// Returns the transposition that leads from the distribution `before` to the stage `after`.
/// Returns nothing if the exchange is no such transposition.
std::optional<GroupTransposition> group_transposition(const Problem &problem,
                                                      const Distribution &before,
                                                      const PathStage &after, int rank);

/// Replaces exchanges along the path by transpositions with `algorithm`, if on all ranks they are
/// GroupTranspositions whose matrices the FFTs before and after can write and read. Each row or
/// column of the grid gets a communicator. Returns the number of replaced exchanges.
int transpose_in_groups(Steps &steps, const Problem &problem, const OrderedPath &path,
                        const exchange::Algorithm &algorithm,
                        const std::shared_ptr<exchange::Communicator> &comm);

// Messages of blocks (messages.cpp).

/// Replaces exchanges of blocks by reads of memory shared by the ranks of a node. Steps before an
/// exchange write to the memory of their own rank, and steps after it read the memory of the
/// others. The function inserts copies if there is no such step. Exchanges use two windows in turn.
/// Returns false, on all ranks and without a change, if the ranks are on several nodes.
bool share_messages(Steps &steps, const std::shared_ptr<exchange::Communicator> &comm,
                    const Problem &problem);

/// Divides the messages of every exchange of blocks into chunks along its slowest axis. Passes
/// before and after then write and read one chunk while others are in flight. The number of chunks
/// is the largest one possible on all ranks with chunks of a useful size. Returns the number of
/// exchanges in several chunks.
int chunk_messages(Steps &steps, const exchange::Communicator &comm);

/// Return the ends of the chunks of the exchange at `k`: send_ends() as rows of the FFT before the
/// exchange, receive_ends() as rows of the FFT after it. If chunks are not complete rows, the
/// result is one end, after all rows.
std::vector<std::ptrdiff_t> send_ends(const Steps &steps, std::size_t k);
std::vector<std::ptrdiff_t> receive_ends(const Steps &steps, std::size_t k);

// Passes in cache (fuse_planes.cpp).

/// Fuses two transforms along different axes into one step, which keeps each plane of both axes in
/// cache. The planes must fit the cache, all boxes of a side must have the same distance between
/// planes, and the kernels must be the library's own. Steps next to exchanges in chunks are not
/// fused, because they would lose their overlap with messages.
void fuse_planes(Steps &steps, const Problem &problem, const Choice &choice);

/// Planes of two axes. The first transform takes the lines of a plane, along the first axis, and
/// writes a tile in cache. The second one takes the columns of the tile, along the second axis.
struct PlaneCells {
  Storage tile;
  std::vector<MatrixPair> lines, columns; ///< matrices of the first plane
  std::ptrdiff_t planes = 0;
  std::ptrdiff_t source_step = 0, destination_step = 0; ///< elements from one plane to the next
};

/// Returns the planes of a step with a loop axis. All boxes before the step must have the same
/// distance between planes, and so must the boxes after it. Both distances must be larger than one
/// element, otherwise vectors and cache lines would hold one element of each plane. Returns nothing
/// in other cases, or if a plane has more than max_matrices matrices before or after the step.
std::optional<PlaneCells> plane_cells(const Step &step, std::size_t real_bytes);

// Lowers a path to the steps of a rank: FFTs along lines and columns, copies, messages. Every plan
// begins with these steps, and the cost model estimates them. Not collective.

/// Returns the memory orders of the axes to try between steps: the order of the input, and of the
/// output. A halved axis with contiguous lines is the last one, followed only by interleaved
/// fields. Deterministic r2c and c2r transforms store fields separately.
std::vector<AxisOrder> working_orders(const Problem &problem);

/// Returns the steps of a choice on one rank before its exchanges are planned. If fields are
/// transformed one after another, these are the steps of one field. An FFT writes or reads messages
/// directly if they are divided along its axis; otherwise a copy does. Between slabs (see
/// planes_of()) each exchange swaps the first two axes, so it is a matrix transposition. FFTW's
/// kernels take real lines only if they are padded to the length of their spectra.
Steps lower_path(const Problem &problem, const Choice &choice, int rank);

// Makes the passes of steps, the last stage of a build. A step's kind, kernels and matrices select
// the pass.

/// Returns the pass of a step; nullptr for an exchange.
/// \param real_bytes size of a real number
/// \param in_place source and destination are one array
/// \param order order of the numbers in FFTW's tiles of columns
std::unique_ptr<local::Pass> make_pass(const Step &step, std::size_t real_bytes, bool in_place,
                                       local::TileOrder order, const local::PassOptions &options);

// Builds the plan of one choice in five stages: steps, rewrites of the steps, buffers, passes,
// exchanges. The tuner calls this for every candidate it times.

/// Returns the plan; nullptr, on all ranks, if the choice's exchange cannot serve the problem.
/// Collective. Throws Failure on all ranks alike.
/// \param forced_exchange true if the user has selected the exchange by name
std::unique_ptr<Plan> build(const Problem &problem,
                            const std::shared_ptr<exchange::Communicator> &comm,
                            const Choice &choice, bool forced_exchange);

} // namespace hybridfft::plan
