/// Exchanges between the ranks of a communicator: one interface, with one file per algorithm. The
/// planner measures the algorithms and takes the fastest.
#pragma once

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
#include "exchange/requests.h"
#include "exchange/wire.h"
#include "hybridfft/layout.hpp"
#include "layout/split_rows.h"

namespace hybridfft::exchange {

/// The matrix rows.n() x columns.n() of vec elements. Its rows are distributed over the ranks
/// before the exchange, and its columns after it.
struct Transposition {
  BlockDistribution rows;
  BlockDistribution columns;
  std::ptrdiff_t vec = 1;     ///< complex elements per point
  std::size_t real_bytes = 8; ///< 4: single precision, 8: double
  std::size_t element_bytes() const { return 2 * real_bytes; }
};

class ChunkedExchange;
struct Redistribution;
struct BlockMessagesOptions;

/// A planned global transposition. The pass before writes in the order of send(), and the pass
/// after reads in the order of receive(). An algorithm chooses both orders within its
/// ExchangeOptions.
class Exchange {
public:
  virtual ~Exchange() = default;

  /// Returns this rank's rows; their columns lie in pieces in the send buffer.
  const SplitRows &send() const { return send_; }
  /// Returns this rank's columns as rows. Their columns, the former rows, lie in pieces in the
  /// receive buffer.
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
  /// Returns when no rank reads window() any more; call it before writing there.
  virtual void begin() {}
  /// Makes the backward exchange through the same window, from receive() to send(). Returns nullptr
  /// if the requested transposition `back` is a different one. Only exchanges with a window support
  /// it.
  virtual std::unique_ptr<Exchange> make_return(const Transposition &) const { return nullptr; }

  /// Returns the bytes of this rank beyond the buffers and window().
  virtual std::size_t scratch_bytes() const { return 0; }

  /// Returns this exchange if it can overlap with passes, else nullptr.
  virtual ChunkedExchange *chunked() { return nullptr; }

  /// Moves the data. The buffers differ, except with a window or in place. Each is as large as the
  /// larger of send() and receive(), as either may serve as scratch. Collective, called by one
  /// thread (FUNNELED). Throws Failure(HFFT_ERROR_MPI); messages may then be in flight until
  /// cancel().
  virtual void execute(std::byte *send, std::byte *receive) = 0;
  /// Cancels an execution that has failed, if one was started. The receive buffer is not written
  /// afterwards. Returns false if MPI may still read the send buffer; the caller must then leak it.
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
/// Between start() and finish() one thread makes all calls, in the order of the rows.
class ChunkedExchange : public Exchange {
public:
  /// Return the rows of send() and of receive() at the ends of chunks; the last one is the number
  /// of rows.
  virtual const std::vector<std::ptrdiff_t> &send_ends() const = 0;
  virtual const std::vector<std::ptrdiff_t> &receive_ends() const = 0;

  /// Starts an execution; the receive buffer then belongs to the exchange. Throws
  /// Failure(HFFT_ERROR_MPI), as all functions below but poll().
  virtual void start(std::byte *send, std::byte *receive) = 0;
  /// Reports rows 0 .. end-1 of send() as complete.
  virtual void rows_written(std::ptrdiff_t end) = 0;
  /// Lets messages make progress; failures are reported by finish().
  virtual void poll() noexcept = 0;
  /// Polls after all rows of send() are written; returns true if all messages are complete.
  virtual bool complete() noexcept = 0;
  /// Sets the tags of the next execution; call it before start(). Concurrent executions on one
  /// communicator have different slots, which separate their messages. The default is 0.
  virtual void tag_slot(int slot) = 0;
  /// Number of tags in a slot: MPI guarantees tags up to 32767.
  static constexpr int tags_of_execution = 64;
  /// Returns when rows 0 .. end-1 of receive() are complete. All rows of send() must be written.
  virtual void wait_rows(std::ptrdiff_t end) = 0;
  /// Returns when all rows are complete and the send buffer may be overwritten.
  virtual void finish() = 0;

  ChunkedExchange *chunked() final { return this; }
  void execute(std::byte *send, std::byte *receive) final;

protected:
  using Exchange::Exchange;
};

/// Options of an exchange.
struct ExchangeOptions {
  bool forced = false;      ///< the user has named this algorithm
  bool keep_send = false;   ///< the send buffer is the user's input and must stay unchanged
  bool tight_send = false;  ///< send() must be row-major without gaps, as no pass writes it
  bool final_order = false; ///< receive() must be row-major without gaps
  bool in_place = false;    ///< both buffers are the user's one array, tight on both sides
  bool returning =
      false; ///< true for the second exchange of a plan, which may overlap with the first
  WireFormat wire = WireFormat::full; ///< chunked algorithms only
  bool round_own = false;             ///< round data that stay on the rank like data in messages
  /// Size limit in bytes for messages of chunked algorithms in full precision; 0: the size of the
  /// chunks. Messages are larger if the limit needs too many of them (message.h).
  std::ptrdiff_t largest_message = 0;
  int threads = 1;          ///< number of threads that convert numbers
  Pages pages = Pages::now; ///< time of the page allocation of window()
  /// Ranks that allocate window() jointly from their common memory, and fail jointly if one of them
  /// gets no pages later. No rank of another group then waits for a failed exchange. nullptr: the
  /// exchange's own ranks.
  std::shared_ptr<Communicator> all = nullptr;
  /// Limit of MPI's int counts. Tests lower it to run the code for larger counts.
  std::ptrdiff_t largest_count = INT_MAX;
};

/// Messages in flight of exchanges that start all messages before they wait.
inline constexpr double all_at_once = std::numeric_limits<double>::infinity();

/// Cost of an exchange, for models of unmeasured plans.
struct ExchangeCost {
  double copies = 3;   ///< passes over the data by the CPU, in units of its bytes
  double messages = 1; ///< number of messages per peer
  double hidden = 0;   ///< part of the wire time hidden by passes, 0 to 1
  /// Messages of a rank in flight at the same time, as in NetworkLoad.
  double in_flight = 1;
};

/// One algorithm with its capabilities and cost, defined in its own file.
struct Algorithm {
  const char *name = nullptr; ///< value of HFFT_EXCHANGE, and name in wisdom
  /// Makes an exchange. Collective. Returns nullptr on all ranks if the algorithm does not apply,
  /// and throws Failure on all ranks alike.
  std::unique_ptr<Exchange> (*make)(const Transposition &, const std::shared_ptr<Communicator> &,
                                    const ExchangeOptions &) = nullptr;
  /// Makes an exchange of blocks of any size between any ranks; nullptr if the algorithm supports
  /// matrices only. BlockMessagesOptions has the rows of the passes.
  std::unique_ptr<Exchange> (*make_blocks)(const Redistribution &,
                                           const std::shared_ptr<Communicator> &,
                                           const BlockMessagesOptions &) = nullptr;
  ExchangeCost cost;
  /// Position in the ascending order of trials without wisdom. All positions differ.
  int place = 0;
  bool chunked = false; ///< true if it makes ChunkedExchanges and supports all of ExchangeOptions
  bool node_memory = false; ///< ranks of a node read each other's memory, without messages
  bool in_place = false;    ///< works within one array, for equal blocks only
  bool seldom_best = false; ///< true if it is omitted when the planning time is short
  bool fftw = false; ///< true for plans of FFTW-MPI: they need communicators and long measurements
};

/// Return all algorithms: beginning with the default of unmeasured plans, or in the order of
/// `place`. Neither allocates.
std::span<const Algorithm> algorithms();
std::span<const Algorithm *const> algorithms_by_place();
/// Returns the algorithm with this name; nullptr if unknown.
const Algorithm *find_algorithm(std::string_view name);

/// Returns the algorithm named by HFFT_EXCHANGE, or nullptr if it is not set. Throws
/// Failure(HFFT_ERROR_ENVIRONMENT) with the list of names.
const Algorithm *forced_algorithm();

/// Returns the algorithm named by HFFT_EXCHANGE on the first rank. Collective. Throws Failure on
/// all ranks alike if the name is unknown on any rank.
const Algorithm *agreed_algorithm(MPI_Comm comm);

/// Returns true if all ranks send and receive blocks of one size; in-place algorithms require it.
bool has_equal_blocks(const Transposition &t);

/// Makes the exchange of a single rank: the send buffer itself is a transposed view.
std::unique_ptr<Exchange> make_view(const Transposition &t);

} // namespace hybridfft::exchange
