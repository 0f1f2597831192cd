/// Wisdom of this process, and the file named by HFFT_WISDOM.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "exchange/communicator.h"
#include "wisdom/wisdom.h"

namespace hybridfft::wisdom {

/// Returns a copy of all wisdom in memory.
Wisdom known_wisdom();
void learn(const Wisdom &wisdom);
/// Clears wisdom in memory. The file of HFFT_WISDOM is not read again.
void forget_wisdom();

/// Predicate of keys, such as those of one precision.
using Keys = std::function<bool(const std::string &key)>;
/// Removes the entries of some keys, including those in the file of HFFT_WISDOM. Throws
/// Failure(HFFT_ERROR_WISDOM) if it cannot be read.
void forget_entries(const Keys &keys);
/// Removes the entries of some keys from memory. The file of HFFT_WISDOM is read again at the next
/// use.
void unload_entries(const Keys &keys);

/// Returns the stored result for a problem, if its planning effort is at least `effort`. Reads the
/// file of HFFT_WISDOM on first use. Throws Failure(HFFT_ERROR_WISDOM).
std::optional<Experience> recall(const std::string &key, unsigned effort);
/// Returns rank 0's choice for the key returned by `key()` on rank 0; empty if there is none. All
/// ranks call `key`, which may fail on some of them. Collective. Throws Failure on all ranks alike.
std::string recall_choice(const exchange::Communicator &comm,
                          const std::function<std::string()> &key, unsigned effort);
/// Adds a result to memory and to the file of HFFT_WISDOM. If another process holds the lock for
/// a second, the file stays unchanged. Throws Failure(HFFT_ERROR_WISDOM).
void remember(const std::string &key, const Experience &experience);
/// Returns a line with the reason if this process could not save its last wisdom; else an empty
/// string.
std::string describe_unsaved();

/// Add rank 0's wisdom to the other ranks' stores, or the other ranks' wisdom to rank 0's store.
/// Collective. Throw Failure on all ranks alike.
void broadcast_wisdom(const exchange::Communicator &comm);
void gather_wisdom(const exchange::Communicator &comm);

} // namespace hybridfft::wisdom
