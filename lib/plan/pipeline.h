/// The execution of a plan's steps, exchanges beside passes where both can work at once.
#pragma once

#include <memory>
#include <vector>

#include "exchange/exchange.h"
#include "local/pass.h"
#include "plan/buffers.h"

namespace hybridfft::plan {

class Recorder;

/// A pass or an exchange, and the places between which it works.
struct Step {
  std::unique_ptr<local::Pass> pass;
  std::shared_ptr<exchange::Exchange> exchange;
  Place source;
  Place destination;
  bool receives_early = false; ///< of a chunked exchange: it starts before the pass before it
  bool sends_late = false;     ///< of a chunked exchange: it finishes after the pass after it
};

/// How far an execution has come that is under way.
struct Progress {
  std::size_t step = 0; ///< the next one
  bool sent = false;    ///< it is an exchange whose rows are all on their way
};

class Pipeline {
public:
  Pipeline() = default;
  /// Passes work with `threads` threads.
  Pipeline(std::vector<Step> steps, int threads);

  const std::vector<Step> &steps() const { return steps_; }

  /// Allocates nothing. `recorder`, which knows the steps as its stages, may be null. Throws
  /// Failure(HFFT_ERROR_MPI); no messages arrive in the arrays then.
  void execute(const Addresses &addresses, Recorder *recorder) const;

  /// Goes on until the end (true) or, unless `waits`, until messages are waited for (false): only
  /// chunked exchanges let it return. As execute otherwise.
  bool advance(Progress &progress, const Addresses &addresses, Recorder *recorder,
               bool waits) const;
  /// Lets messages make progress, and tells whether advance() would come any further.
  bool ready(const Progress &progress) const noexcept;
  /// Messages of the next execution are told from those of others by this number, 0 to 500.
  void number(int execution) const;

private:
  /// A pass and the exchanges that work beside it.
  struct Portions {
    exchange::ChunkedExchange *before = nullptr; ///< delivers the rows that the pass reads
    exchange::ChunkedExchange *after = nullptr;  ///< sends the rows that the pass has written
    std::vector<std::ptrdiff_t> ends;            ///< where the rows of the pass are cut
  };

  bool go_on(Progress &progress, const Addresses &addresses, Recorder *recorder, bool waits) const;
  Portions portions_of(std::size_t k, int threads) const;
  void run_pass(std::size_t k, const Addresses &addresses, Recorder *recorder) const;
  void begin_exchange(std::size_t k, const Addresses &addresses) const;
  void end_exchange(std::size_t k) const;

  std::vector<Step> steps_;
  std::vector<Portions> portions_; ///< of each step
};

} // namespace hybridfft::plan
