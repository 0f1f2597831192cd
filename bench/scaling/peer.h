/// Interface of a peer: a library with distributed transforms that is measured and compared.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory.h"
#include "hybridfft/hybridfft.hpp"
#include "verifier/problem.h"

namespace hybridfft::bench {

using verifier::Problem;

/// One library with one problem. It has its own arrays and its own distribution.
class Peer {
public:
  Peer(const Problem &problem, MPI_Comm comm) : problem_(problem), comm_(comm) {}
  virtual ~Peer() = default;
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;

  /// Creates the arrays and the plan. Planning may overwrite the arrays. Collective. Throws on all
  /// ranks alike.
  virtual void plan(Effort effort) = 0;
  /// Transforms the input. Collective. Throws on all ranks alike.
  virtual void execute() = 0;

  /// The library's description of the plan.
  virtual std::string describe() const = 0;
  /// Bytes of work space on this rank besides the arrays, if the library reports it.
  virtual std::optional<std::size_t> work_bytes() const { return std::nullopt; }
  /// False if the messages of the library cannot be counted. Fortran programs bypass MPI's C
  /// functions.
  virtual bool is_countable() const { return true; }
  /// set_profiling() switches the timing of stages on or off; profile() returns the times as in
  /// hfft_plan_profile, none for libraries without them. Collective.
  virtual void set_profiling(bool) {}
  virtual std::vector<hfft_stage_profile> profile() const { return {}; }

  /// The planned problem. Placement and transposition may differ from the constructor's problem.
  const Problem &problem() const { return problem_; }
  MPI_Comm comm() const { return comm_; }
  /// The logical index of each element of the arrays.
  const LayoutView &input() const { return input_; }
  const LayoutView &output() const { return output_; }
  std::byte *in() const { return in_.data(); }
  std::byte *out() const { return problem_.in_place ? in_.data() : out_.data(); }

protected:
  /// Sets the layouts and allocates arrays of at least `bytes` bytes each. Throws std::bad_alloc on
  /// all ranks alike.
  void make_arrays(LayoutView input, LayoutView output, std::size_t bytes);

private:
  Problem problem_;
  MPI_Comm comm_;
  LayoutView input_, output_;
  Memory in_, out_;
};

struct PeerType {
  const char *name;
  const char *about;
  /// Returns the reason why the peer cannot compute this problem on a number of ranks; empty if it
  /// can.
  std::string (*refuses)(const Problem &problem, int ranks);
  std::unique_ptr<Peer> (*make)(const Problem &problem, MPI_Comm comm);
};

/// All peers of this build. This library is first; the others are compared with it.
std::span<const PeerType> peer_types();

/// FFTW's slab layouts of a problem's input and output, which most libraries support.
LayoutView slab_input(const Problem &problem, MPI_Comm comm);
LayoutView slab_output(const Problem &problem, MPI_Comm comm);

} // namespace hybridfft::bench
