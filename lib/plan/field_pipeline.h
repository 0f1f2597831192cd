/// Fields that lie one after another, each transformed on its own: the work on one of them goes on
/// while the messages of another are under way.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/memory.h"
#include "exchange/exchange.h"
#include "local/pass.h"
#include "plan/sequence.h"

namespace hybridfft::plan {

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

class FieldPipeline final : public Sequence {
public:
  FieldPipeline() = default;
  FieldPipeline(std::vector<FieldStep> steps, std::ptrdiff_t fields, FieldDistances distances,
                int threads);

  /// Takes different arrays. What is between two exchanges of a field is a step of its progress.
  bool advance(Progress &progress, const Addresses &addresses, Recorder *recorder,
               bool waits) const override;
  bool ready(const Progress &progress) const noexcept override;
  void number(int execution) const override;
  bool returns() const override { return true; }

  /// Memory of its own.
  std::size_t bytes() const;
  std::vector<Memory *> buffers();
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
  /// The passes of a field behind its exchange before, if it has one.
  struct Turn {
    std::size_t group;
    std::ptrdiff_t field;
  };

  bool go_on(Progress &progress, const Addresses &addresses, Recorder *recorder, bool waits) const;
  void assign(int threads);
  std::size_t groups() const { return exchanges_.size() + 1; }
  Turn turn(std::size_t step) const;
  bool has_field(const Turn &t) const { return t.field >= 0 && t.field < fields_; }
  std::byte *at(int place, std::ptrdiff_t field, const Arrays &arrays) const;
  void start(std::size_t step, std::ptrdiff_t field, const Arrays &arrays,
             Recorder *recorder) const;
  void run_group(std::size_t group, std::ptrdiff_t field, const Arrays &arrays,
                 Recorder *recorder) const;
  void poll() const noexcept;

  std::vector<FieldStep> steps_;
  std::vector<Places> places_;
  std::vector<std::size_t> exchanges_; ///< which steps are
  std::ptrdiff_t fields_ = 1;
  FieldDistances distances_;
  std::vector<Memory> buffers_;
};

} // namespace hybridfft::plan
