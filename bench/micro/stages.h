/// Measures all parts of a transform separately: the passes with every kernel, every exchange, and
/// whole plans.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "exchange/communicator.h"
#include "local/fft.h"

namespace hybridfft::bench {

/// A forward transform with transposed output.
struct StageProblem {
  std::vector<std::ptrdiff_t> extents; ///< three extents, of real numbers for r2c
  local::Kind kind = local::Kind::c2c; ///< c2c or r2c
  int threads = 1;
  unsigned effort = 0;           ///< FFTW's planner flag
  std::ptrdiff_t tile_bytes = 0; ///< size of FFTW's tiles
};

struct MicroStage {
  std::string name;
  std::string about; ///< the stage's own description
  double bytes;      ///< bytes read once and written once by this rank
  /// flops of this rank, by the convention 5 n log2 n, half of that for real data
  double flops;
  int copies; ///< number of STREAM copies of these bytes in the lower bound
  std::function<void()> run;
};

/// The arrays of a rank and the stages on them.
class Stages {
public:
  virtual ~Stages() = default;
  /// The stages in the order of execution; alternatives are adjacent. Kernels that fall back on
  /// another kernel are not listed again.
  const std::vector<MicroStage> &list() const { return list_; }
  const Memory &in() const { return in_; }
  const Memory &out() const { return out_; }

protected:
  std::vector<MicroStage> list_;
  Memory in_, out_;
};

/// Collective. Throws Failure, possibly on some ranks only.
template <class Real>
std::unique_ptr<Stages> make_stages(const StageProblem &problem,
                                    const std::shared_ptr<exchange::Communicator> &comm);

extern template std::unique_ptr<Stages>
make_stages<float>(const StageProblem &, const std::shared_ptr<exchange::Communicator> &);
extern template std::unique_ptr<Stages>
make_stages<double>(const StageProblem &, const std::shared_ptr<exchange::Communicator> &);

} // namespace hybridfft::bench
