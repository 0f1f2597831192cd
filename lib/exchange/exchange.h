/// Global transpositions: one interface, one file per algorithm.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "exchange/communicator.h"
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

/// A planned global transposition. Passes write into the order of send() and read from that of
/// receive(), so an algorithm chooses both as it likes.
class Exchange {
public:
  virtual ~Exchange() = default;

  /// This rank's rows, whose columns lie in pieces in the send buffer.
  const SplitRows &send() const { return send_; }
  /// This rank's columns as rows, whose columns (the former rows) lie in pieces in the receive
  /// buffer.
  const SplitRows &receive() const { return receive_; }
  /// Nothing moves: receive() describes the send buffer itself.
  virtual bool is_view() const { return false; }

  /// Moves the data; the buffers differ, and each holds the larger of send() and receive(), for
  /// either may serve as scratch. Collective, called by one thread (FUNNELED). Throws
  /// Failure(HFFT_ERROR_MPI).
  virtual void execute(std::byte *send, std::byte *receive) = 0;

  virtual std::string describe() const = 0;

protected:
  Exchange(SplitRows send, SplitRows receive)
      : send_(std::move(send)), receive_(std::move(receive)) {}

private:
  SplitRows send_;
  SplitRows receive_;
};

struct ExchangeOptions {
  unsigned effort = 0;    ///< FFTW's planner flag
  bool forced = false;    ///< the user asked for this algorithm by name
  bool keep_send = false; ///< the send buffer is the user's input, to be left as it is
};

/// One algorithm. `make` is collective; it returns nullptr on all ranks where the algorithm does
/// not apply, and throws Failure on all ranks alike.
struct Algorithm {
  const char *name;
  std::unique_ptr<Exchange> (*make)(const Transposition &, const std::shared_ptr<Communicator> &,
                                    const ExchangeOptions &);
};

/// All algorithms, the default of unmeasured plans first.
std::span<const Algorithm> algorithms();

/// The one that HFFT_EXCHANGE names, or nullptr when it is not set. Throws
/// Failure(HFFT_ERROR_ENVIRONMENT) listing the names.
const Algorithm *forced_algorithm();

/// On one rank a transposition is only another way of looking at the array.
std::unique_ptr<Exchange> make_view(const Transposition &t);

} // namespace hybridfft::exchange
