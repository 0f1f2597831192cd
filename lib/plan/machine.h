/// Properties of the machine and settings of the user, agreed on by all ranks. The planner's
/// choices depend on them, so they are part of the keys of wisdom.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/agreement.h"
#include "base/machine_parameters.h"
#include "exchange/communicator.h"
#include "exchange/exchange.h"
#include "simd/instruction_set.h"

namespace hybridfft::plan {

/// Choices forced by environment variables, equal on all ranks.
struct Overrides {
  const exchange::Algorithm *algorithm = nullptr; ///< from HFFT_EXCHANGE; nullptr: any
  bool all_threads = false;                       ///< from HFFT_THREADS=all

  /// Reads the environment. Throws Failure(HFFT_ERROR_ENVIRONMENT) naming the expected values.
  static Overrides read();
};

/// Properties of the machine, equal on all ranks: if ranks differ, the minimum. Copies allocate
/// nothing.
struct Machine {
  std::int64_t small_tile = 0; ///< bytes of a tile that fits the first-level cache beside twiddles
  std::int64_t large_tile = 0; ///< a quarter of the second-level cache in bytes
  std::int64_t cores = 1;      ///< cores of a node
  std::int64_t threads = 1;    ///< number of threads per rank for a plan
  std::int64_t ranks_per_node = 1; ///< maximum over the nodes
  double time_limit = -1;          ///< seconds for planning on rank 0; negative: no limit
  simd::Isa isa = simd::active();  ///< instruction set of all plans
  std::uint64_t processors = 0; ///< hash of the processor names if ranks have several; 0: one name
  MachineParameters parameters{}; ///< rank 0's parameters for estimates
  Overrides overrides{};          ///< settings in the environment of rank 0 that override choices

  /// True if `ranks` ranks are on more than one node.
  bool several_nodes(std::int64_t ranks) const { return ranks_per_node < ranks; }
};

/// Lets ranks agree on an instruction set: the preferred one among the sets that all ranks support.
/// Of two sets, neither need include the other.
class CommonIsa {
public:
  /// \param sets the same list on all ranks; all processors support its first set
  explicit CommonIsa(std::span<const simd::Isa> sets = simd::instruction_sets()) : sets_(sets) {}

  /// Adds this rank's set `mine`, an element of the list, to the agreement.
  void join(Agreement &agreement, simd::Isa mine);
  /// Returns the common set. Call after the agreement.
  simd::Isa isa() const;

private:
  std::span<const simd::Isa> sets_;
  std::array<std::int64_t, simd::max_sets> usable_{}; ///< for each set: 1 if this rank, or after
                                                      ///< the agreement every rank, can use it;
                                                      ///< else 0
};

/// Lets ranks agree on the name of their processors.
class CommonName {
public:
  /// Adds the name `mine` of this rank's processor to the agreement.
  void join(Agreement &agreement, const std::string &mine);
  /// Returns 0 if the processors of all ranks have the same name. Else returns a hash of all names,
  /// independent of the order of ranks. Call it after the reduction of the Agreement given to
  /// join(). Collective if names differ.
  std::uint64_t several(MPI_Comm comm) const;

private:
  std::int64_t mine_ = 0;        ///< hash of this rank's name
  std::int64_t min_ = 0;         ///< minimum of all ranks' hashes
  std::int64_t negated_max_ = 0; ///< negated maximum of all ranks' hashes
};

/// A Machine as numbers for an Agreement, so that one reduction covers them and other numbers.
class MachineNumbers {
public:
  /// Adds this rank's machine to the agreement and, on rank 0, the overrides that the environment
  /// sets. Throws Failure for wrong values of environment variables.
  void join(Agreement &agreement, int threads, double time_limit);
  /// Returns the common machine. Call after the agreement. Collective on first use, and if
  /// processors have different names. Throws Failure on all ranks alike.
  Machine machine(exchange::Communicator &comm) const;

private:
  Machine machine_;
  CommonIsa isa_;
  CommonName name_;
  std::int64_t time_limit_ = 0; ///< bits of rank 0's limit
  std::int64_t from_file_ = 0;  ///< 1 if rank 0 has a machine file
  std::int64_t algorithm_ = -1; ///< index in exchange::algorithms(); -1: any
  std::int64_t all_threads_ = 0;
};

/// Agrees on the common machine, and returns it. Collective. Throws Failure on all ranks alike.
Machine common_machine(exchange::Communicator &comm, int threads, double time_limit);

/// Returns a line for print_plan if this rank has a better instruction set than the common one;
/// else an empty string.
std::string describe_isa(simd::Isa common);

/// Returns the model name of the processor; "unknown" if the system has none.
const std::string &cpu_model();

/// Returns the common processor name, or a name for the set of all names.
std::string processor_name(const Machine &machine);

} // namespace hybridfft::plan
