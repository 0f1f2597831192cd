/// The execution of a plan's steps, exchanges beside passes where both can work at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exchange/exchange.h"
#include "local/pass.h"
#include "plan/sequence.h"

namespace hybridfft::plan {

/// A pass or an exchange, and the places between which it works.
struct Step {
  std::unique_ptr<local::Pass> pass;
  std::shared_ptr<exchange::Exchange> exchange;
  Place source;
  Place destination;
  bool receives_early = false; ///< of a chunked exchange: it starts before the pass before it
  bool sends_late = false;     ///< of a chunked exchange: it finishes after the pass after it
};

/// "in -> work: columns of 64 ..., 2 threads".
std::string describe(const Step &step);

class Pipeline final : public Sequence {
public:
  Pipeline() = default;
  /// Passes work with `threads` threads.
  Pipeline(std::vector<Step> steps, int threads);

  const std::vector<Step> &steps() const { return steps_; }

  /// Only chunked exchanges let it return.
  bool advance(Progress &progress, const Addresses &addresses, Recorder *recorder,
               bool waits) const override;
  bool ready(const Progress &progress) const noexcept override;
  void number(int execution) const override;
  bool returns() const override;

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
