/// Measures all parts of a transform separately: each pass with every kernel, each exchange, and
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
  unsigned effort = 0; ///< FFTW's planner flag, such as FFTW_MEASURE
  /// Bytes of the lines that a thread transforms at a time by FFTW. They should fit into cache.
  std::ptrdiff_t tile_bytes = 0;
};

struct MicroStage {
  std::string name;
  std::string about; ///< description of the pass, exchange or plan
  double bytes;      ///< bytes read plus bytes written by this rank
  /// flops of this rank: 5 n log2 n for complex data, half of it for real data
  double flops;
  int copies; ///< number of STREAM copies in the lower bound; together they move `bytes` bytes
  std::function<void()> run;
};

/// The arrays of a rank, and the stages that can be run on them.
class Stages {
public:
  virtual ~Stages() = default;
  /// The stages in the order of execution; alternatives follow each other. If a kernel is not
  /// available and another replaces it, the stage is listed once.
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
