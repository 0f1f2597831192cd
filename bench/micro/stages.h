/// Everything that a transform is made of, each to be measured on its own: the passes with every
/// kernel, every exchange, and whole plans.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "exchange/communicator.h"
#include "local/fft.h"

namespace hybridfft::bench {

/// A forward transform whose output is transposed.
struct StageProblem {
  std::vector<std::ptrdiff_t> extents; ///< three, real ones for r2c
  local::Kind kind = local::Kind::c2c; ///< c2c or r2c
  int threads = 1;
  unsigned effort = 0;           ///< FFTW's planner flag
  std::ptrdiff_t tile_bytes = 0; ///< size of FFTW's tiles
};

struct Stage {
  std::string name;
  std::string about; ///< the stage's description of itself
  double bytes;      ///< bytes that this rank reads once and writes once
  double flops;      ///< this rank's, by the convention 5 n log2 n, half of that for real data
  int copies;        ///< the floor: a STREAM copy of those bytes, in that many equal parts
  std::function<void()> run;
};

/// The arrays of a rank and the stages that work on them.
class Stages {
public:
  virtual ~Stages() = default;
  /// The stages in the order of the work, alternatives next to each other. Those that only claim to
  /// differ (kernels that fall back on others) are listed once.
  const std::vector<Stage> &list() const { return list_; }
  const Memory &in() const { return in_; }
  const Memory &out() const { return out_; }

protected:
  std::vector<Stage> list_;
  Memory in_, out_;
};

/// Collective. Throws Failure, not necessarily on all ranks.
template <class Real>
std::unique_ptr<Stages> make_stages(const StageProblem &problem,
                                    const std::shared_ptr<exchange::Communicator> &comm);

extern template std::unique_ptr<Stages>
make_stages<float>(const StageProblem &, const std::shared_ptr<exchange::Communicator> &);
extern template std::unique_ptr<Stages>
make_stages<double>(const StageProblem &, const std::shared_ptr<exchange::Communicator> &);

} // namespace hybridfft::bench
