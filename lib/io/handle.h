/// Owned handles of HDF5 objects, HDF5 errors as exceptions, and steps that fail on all ranks
/// alike.
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"
#include "io/hdf5.h"

namespace hybridfft::io {

/// An owned HDF5 identifier, closed by a given function.
class Handle {
public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle &&other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle &operator=(Handle &&other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { close(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Gives up ownership without closing.
  void release() { id_ = -1; }
  /// Closes now.
  /// \return false if HDF5 could not close it
  bool close() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }

private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Stops HDF5 from printing errors while the object exists.
class QuietErrors {
public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors &) = delete;
  QuietErrors &operator=(const QuietErrors &) = delete;

private:
  H5E_auto2_t print_ = nullptr;
  void *data_ = nullptr;
};

/// Reason why this thread's last HDF5 call failed, from HDF5, the system or MPI.
std::string last_reason();

/// Throws IoError "CONTEXT: LAST_REASON" if the status is negative.
void check(herr_t status, const std::string &context);

/// Takes ownership of an identifier.
/// \throws IoError if it is invalid
Handle own(hid_t id, Handle::Close close, const std::string &context);

/// Calls `step` on every rank. Throws IoError on all ranks if it fails on any rank. Collective.
inline void together(MPI_Comm comm, const std::function<void()> &step) {
  try {
    mpi::all_or_none(comm, step);
  } catch (const Failure &e) {
    throw IoError(e.what());
  }
}

/// Broadcasts bytes of rank 0 in pieces that MPI's int counts can describe. Collective.
inline void broadcast(MPI_Comm comm, void *data, std::size_t bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;
  auto *p = static_cast<std::byte *>(data);
  for (std::size_t done = 0; done < bytes; done += most)
    mpi::check(
        MPI_Bcast(p + done, static_cast<int>(std::min(most, bytes - done)), MPI_BYTE, 0, comm),
        "MPI_Bcast");
}

/// Calls `step` on rank 0 and broadcasts its result, so that not all ranks read the same few bytes
/// from the disk. Collective.
/// \throws IoError on all ranks if the step fails
template <class Step> auto from_root(MPI_Comm comm, const Step &step) {
  using Result = std::invoke_result_t<Step>; // a vector or string of trivial elements
  Result result;
  const bool root = mpi::rank(comm) == 0;
  together(comm, [&] {
    if (root) result = step();
  });
  std::uint64_t size = result.size();
  broadcast(comm, &size, sizeof size);
  together(comm, [&] { result.resize(static_cast<std::size_t>(size)); });
  broadcast(comm, result.data(), result.size() * sizeof(typename Result::value_type));
  return result;
}

/// Calls `question` on rank 0 and broadcasts the answer, true or false. Collective. Throws as
/// from_root().
template <class Question> bool asked_at_root(MPI_Comm comm, const Question &question) {
  return from_root(comm, [&] { return std::string(question() ? "y" : ""); }) == "y";
}

// Checks of files and datasets by one rank, before many ranks open them together.

/// Opens the file `on_disk` for reading without MPI-IO and without locks, which some file systems
/// lack.
/// \throws IoError, whose message names `path`
Handle open_serially(const std::string &on_disk, const std::string &path);

/// Opens every object of the file `on_disk` and reads the description of each dataset.
/// \throws IoError for the first damaged object; the message names `path`
void require_sound(const std::string &path, const std::string &on_disk);

/// Throws IoError, with a message that begins with `label`, unless the values of a dataset can be
/// read. Its filters must be available, and its compressed chunks no larger than needed. The
/// sources of a virtual dataset must meet the same conditions: HDF5 would replace missing ones by
/// fill values.
void require_readable(hid_t dataset, const std::string &label);

} // namespace hybridfft::io
