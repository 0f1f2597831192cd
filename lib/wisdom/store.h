/// The wisdom of this process, and the file that HFFT_WISDOM names.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "exchange/communicator.h"
#include "wisdom/wisdom.h"

namespace hybridfft::wisdom {

/// A copy of all that is known.
Wisdom known_wisdom();
void learn(const Wisdom &wisdom);
/// Forgets what is in memory; the file of HFFT_WISDOM counts as read.
void forget_wisdom();

/// Keys, as those of one precision.
using Keys = std::function<bool(const std::string &key)>;
/// Forgets the entries of some keys, those in the file of HFFT_WISDOM too. Throws
/// Failure(HFFT_ERROR_WISDOM) where that cannot be read.
void forget_entries(const Keys &keys);
/// Forgets them in memory; the file of HFFT_WISDOM counts as not read.
void unload_entries(const Keys &keys);

/// What is known of a problem, from the same effort or more. Reads the file of HFFT_WISDOM when it
/// has not been read yet. Throws Failure(HFFT_ERROR_WISDOM).
std::optional<Experience> recall(const std::string &key, unsigned effort);
/// The choice that rank 0 knows for the key that `key()` returns there; empty where it knows none.
/// All ranks call `key`, which may fail on some. Collective. Throws Failure on all ranks alike.
std::string recall_choice(const exchange::Communicator &comm,
                          const std::function<std::string()> &key, unsigned effort);
/// Adds to what is known and to the file of HFFT_WISDOM. Waits for other processes that save, for a
/// second if one holds the file, and then leaves it as it is. Throws Failure(HFFT_ERROR_WISDOM).
void remember(const std::string &key, const Experience &experience);
/// A line with the reason if this process has not saved what it remembered last; else empty.
std::string describe_unsaved();

/// Adds what rank 0 knows to what the others know, or what the others know to what rank 0 knows.
/// Collective. Throw Failure on all ranks alike.
void broadcast_wisdom(const exchange::Communicator &comm);
void gather_wisdom(const exchange::Communicator &comm);

} // namespace hybridfft::wisdom
