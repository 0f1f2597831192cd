/// The machine of all ranks and the user's overrides, by which plans are chosen.
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

/// Overrides from the environment, the same on all ranks.
struct Overrides {
  const exchange::Algorithm *algorithm = nullptr; ///< HFFT_EXCHANGE; nullptr: any
  bool all_threads = false;                       ///< HFFT_THREADS=all

  /// Reads the environment. Throws Failure(HFFT_ERROR_ENVIRONMENT) naming the expected values.
  static Overrides read();
};

/// Properties of the machines of all ranks, the same on all ranks: where they differ, the least.
/// Copies take no memory.
struct Machine {
  std::int64_t small_tile = 0;     ///< bytes that leave room for twiddles in the first-level cache
  std::int64_t large_tile = 0;     ///< a good part of the second-level cache
  std::int64_t cores = 1;          ///< cores of a node
  std::int64_t threads = 1;        ///< threads that a plan may use per rank
  std::int64_t ranks_per_node = 1; ///< on the node that has most
  double time_limit = -1;          ///< rank 0's seconds for planning; negative: none
  simd::Isa isa = simd::active();  ///< whose kernels plans use
  std::uint64_t processors = 0;    ///< stands for the names of several processors; 0: all one
  MachineParameters parameters{};  ///< rank 0's parameters, for estimates
  Overrides overrides{};           ///< what rank 0's environment prescribes

  /// Whether so many ranks are on more than one node.
  bool several_nodes(std::int64_t ranks) const { return ranks_per_node < ranks; }
};

/// The agreement of ranks on an instruction set: of those that all have, the preferred one. Sets
/// need not contain each other.
class CommonIsa {
public:
  /// \param sets the same list on all ranks; its first set is one that every rank has
  explicit CommonIsa(std::span<const simd::Isa> sets = simd::instruction_sets()) : sets_(sets) {}

  /// Brings in that this rank uses `mine`, one of the list.
  void join(Agreement &agreement, simd::Isa mine);
  /// The set that all ranks can use. After the agreement.
  simd::Isa isa() const;

private:
  std::span<const simd::Isa> sets_;
  std::array<std::int64_t, simd::most_sets> usable_{}; ///< 1 or 0 for each set
};

/// The agreement of ranks on the name of their processors.
class CommonName {
public:
  /// Brings in that this rank's processor has the name `mine`.
  void join(Agreement &agreement, const std::string &mine);
  /// 0 where all ranks gave the same name, else a number that stands for all their names, whatever
  /// the order of the ranks. After the agreement. Collective where names differ.
  std::uint64_t several(MPI_Comm comm) const;

private:
  std::int64_t mine_ = 0;    ///< hash of this rank's name
  std::int64_t least_ = 0;   ///< the least of all ranks' hashes
  std::int64_t negated_ = 0; ///< the largest of all ranks' hashes, negated
};

/// A Machine in numbers, agreed on together with other things.
class MachineNumbers {
public:
  /// Brings in this rank's machine and, on rank 0, what the environment prescribes. Throws Failure
  /// where the environment says something wrong.
  void join(Agreement &agreement, int threads, double time_limit);
  /// After the agreement. Collective on first use, and where processors have different names.
  /// Throws Failure on all ranks alike.
  Machine machine(exchange::Communicator &comm) const;

private:
  std::int64_t small_tile_ = 0;
  std::int64_t large_tile_ = 0;
  std::int64_t cores_ = 1;
  std::int64_t threads_ = 1;
  CommonIsa isa_;
  CommonName name_;
  std::int64_t time_limit_ = 0; ///< the bits of rank 0's
  std::int64_t from_file_ = 0;  ///< 1 where rank 0 has a machine's file
  std::int64_t algorithm_ = -1; ///< place in exchange::algorithms(); -1: any
  std::int64_t all_threads_ = 0;
  MachineParameters parameters_{}; ///< parameters of that file, on rank 0 alone until machine()
};

/// The same by itself. Collective. Throws Failure on all ranks alike.
Machine common_machine(exchange::Communicator &comm, int threads, double time_limit);

/// A line for print_plan where this rank has a better set than the one that all have; else empty.
std::string describe_isa(simd::Isa common);

/// The processor's name for itself, "unknown" where it has none.
const std::string &cpu_model();

/// The name that all ranks have, or one that stands for all their names.
std::string processor_name(const Machine &machine);

} // namespace hybridfft::plan
