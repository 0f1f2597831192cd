/// Exchanges redistribute an array between the ranks of a communicator. There is one interface,
/// with one file per algorithm. The planner measures the algorithms and takes the fastest.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "exchange/communicator.h"
#include "exchange/mpi_handles.h"
#include "hybridfft/layout.hpp"
#include "layout/split_rows.h"

namespace hybridfft::exchange {

/// Format of numbers in messages: the plan's precision, or a reduced one.
enum class WireFormat { full, single, bfloat16, half };

/// Returns the name of the format in wisdom and descriptions.
inline const char *name(WireFormat wire) {
  constexpr std::array names{"full", "single", "bfloat16", "half"};
  return names[static_cast<std::size_t>(wire)];
}

/// The transposition of a distributed matrix of rows.n() x columns.n() points with vec elements
/// each. Before the exchange its rows are distributed over the ranks, afterwards its columns.
struct Transposition {
  BlockDistribution rows;
  BlockDistribution columns;
  std::ptrdiff_t vec = 1;     ///< complex elements per point
  std::size_t real_bytes = 8; ///< 4: single precision, 8: double
  std::size_t element_bytes() const { return 2 * real_bytes; }
};

class ChunkedExchange;

/// A planned transposition of a distributed matrix. The pass before it writes in the order of
/// send(), and the pass after it reads in the order of receive(). The algorithm chooses both orders
/// within its ExchangeOptions.
class Exchange {
public:
  virtual ~Exchange() = default;

  /// Returns the matrix of this rank's rows in the send buffer. Its columns are divided into
  /// pieces, one for each block.
  const SplitRows &send() const { return send_; }
  /// Returns the matrix of this rank's columns in the receive buffer: each column is a row of the
  /// result. The former rows are divided into pieces, one for each block.
  const SplitRows &receive() const { return receive_; }
  /// Returns true if no data move: receive() then describes the send buffer itself.
  virtual bool is_view() const { return false; }

  /// Returns true if send and receive buffer are the same buffer.
  virtual bool in_place() const { return false; }

  /// Returns a buffer owned by the exchange and shared with other ranks; it is both send and
  /// receive buffer. Returns nullptr if the exchange uses the buffers of execute(). begin() may
  /// move it.
  virtual std::byte *window() const { return nullptr; }
  /// Returns the bytes of window() owned by this rank.
  virtual std::size_t window_bytes() const { return 0; }
  /// Waits until no rank reads window() any more. Call it before writing to the window.
  virtual void begin() {}
  /// Makes the backward exchange through the same window, from receive() to send(). Returns nullptr
  /// if the argument is not the backward transposition. Only exchanges with a window support it.
  virtual std::unique_ptr<Exchange> make_return(const Transposition &) const { return nullptr; }

  /// Returns the bytes allocated on this rank besides the buffers and window().
  virtual std::size_t scratch_bytes() const { return 0; }

  /// Returns this exchange if it can overlap with passes, else nullptr.
  virtual ChunkedExchange *chunked() { return nullptr; }

  /// Moves the data. The two buffers differ, except with a window or in place. Each has the size of
  /// the larger of send() and receive(), because either may serve as scratch. Collective, called by
  /// one thread (FUNNELED). Throws Failure(HFFT_ERROR_MPI); messages may then be in flight until
  /// cancel().
  virtual void execute(std::byte *send, std::byte *receive) = 0;
  /// Cancels a failed execution, if one was started. The receive buffer is not written afterwards.
  /// Returns false if MPI may still read the send buffer; the caller must then leak it on purpose.
  virtual bool cancel(const Patience &) noexcept { return true; }

  /// Returns a description of algorithm and messages for print_plan.
  virtual std::string describe() const = 0;

protected:
  Exchange(SplitRows send, SplitRows receive)
      : send_(std::move(send)), receive_(std::move(receive)) {}

private:
  SplitRows send_;
  SplitRows receive_;
};

/// An exchange that sends rows as soon as they are written, and delivers rows one after another.
/// One thread makes all calls between start() and finish(), in the order of the rows.
class ChunkedExchange : public Exchange {
public:
  /// Return the ends of chunks, as rows of send() and of receive(); the last one is the number of
  /// rows.
  virtual const std::vector<std::ptrdiff_t> &send_ends() const = 0;
  virtual const std::vector<std::ptrdiff_t> &receive_ends() const = 0;

  /// Starts an execution; the receive buffer then belongs to the exchange. Throws
  /// Failure(HFFT_ERROR_MPI), as do rows_written(), wait_rows() and finish().
  virtual void start(std::byte *send, std::byte *receive) = 0;
  /// Reports that rows 0 .. end-1 of send() are complete and may be sent.
  virtual void rows_written(std::ptrdiff_t end) = 0;
  /// Makes progress on messages. finish() reports failures.
  virtual void poll() noexcept = 0;
  /// Makes progress after all rows of send() are written. Returns true if all messages are
  /// complete.
  virtual bool complete() noexcept = 0;
  /// Sets the tags of the next execution; call it before start(). Each concurrent execution on a
  /// communicator has a slot of tags, which separates its messages from the others. The default is
  /// 0.
  virtual void tag_slot(int slot) = 0;
  /// Number of tags in a slot. MPI guarantees tags up to 32767, enough for 512 slots.
  static constexpr int tags_of_execution = 64;
  /// Waits until rows 0 .. end-1 of receive() are complete. All rows of send() must be written
  /// before.
  virtual void wait_rows(std::ptrdiff_t end) = 0;
  /// Waits until all rows are complete and the send buffer may be overwritten.
  virtual void finish() = 0;

  ChunkedExchange *chunked() final { return this; }
  void execute(std::byte *send, std::byte *receive) final;

protected:
  using Exchange::Exchange;
};

/// Options of an exchange.
struct ExchangeOptions {
  bool forced = false; ///< true if the user selected this algorithm
  bool keep_send =
      false; ///< true if the send buffer is the user's input, which must stay unchanged
  bool tight_send =
      false; ///< true if send() must be row-major without gaps, because no pass writes it
  bool final_order = false; ///< true if receive() must be row-major without gaps
  bool in_place =
      false;   ///< both buffers are the user's one array, row-major without gaps before and after
  int tag = 0; ///< separates the exchanges of one plan, which may be in flight together; smaller
               ///< than ChunkedExchange::tags_of_execution
  WireFormat wire = WireFormat::full; ///< format of messages; only chunked algorithms support
                                      ///< reduced formats
  bool round_own = false; ///< also round data that stay on the rank to the format of messages
  /// Size limit in bytes for messages of chunked algorithms in full precision; 0: the size of the
  /// chunks. If the limit would need too many messages, they are larger (messages.h).
  std::ptrdiff_t largest_message = 0;
  int threads = 1;          ///< number of threads that convert numbers and copy a rank's own block
  Pages pages = Pages::now; ///< time of the page allocation of window()
  /// Communicator of all groups of ranks that make exchanges jointly, one exchange per group;
  /// nullptr: only the ranks of this exchange make one. The groups allocate windows from the same
  /// memory. If a rank later gets no pages, the ranks of all groups fail, and none waits for a
  /// failed exchange.
  std::shared_ptr<Communicator> all = nullptr;
  /// Limit of MPI's int counts. Tests lower it to run the code for larger counts.
  std::ptrdiff_t largest_count = INT_MAX;
};

/// Bytes of a buffer that are sent to a rank or received from it.
struct RankBytes {
  int rank = 0;
  std::ptrdiff_t first = 0;
  std::ptrdiff_t count = 0;
  std::ptrdiff_t units = 1; ///< number of equal parts; a chunk consists of whole parts
};

/// Blocks sent and received by a rank. Sender and receiver have the same size and order of elements
/// for a block. There is at most one block from each rank and to each rank, including this rank
/// itself.
struct Redistribution {
  std::vector<RankBytes> sent, received;
  std::size_t real_bytes = 8; ///< bytes of each number in the blocks, 4 or 8
};

/// Options of exchanges of blocks. The orders of matrices have no meaning for them.
struct BlockMessagesOptions : ExchangeOptions {
  int chunks = 1; ///< messages per block; the same on all ranks
  /// When the previous pass has written send_ends[i] rows, chunk i of all messages is complete. The
  /// next pass needs the chunks 0 .. i for its first receive_ends[i] rows. The lists have one entry
  /// per chunk, or a single entry for all chunks.
  std::vector<std::ptrdiff_t> send_ends{1};
  std::vector<std::ptrdiff_t> receive_ends{1};
};

/// Value of in_flight for exchanges that start all messages before they wait.
inline constexpr double all_at_once = std::numeric_limits<double>::infinity();

/// Cost of an exchange in the model of plans that are not measured.
struct ExchangeCost {
  double copies =
      3; ///< passes of the processor over the data, each reading or writing all bytes once
  double messages = 1; ///< number of messages per peer
  double hidden = 0;   ///< part of the wire time hidden by passes, 0 to 1
  /// Number of messages of a rank in flight at the same time, as in NetworkLoad.
  double in_flight = 1;
};

/// An exchange algorithm: functions that make its exchanges, its capabilities and its cost. Each
/// one is defined in its own file.
struct Algorithm {
  const char *name = nullptr; ///< value of HFFT_EXCHANGE, and name in wisdom
  /// Makes an exchange. Collective. Returns nullptr on all ranks if the algorithm does not apply,
  /// and throws Failure on all ranks alike.
  std::unique_ptr<Exchange> (*make)(const Transposition &, const std::shared_ptr<Communicator> &,
                                    const ExchangeOptions &) = nullptr;
  /// Makes an exchange of blocks of any size between any ranks; nullptr if the algorithm supports
  /// matrices only. BlockMessagesOptions describes the rows of the passes before and after.
  std::unique_ptr<Exchange> (*make_blocks)(const Redistribution &,
                                           const std::shared_ptr<Communicator> &,
                                           const BlockMessagesOptions &) = nullptr;
  ExchangeCost cost;
  bool chunked = false; ///< true if it makes ChunkedExchanges and supports all of ExchangeOptions
  bool node_memory = false; ///< ranks of a node read each other's memory, without messages
  bool in_place = false;    ///< works within one array; all blocks must be equal
  bool seldom_best = false; ///< true if it is omitted when the planning time is short
  bool fftw = false;        ///< true for plans of FFTW-MPI: each needs a communicator
};

/// Returns all algorithms: the default of unmeasured plans first, and faster ones before slower
/// ones with the same abilities. It allocates nothing.
std::span<const Algorithm> algorithms();
/// Returns the algorithm with this name; nullptr if unknown.
const Algorithm *find_algorithm(std::string_view name);

/// Returns the algorithm named by HFFT_EXCHANGE, or nullptr if it is not set. Throws
/// Failure(HFFT_ERROR_ENVIRONMENT) with the list of names.
const Algorithm *forced_algorithm();

/// Returns the algorithm named by HFFT_EXCHANGE on the first rank. Collective. Throws Failure on
/// all ranks alike if the name is unknown on any rank.
const Algorithm *agreed_algorithm(MPI_Comm comm);

/// Returns true if all ranks send and receive blocks of the same size; in-place algorithms require
/// it.
bool has_equal_blocks(const Transposition &t);

} // namespace hybridfft::exchange
