/// Owned HDF5 identifiers, and HDF5's errors as exceptions.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace hybridfft::io {

/// An owned identifier and the function that closes it.
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

/// Disables HDF5's printing of errors during its lifetime.
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

/// Reason of the failure of this thread's last HDF5 call, from HDF5, the system or MPI.
std::string last_reason();

/// Throws IoError "CONTEXT: LAST_REASON" for a negative status.
void check(herr_t status, const std::string &context);

/// Takes ownership of an identifier.
/// \throws IoError if it is invalid
Handle own(hid_t id, Handle::Close close, const std::string &context);

} // namespace hybridfft::io
