/// Private duplicates of user communicators, and their nodes. All plans of a communicator share one
/// duplicate. It separates the library's messages from the program's.
#pragma once

#include <mpi.h>

#include <array>
#include <bitset>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/binding.h"
#include "base/mpi.h"

namespace hybridfft::exchange {

class Nodes;
class SharedWindow;

/// Duplicate of a user's communicator with MPI_ERRORS_RETURN. The last owner frees it, unless MPI
/// is already finalised.
class Communicator {
public:
  ~Communicator();
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  MPI_Comm get() const { return comm_; }
  /// Leaks the communicator, its groups and its nodes on purpose after a failure. If it were freed,
  /// MPI could use its context for a new communicator, and pending messages would arrive there.
  void keep() noexcept;
  /// Returns a communicator of the ranks along one dimension of a process grid: `ranks` ranks,
  /// `stride` apart, ascending. Later calls return the same one. Collective over this communicator
  /// on first use. Throws Failure on all ranks alike.
  std::shared_ptr<Communicator> group(int ranks, int stride);

  /// Returns true if several threads of some rank may call MPI at the same time. The same on all
  /// ranks.
  bool threaded() const { return threaded_; }

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Tag slot for executions that all ranks start in the same order.
  static constexpr int ordered_tag_slot = 1;

  /// Number of duplicates of this communicator held by FFTW.
  int fftw_duplicates = 0;
  /// Number of neighbour exchanges made on this communicator.
  int neighbour_exchanges = 0;
  /// CPUs of this rank, and a text about the CPUs of all ranks, from the last time that ranks
  /// gathered them.
  struct Binding {
    RankCpus mine;
    std::string text; ///< text of describe_binding() for all ranks
  };
  Binding binding;
  /// Nodes of the ranks; the first call of nodes_of() makes them.
  std::shared_ptr<const Nodes> nodes;
  /// Windows of memory shared by the ranks of a node: first an undivided one, then one in two
  /// halves. A window exists as long as an exchange uses it.
  std::array<std::weak_ptr<SharedWindow>, 2> windows;

private:
  friend std::shared_ptr<Communicator> acquire(MPI_Comm user);
  Communicator() = default;
  /// Initialise the communicator as a duplicate of `user`, or with the ranks of `parent` that pass
  /// the same colour. They allocate nothing. Collective. Throw Failure(HFFT_ERROR_MPI).
  void duplicate(MPI_Comm user);
  void split(const Communicator &parent, int colour);
  void ask();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool threaded_ = false;
  bool kept_ = false;
  std::map<std::pair<int, int>, std::shared_ptr<Communicator>> groups_;
  friend class TagSlot;
  int first_tag_slot_ = ordered_tag_slot + 1;
  int end_of_tag_slots_ = first_tag_slot_; ///< one past the last usable slot; at most 4096, and
                                           ///< limited by MPI's largest tag
  int last_tag_slot_ = ordered_tag_slot;   ///< the slot taken most recently
  std::bitset<4096> taken_tag_slots_;
};

/// A slot of tags that belongs to one plan, so that its executions may run at the same time as
/// those of other plans. The destructor frees the slot. All ranks get the same slot, because they
/// take and free slots in the same order.
class TagSlot {
public:
  /// Throws Failure(HFFT_ERROR_ARGUMENT) if all slots, at least 510, are taken.
  explicit TagSlot(std::shared_ptr<Communicator> comm);
  ~TagSlot() { comm_->taken_tag_slots_.reset(static_cast<std::size_t>(number_)); }
  TagSlot(const TagSlot &) = delete;
  TagSlot &operator=(const TagSlot &) = delete;

  int number() const { return number_; }

private:
  std::shared_ptr<Communicator> comm_;
  int number_;
};

/// Returns the cached duplicate of a communicator. The first call for a communicator makes it and
/// is collective. It lives until the user frees the communicator or calls cleanup, or longer while
/// plans use it. Throws Failure on all ranks alike.
std::shared_ptr<Communicator> acquire(MPI_Comm user);

/// The nodes of a communicator: groups of ranks that share memory, numbered by their lowest ranks.
/// The class also holds the communicator of this rank's node.
class Nodes {
public:
  ~Nodes();
  Nodes(const Nodes &) = delete;
  Nodes &operator=(const Nodes &) = delete;

  int count() const { return static_cast<int>(members_.size()); }
  /// Returns this rank's node.
  int mine() const { return mine_; }
  /// Returns the ranks of a node in ascending order. comm() numbers the ranks of this node in the
  /// same order.
  const std::vector<int> &members(int node) const {
    return members_[static_cast<std::size_t>(node)];
  }
  int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// Returns the communicator of this node's ranks.
  MPI_Comm comm() const { return comm_; }
  /// Leaks comm() on purpose, as Communicator::keep() does.
  void keep() const noexcept { kept_ = true; }

private:
  friend std::shared_ptr<const Nodes> nodes_of(Communicator &comm);
  Nodes() = default;
  /// Finds the nodes. Collective. Throws as nodes_of() does.
  void find(const Communicator &comm);

  MPI_Comm comm_ = MPI_COMM_NULL;
  mutable bool kept_ = false;
  int mine_ = 0;
  std::vector<int> node_of_;
  std::vector<std::vector<int>> members_;
};

/// Returns the nodes of a communicator. The first call makes them and is collective; rank 0's
/// HFFT_RANKS_PER_NODE then splits nodes into smaller ones of this size, to test several nodes on
/// one machine. Throws Failure on all ranks alike.
std::shared_ptr<const Nodes> nodes_of(Communicator &comm);

/// Drops all cached duplicates. Collective.
void forget_communicators();

/// Returns make(), which all ranks of `comm` call. If it fails on any rank, all ranks throw, as
/// mpi::all_or_none does. Collective.
template <class F> auto made_by_all(const Communicator &comm, const F &make) {
  decltype(make()) made{};
  mpi::all_or_none(comm.get(), [&] { made = make(); });
  return made;
}

} // namespace hybridfft::exchange
