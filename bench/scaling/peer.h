/// A library that computes distributed transforms, to be measured and compared.
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

/// One library on one problem, with arrays of its own in the distribution that it wants.
class Peer {
public:
  Peer(const Problem &problem, MPI_Comm comm) : problem_(problem), comm_(comm) {}
  virtual ~Peer() = default;
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;

  /// Makes the arrays, whose contents it may spoil, and the plan. Collective. Throws on all ranks
  /// alike.
  virtual void plan(Effort effort) = 0;
  /// Transforms the input. Collective. Throws on all ranks alike.
  virtual void execute() = 0;

  /// The plan in words, from the library.
  virtual std::string describe() const = 0;
  /// Memory on this rank without the arrays, if the library provides it.
  virtual std::optional<std::size_t> work_bytes() const { return std::nullopt; }
  /// True if its messages can be counted: Fortran's calls go past those of C.
  virtual bool is_countable() const { return true; }
  /// Times of stages in the form of hfft_plan_profile; empty for libraries without them.
  /// Collective.
  virtual void set_profiling(bool) {}
  virtual std::vector<hfft_stage_profile> profile() const { return {}; }

  /// The problem that was planned: the given one, or one that differs in placement and
  /// transposition only.
  const Problem &problem() const { return problem_; }
  MPI_Comm comm() const { return comm_; }
  /// The logical index of each element of the arrays.
  const LayoutView &input() const { return input_; }
  const LayoutView &output() const { return output_; }
  std::byte *in() const { return in_.data(); }
  std::byte *out() const { return problem_.in_place ? in_.data() : out_.data(); }

protected:
  /// Sets the layouts, and makes arrays of at least so many bytes. Throws std::bad_alloc on all
  /// ranks alike.
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
  /// Why it cannot compute this problem on so many ranks; empty when it can.
  std::string (*refuses)(const Problem &problem, int ranks);
  std::unique_ptr<Peer> (*make)(const Problem &problem, MPI_Comm comm);
};

/// All peers of this build, this library first: the one that the others are compared with.
std::span<const PeerType> peer_types();

/// FFTW's layouts of both sides of a problem, which most libraries can use: slabs.
LayoutView slab_input(const Problem &problem, MPI_Comm comm);
LayoutView slab_output(const Problem &problem, MPI_Comm comm);

} // namespace hybridfft::bench
