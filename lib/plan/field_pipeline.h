/// Fields that lie one after another, each transformed on its own: the work on one of them goes on
/// while the messages of another are under way.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/memory.h"
#include "exchange/exchange.h"
#include "local/pass.h"

namespace hybridfft::plan {

class Recorder;

/// A step of each field: a pass, or an exchange of which two may be under way, for fields of even
/// and of odd number.
struct FieldStep {
  std::unique_ptr<local::Pass> pass;
  std::array<std::shared_ptr<exchange::ChunkedExchange>, 2> exchanges;
  std::size_t source_bytes = 0;
  std::size_t destination_bytes = 0;
};

/// Bytes from one field to the next in the user's arrays.
struct FieldDistances {
  std::ptrdiff_t in = 0;
  std::ptrdiff_t out = 0;
};

class FieldPipeline {
public:
  FieldPipeline() = default;
  FieldPipeline(std::vector<FieldStep> steps, std::ptrdiff_t fields, FieldDistances distances,
                int threads);

  /// Of different arrays. Allocates nothing. `recorder`, which knows the steps as its stages, may
  /// be null. Throws Failure(HFFT_ERROR_MPI); no messages arrive in the arrays then.
  void execute(std::byte *in, std::byte *out, Recorder *recorder) const;

  std::size_t bytes() const;
  const std::vector<FieldStep> &steps() const { return steps_; }

private:
  static constexpr int user_in = -1;
  static constexpr int user_out = -2;
  /// Buffers of a step, for fields of even and of odd number.
  struct Places {
    std::array<int, 2> source, destination;
  };
  struct Arrays {
    std::byte *in, *out;
  };

  void assign(int threads);
  std::byte *at(int place, std::ptrdiff_t field, const Arrays &arrays) const;
  void start(std::size_t step, std::ptrdiff_t field, const Arrays &arrays,
             Recorder *recorder) const;
  void run_group(std::size_t group, std::ptrdiff_t field, const Arrays &arrays,
                 Recorder *recorder) const;
  void run(const Arrays &arrays, Recorder *recorder) const;
  void poll() const noexcept;

  std::vector<FieldStep> steps_;
  std::vector<Places> places_;
  std::vector<std::size_t> exchanges_; ///< which steps are
  std::ptrdiff_t fields_ = 1;
  FieldDistances distances_;
  std::vector<Memory> buffers_;
};

} // namespace hybridfft::plan
