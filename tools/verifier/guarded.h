/// Arrays between pages that can be neither read nor written.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

namespace hybridfft::verifier {

/// The end of an array that touches a guard page.
enum class Edge { front, back };
constexpr Edge other(Edge edge) { return edge == Edge::front ? Edge::back : Edge::front; }

/// An array of `bytes` bytes between two guard pages. The program ends at the first access beyond
/// the array's edge. The bytes between the array's other end and its guard page have a pattern,
/// checked by intact().
class Guarded {
public:
  Guarded() = default;
  /// \param misalignment bytes from the guard page to the array, for an array at the front. At the
  /// back the array ends at the guard page, and its alignment follows from its size.
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
  /// Sets every number to NaN, in either precision, so that reads of unwritten values show.
  void reset() const;
  /// True if nothing between the array and the guard pages was written.
  bool intact() const;
  /// Makes the array read-only: the program ends at the first write. set_read_only(false) undoes
  /// it.
  void set_read_only(bool on) const;

private:
  std::byte *memory_ = nullptr; ///< guard page, the array's pages, guard page
  std::size_t mapped_ = 0;
  std::byte *data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Makes an array read-only during its lifetime.
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

/// Elements between guard pages, with the interface of hybridfft::Buffer.
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

/// Prints `what`, the current problem, if an access to a guard page or a write to a read-only array
/// ends the program.
void name_faults(const std::string &what);

} // namespace hybridfft::verifier
