/// Exchanges between the ranks of a communicator: one interface, one file per algorithm.
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
#include "exchange/patience.h"
#include "exchange/wire.h"
#include "hybridfft/layout.hpp"
#include "layout/split_rows.h"

namespace hybridfft::exchange {

/// The matrix rows.n() x columns.n() of vec elements, whose rows are cut over the ranks before
/// the exchange and whose columns are cut after it.
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

/// A planned global transposition. Passes write into the order of send() and read from that of
/// receive(), so an algorithm chooses both within its ExchangeOptions.
class Exchange {
public:
  virtual ~Exchange() = default;

  /// This rank's rows, whose columns lie in pieces in the send buffer.
  const SplitRows &send() const { return send_; }
  /// This rank's columns as rows, whose columns (the former rows) lie in pieces in the receive
  /// buffer.
  const SplitRows &receive() const { return receive_; }
  /// True if no data move: receive() describes the send buffer itself.
  virtual bool is_view() const { return false; }

  /// True if it works within one buffer, which is then both the send and the receive buffer.
  virtual bool in_place() const { return false; }

  /// The exchange's own buffer, shared with other ranks, which is then both the send and the
  /// receive buffer; nullptr if the buffers are those that execute() is given. begin() may move it.
  virtual std::byte *window() const { return nullptr; }
  /// Bytes of window() that belong to this rank.
  virtual std::size_t window_bytes() const { return 0; }
  /// Called before anything is written into window(): returns when no rank reads there any more.
  virtual void begin() {}
  /// The way back through the same window: from receive() to send(). nullptr if `back`, the
  /// transposition that is wanted, is another one. Only of exchanges with a window.
  virtual std::unique_ptr<Exchange> make_return(const Transposition &) const { return nullptr; }

  /// Bytes that this rank needs in addition to the buffers and window().
  virtual std::size_t scratch_bytes() const { return 0; }

  /// This exchange if it can work while passes do, else nullptr.
  virtual ChunkedExchange *chunked() { return nullptr; }

  /// Moves the data; the buffers differ (but for a window, and in place), and each holds the larger
  /// of send() and receive(), for either may serve as scratch. Collective, called by one thread
  /// (FUNNELED). Throws Failure(HFFT_ERROR_MPI); messages may be under way until cancel() then.
  virtual void execute(std::byte *send, std::byte *receive) = 0;
  /// Cancels an execution that has failed, if one was started: the receive buffer is not written
  /// any more. Returns false where MPI may still read the send buffer, which must then be leaked.
  virtual bool cancel(const Patience &) noexcept { return true; }

  /// Algorithm and messages in words, for print_plan.
  virtual std::string describe() const = 0;

protected:
  Exchange(SplitRows send, SplitRows receive)
      : send_(std::move(send)), receive_(std::move(receive)) {}

private:
  SplitRows send_;
  SplitRows receive_;
};

/// An exchange that sends rows as soon as they are written and delivers rows one after another.
/// Between start() and finish() all calls come from one thread, in the order of their rows.
class ChunkedExchange : public Exchange {
public:
  /// The rows of send() and of receive() at which chunks end, the last one being the number of
  /// rows.
  virtual const std::vector<std::ptrdiff_t> &send_ends() const = 0;
  virtual const std::vector<std::ptrdiff_t> &receive_ends() const = 0;

  /// From now on the receive buffer belongs to the exchange. Throws Failure(HFFT_ERROR_MPI), as
  /// all below but poll().
  virtual void start(std::byte *send, std::byte *receive) = 0;
  /// Rows 0 .. end-1 of send() are complete.
  virtual void rows_written(std::ptrdiff_t end) = 0;
  /// Lets messages make progress; failures are reported by finish().
  virtual void poll() noexcept = 0;
  /// Polls, once all rows of send() are written: have all messages come and gone?
  virtual bool complete() noexcept = 0;
  /// The tags of the next execution: executions that run on one communicator at the same time have
  /// different slots, 0 to 501, which keep their messages apart; 0 by default. Before start().
  virtual void tag_slot(int slot) = 0;
  /// Number of tags in a slot: MPI's tags reach to 32767 at least.
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

/// Options of an exchange, for all algorithms; see Algorithm for those that serve chunked ones
/// only.
struct ExchangeOptions {
  bool forced = false;      ///< the user has chosen this algorithm by name
  bool keep_send = false;   ///< the send buffer is the user's input, to be left as it is
  bool tight_send = false;  ///< no pass writes the send buffer: send() must be tight
  bool final_order = false; ///< receive() must be tight
  bool in_place = false;    ///< both buffers are the user's one array, tight on both sides
  bool returning = false;   ///< the second exchange of a plan: may overlap with the first
  Wire wire = Wire::full;   ///< only of chunked algorithms
  bool round_own = false;   ///< self-copies are rounded as if they had travelled
  /// Bytes of the largest message of chunked algorithms in full precision, unless they would be too
  /// many (message_size.h); 0: as large as the chunks are.
  std::ptrdiff_t largest_message = 0;
  int threads = 1;          ///< number of threads that convert numbers
  Pages pages = Pages::now; ///< when window() gets its pages
  /// The ranks that get a window() together, from the memory that there is for all of them, and
  /// that fail together where any of them gets no pages later: exchanges of groups leave no rank of
  /// another group waiting. nullptr: the exchange's own.
  std::shared_ptr<Communicator> all = nullptr;
  /// MPI's counts are ints: tests lower the limit to take the road of larger ones.
  std::ptrdiff_t largest_count = INT_MAX;
};

/// Exchanges that start all of their messages before they wait for any.
inline constexpr double all_at_once = std::numeric_limits<double>::infinity();

/// The cost of an exchange, for models of plans that have not been measured.
struct ExchangeCost {
  double copies = 3;   ///< sweeps over the data by the CPU, in units of its bytes
  double messages = 1; ///< per peer
  double hidden = 0;   ///< part of the wire's time that passes hide, 0 to 1
  /// Number of messages of a rank that are on their way at a time: as of NetworkLoad.
  double in_flight = 1;
};

/// One algorithm with its capabilities and cost, which its own file states.
struct Algorithm {
  const char *name = nullptr; ///< its value of HFFT_EXCHANGE, and its name in wisdom
  /// Collective. Returns nullptr on all ranks where the algorithm does not apply, and throws
  /// Failure on all ranks alike.
  std::unique_ptr<Exchange> (*make)(const Transposition &, const std::shared_ptr<Communicator> &,
                                    const ExchangeOptions &) = nullptr;
  /// The same for blocks of any sizes between any ranks; nullptr where the algorithm serves
  /// matrices alone. The exchange's rows are those of the passes, in BlockMessagesOptions.
  std::unique_ptr<Exchange> (*make_blocks)(const Redistribution &,
                                           const std::shared_ptr<Communicator> &,
                                           const BlockMessagesOptions &) = nullptr;
  ExchangeCost cost;
  /// Position in the order in which algorithms are tried without wisdom, from the least on. All
  /// differ.
  int place = 0;
  bool chunked = false;     ///< makes ChunkedExchanges, which support all of ExchangeOptions
  bool node_memory = false; ///< ranks of a node read each other's memory, without messages
  bool in_place = false;    ///< works within one array, for equal blocks alone
  bool seldom_best = false; ///< not worth a measurement where time for planning is short
  bool fftw = false;        ///< plans of FFTW-MPI: they take communicators, and long to measure
};

/// All algorithms, the default of unmeasured plans first; and by their places. Neither takes
/// memory.
std::span<const Algorithm> algorithms();
std::span<const Algorithm *const> algorithms_by_place();
/// The one of that name; nullptr where there is none.
const Algorithm *find_algorithm(std::string_view name);

/// The one that HFFT_EXCHANGE names, or nullptr when it is not set. Throws
/// Failure(HFFT_ERROR_ENVIRONMENT) listing the names.
const Algorithm *forced_algorithm();

/// The one that HFFT_EXCHANGE names on the first rank. Collective. Throws Failure on all ranks
/// alike where it names none on any rank.
const Algorithm *agreed_algorithm(MPI_Comm comm);

/// Whether all ranks send and receive blocks of one size, as algorithms in place need it.
bool has_equal_blocks(const Transposition &t);

/// The exchange of one rank, for which the send buffer itself is a transposed view.
std::unique_ptr<Exchange> make_view(const Transposition &t);

} // namespace hybridfft::exchange
