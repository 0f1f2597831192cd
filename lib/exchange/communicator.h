/// One private duplicate per communicator of the user, however many plans there are.
#pragma once

#include <mpi.h>

#include <array>
#include <bitset>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/binding.h"
#include "base/mpi.h"

namespace hybridfft::exchange {

class Nodes;
class SharedWindow;

/// A duplicate of a user's communicator with MPI_ERRORS_RETURN, freed with its last owner unless
/// MPI has been finalised before.
class Communicator {
public:
  ~Communicator();
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  MPI_Comm get() const { return comm_; }
  /// Leaks it on purpose, with its groups and nodes, after a failure. MPI may give its number to a
  /// new communicator, and messages without a receiver would reach this one.
  void keep() noexcept;
  /// The ranks that differ from this one in one dimension of a grid only, which has `ranks` ranks
  /// `stride` apart, ascending; made once for each dimension. Collective on first use, over all of
  /// this communicator. Throws Failure on all ranks alike.
  std::shared_ptr<Communicator> group(int ranks, int stride);

  /// Several threads of some rank may call MPI at the same time. The same on all ranks.
  bool threaded() const { return threaded_; }

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// The slot of executions whose messages all ranks send and expect in the same order.
  static constexpr int ordered_tag_slot = 1;

  /// Communicators that FFTW has duplicated from this one and still holds.
  int fftw_duplicates = 0;
  /// Number of exchanges between neighbours that have been made on it.
  int neighbour_exchanges = 0;
  /// The CPUs of this rank, and the text about those of all ranks, as they were last exchanged.
  struct Binding {
    RankCpus mine;
    std::string text; ///< describe_binding() of all ranks
  };
  Binding binding;
  /// The nodes of the ranks; made by nodes_of() on first use.
  std::shared_ptr<const Nodes> nodes;
  /// The memory that the ranks of a node share, as long as an exchange uses it: as a whole, and in
  /// two halves.
  std::array<std::weak_ptr<SharedWindow>, 2> windows;

private:
  friend std::shared_ptr<Communicator> acquire(MPI_Comm user);
  Communicator() = default;
  /// Make it that of the ranks of `user`, or of those of `parent` that give the same colour. Take
  /// no memory. Collective. Throw Failure(HFFT_ERROR_MPI).
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
  int end_of_tag_slots_ = first_tag_slot_; ///< for the tags that MPI has, 4096 at most
  int last_tag_slot_ = ordered_tag_slot;   ///< that was taken
  std::bitset<4096> taken_tag_slots_;
};

/// A slot of tags for the executions of a plan that others run beside, until it is destroyed. The
/// same on all ranks, as all take and destroy the same ones in the same order.
class TagSlot {
public:
  /// Throws Failure(HFFT_ERROR_ARGUMENT) when all are taken, 510 at least.
  explicit TagSlot(std::shared_ptr<Communicator> comm);
  ~TagSlot() { comm_->taken_tag_slots_.reset(static_cast<std::size_t>(number_)); }
  TagSlot(const TagSlot &) = delete;
  TagSlot &operator=(const TagSlot &) = delete;

  int number() const { return number_; }

private:
  std::shared_ptr<Communicator> comm_;
  int number_;
};

/// The cached duplicate of a communicator; made on first use (then collective) and kept until the
/// user frees the communicator or cleanup, and beyond that by the plans that hold it. Throws
/// Failure on all ranks alike.
std::shared_ptr<Communicator> acquire(MPI_Comm user);

/// Forgets all cached duplicates. Collective.
void forget_communicators();

/// The result of make() where no rank of `comm` fails to make it. Collective; fails as
/// mpi::all_or_none does.
template <class F> auto made_by_all(const Communicator &comm, const F &make) {
  decltype(make()) made{};
  mpi::all_or_none(comm.get(), [&] { made = make(); });
  return made;
}

} // namespace hybridfft::exchange
