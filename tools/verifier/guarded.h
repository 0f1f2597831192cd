/// Arrays between guard pages to detect accesses out of bounds: guard pages can be neither read nor
/// written.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

namespace hybridfft::verifier {

/// The end of an array that touches a guard page.
enum class Edge { front, back };
constexpr Edge other(Edge edge) { return edge == Edge::front ? Edge::back : Edge::front; }

/// An array of `bytes` bytes between two guard pages. An access beyond `edge` ends the program.
/// There may be a gap between the other end and its guard page: intact() checks that no byte of it
/// has been written.
class Guarded {
public:
  Guarded() = default;
  /// \param misalignment for Edge::front: bytes from the guard page to the array. With Edge::back
  /// the array ends at the guard page, and its alignment follows from its size.
  /// \throws std::bad_alloc
  explicit Guarded(std::size_t bytes, Edge edge = Edge::back, std::size_t misalignment = 0);
  ~Guarded();
  Guarded(Guarded &&from) noexcept;
  Guarded &operator=(Guarded &&from) noexcept;

  std::byte *data() const { return data_; }
  std::size_t size() const { return bytes_; }
  /// The first `n` elements.
  template <class T> std::span<T> as(std::size_t n) const {
    return {reinterpret_cast<T *>(data_), n};
  }
  std::span<const std::byte> contents() const { return {data_, bytes_}; }
  /// Sets every number to NaN, so reads of unwritten values are detected.
  void reset() const;
  /// True if the gap between array and guard page is unchanged.
  bool intact() const;
  /// Makes the array read-only: a write ends the program. set_read_only(false) makes it writable
  /// again.
  void set_read_only(bool on) const;

private:
  std::byte *memory_ = nullptr; ///< guard page, pages of the array, guard page
  std::size_t mapped_ = 0;
  std::byte *data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Keeps an array read-only while this object exists.
class ReadOnly {
public:
  explicit ReadOnly(const Guarded &array, bool on = true) : array_(on ? &array : nullptr) {
    if (on) array.set_read_only(true);
  }
  ~ReadOnly() {
    if (array_ != nullptr) array_->set_read_only(false);
  }
  ReadOnly(const ReadOnly &) = delete;
  ReadOnly &operator=(const ReadOnly &) = delete;

private:
  const Guarded *array_;
};

/// An array of elements between guard pages, with the interface of hybridfft::Buffer.
template <class T> class GuardedBuffer {
public:
  GuardedBuffer() = default;
  explicit GuardedBuffer(std::size_t n, Edge edge = Edge::back)
      : size_(n), memory_(n * sizeof(T), edge) {
    memory_.reset();
  }
  T *data() const { return memory_.template as<T>(size_).data(); }
  std::size_t size() const { return size_; }
  template <class I> T &operator[](I i) const { return data()[i]; }
  operator std::span<T>() const { return memory_.template as<T>(size_); }
  T *begin() const { return data(); }
  T *end() const { return data() + size_; }
  const Guarded &memory() const { return memory_; }

private:
  static_assert(std::is_trivially_copyable_v<T>);
  std::size_t size_ = 0;
  Guarded memory_;
};

/// Sets the text printed before an access to a guard page ends the program.
/// \param what the current problem
void name_faults(const std::string &what);

} // namespace hybridfft::verifier
