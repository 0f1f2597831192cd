/// \file grid/array.hpp
/// Three-dimensional arrays over a box of a global grid, with ghost points, in the memory of the
/// host or of a device.
#ifndef HYBRIDFFT_GRID_ARRAY_HPP
#define HYBRIDFFT_GRID_ARRAY_HPP

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "hybridfft/export.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// Location of an array's memory: the host or a device.
enum class Place { host, device };

class Device;

/// Alignment of an array's rows to boundaries of 64 bytes, the size of a cache line. The strides of
/// an array depend on its box, its ghosts and `point`, but not on `lines`.
struct Alignment {
  /// Index of the aligned point in each row; 0 is the first point that is no ghost. Not negative.
  Index point = 0;
  /// Number of unused cache lines in front of the first row. Large arrays otherwise start at the
  /// same offset of a page and compete for the same cache sets, so arrays used in one loop should
  /// have different values. Not negative.
  Index lines = 0;
  /// True if both alignments are the same.
  friend constexpr bool operator==(const Alignment &a, const Alignment &b) {
    return a.point == b.point && a.lines == b.lines;
  }
};

/// Indexes memory by the global indices of a box. It borrows the memory, and is small enough to be
/// copied into the lambdas of parallel_for.
template <class T> class View {
public:
  /// Makes an empty view, to be assigned later.
  View() = default;
  /// Element (i, j, k) is data[i * stride0 + j * stride1 + k + offset].
  HFFT_HOST_DEVICE View(T *data, Index stride0, Index stride1, Index offset)
      : data_(data), stride0_(stride0), stride1_(stride1), offset_(offset) {}
  /// Makes a view of planes of n1 rows, with `pitch` elements from one row to the next. All indices
  /// count from 0.
  HFFT_HOST_DEVICE View(T *data, Index n1, Index pitch) : View(data, n1 * pitch, pitch, 0) {}
  /// Converts a view of elements to a view of const elements.
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
  HFFT_HOST_DEVICE View(const View<U> &other) // NOLINT(google-explicit-constructor)
      : View(other.origin(), other.stride(0), other.stride(1), other.offset()) {}

  /// The element with these global indices, unchecked.
  HFFT_HOST_DEVICE T &operator()(Index i, Index j, Index k) const {
    return data_[i * stride0_ + j * stride1_ + k + offset_];
  }
  /// Distance in elements between neighbouring points along an axis.
  HFFT_HOST_DEVICE Index stride(int axis) const {
    return axis == 0 ? stride0_ : axis == 1 ? stride1_ : 1;
  }
  /// Address from which offset() counts.
  HFFT_HOST_DEVICE T *origin() const { return data_; }
  /// Offset of element (0, 0, 0) from origin(), in elements. The element may lie outside of the
  /// box.
  HFFT_HOST_DEVICE Index offset() const { return offset_; }

private:
  T *data_ = nullptr;
  Index stride0_ = 0, stride1_ = 0, offset_ = 0;
};

/// Maps a point to its offset in memory. Arrays with the same memory layout share the map, so a
/// kernel computes the offset once for all of them. Point (i, j, k) has offset (i rows + j) pitch +
/// k + offset. `rows` and `pitch` have 32 bits because GPUs multiply 32-bit integers in one
/// instruction.
struct Lattice {
  Lattice() = default;
  /// \param plane_step elements from one plane to the next, a multiple of `row`
  /// \param row elements from one row to the next
  /// \param first offset of point (0, 0, 0)
  Lattice(Index plane_step, Index row, Index first)
      : rows(row == 0 ? 0 : static_cast<int>(plane_step / row)), pitch(static_cast<int>(row)),
        plane(plane_step), offset(first) {}
  /// Makes the map of a view's array. It also fits all arrays with the same box, ghosts and
  /// alignment.
  template <class T>
  explicit Lattice(const View<T> &view) : Lattice(view.stride(0), view.stride(1), view.offset()) {}

  /// Offset, in elements, of the point with these indices of the grid.
  HFFT_HOST_DEVICE Index at(Index i, Index j, Index k) const {
    return (i * rows + j) * pitch + k + offset;
  }
  /// Elements from one index to the next along an axis.
  HFFT_HOST_DEVICE Index stride(int axis) const {
    return axis == 0 ? plane : axis == 1 ? pitch : 1;
  }

  int rows = 0;     ///< rows of a plane
  int pitch = 0;    ///< elements from one row to the next
  Index plane = 0;  ///< elements from one plane to the next
  Index offset = 0; ///< offset of point (0, 0, 0)
};

namespace detail {

/// The memory layout of a box with ghosts: rows along k with the aligned point at a multiple of 64
/// bytes. Rows are an odd number of cache lines apart, which spreads them over the sets of a cache.
struct RowLayout {
  Index pitch = 0;  ///< elements from one row to the next
  Index lead = 0;   ///< unused elements before the first point of each row
  Index before = 0; ///< elements before the first row
  Index values = 0; ///< elements of the complete memory, gaps included

  /// \throws Error(HFFT_ERROR_OVERFLOW) if the number of bytes exceeds 64 bits
  HFFT_EXPORT static RowLayout of(const Box &inner, const Widths &ghosts, std::size_t value_bytes,
                                  const Alignment &alignment);
};

/// Allocates zeroed host memory. Each of `threads` threads first touches an equal share of the
/// pages, which places them on the thread's NUMA node.
/// \throws Error(HFFT_ERROR_OUT_OF_MEMORY) with the number of bytes
HFFT_EXPORT void *allocate(std::size_t bytes, int threads);
/// Frees memory returned by allocate(); accepts nullptr.
HFFT_EXPORT void deallocate(void *memory) noexcept;
/// Throws Error(HFFT_ERROR_ARGUMENT) unless the place is the host: device memory needs a Device.
HFFT_EXPORT void require_host(Place place);
/// Throws Error(HFFT_ERROR_ARGUMENT), with the reason that two arrays differ in box, ghosts or
/// alignment, unless `boxes` is true.
HFFT_EXPORT void require_same(bool boxes);

/// Allocates zeroed memory of a device. The returned pointer also keeps the device alive. Throws
/// like allocate().
HFFT_EXPORT std::shared_ptr<void> allocate_on(const Device &device, std::size_t bytes);
/// Copies bytes from or to a device's memory, and waits for the copy.
HFFT_EXPORT void copy(const Device &device, void *to, const void *from, std::size_t bytes);

/// Deleter that frees host memory. For device memory it holds the owning pointer.
struct Deallocate {
  std::shared_ptr<void> on_device;
  void operator()(void *memory) const noexcept {
    if (on_device == nullptr) deallocate(memory);
  }
};

} // namespace detail

/// A three-dimensional array: the elements of the box `inner` and of the ghosts around it,
/// initially zero.
/// \tparam T trivially copyable: messages carry its bytes
template <class T> class Array {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  /// Makes an array without points, on the host.
  Array() = default;
  /// Makes an array of the points of `inner`, in global indices, with non-negative `ghosts` around
  /// it. An array with an empty box allocates nothing. `threads` threads touch the memory first.
  /// \throws Error(HFFT_ERROR_ARGUMENT) for negative ghosts, a negative alignment or Place::device,
  /// Error(HFFT_ERROR_OVERFLOW) for more than 2^63-1 bytes, Error(HFFT_ERROR_OUT_OF_MEMORY) with
  /// the number of bytes
  Array(Place place, const Box &inner, const Widths &ghosts = {}, int threads = 1,
        const Alignment &alignment = {})
      : inner_(inner), ghosts_(ghosts), alignment_(alignment),
        layout_(detail::RowLayout::of(inner, ghosts, sizeof(T), alignment)) {
    detail::require_host(place);
    memory_.reset(detail::allocate(bytes(), threads));
  }
  /// Makes an array in a device's memory. Only kernels can access its elements (device.hpp).
  Array(const Device &device, const Box &inner, const Widths &ghosts = {},
        const Alignment &alignment = {})
      : inner_(inner), ghosts_(ghosts), alignment_(alignment),
        layout_(detail::RowLayout::of(inner, ghosts, sizeof(T), alignment)) {
    std::shared_ptr<void> owner = detail::allocate_on(device, bytes());
    void *const elements = owner.get();
    memory_ = {elements, {std::move(owner)}};
  }

  /// Returns the location of the elements. For an empty array it is the host.
  Place place() const {
    return memory_.get_deleter().on_device == nullptr ? Place::host : Place::device;
  }
  /// The points owned by this array, in global indices.
  const Box &inner() const { return inner_; }
  /// Numbers of ghost points around the inner box.
  const Widths &ghosts() const { return ghosts_; }
  /// The alignment of the rows to cache lines.
  const Alignment &alignment() const { return alignment_; }
  /// The inner box and its ghosts, in global indices; empty if the inner box is empty.
  Box box() const { return inner_.empty() ? Box() : grown(inner_, ghosts_); }
  /// Distance in elements from one row to the next.
  Index pitch() const { return layout_.pitch; }
  /// Size of the array's memory in bytes, gaps between rows included.
  std::size_t bytes() const { return static_cast<std::size_t>(layout_.values) * sizeof(T); }

  /// A view indexed by (i, j, k) of box(), ghosts included. It is valid as long as the array
  /// exists, also after the array has been moved.
  View<T> view() { return make_view<T>(); }
  /// A view for reading only.
  View<const T> view() const { return make_view<const T>(); }

  /// Copies all elements of this host array to a new host array. Throws like the constructor.
  Array copy_to(Place place, int threads = 1) const {
    detail::require_host(this->place());
    Array other(place, inner_, ghosts_, threads, alignment_);
    if (bytes() > 0) std::memcpy(other.memory_.get(), memory_.get(), bytes());
    return other;
  }
  /// Copies all elements of this host array to a new array of a device. Throws like the
  /// constructor.
  Array copy_to(const Device &device) const {
    Array other(device, inner_, ghosts_, alignment_);
    other.take(device, *this);
    return other;
  }
  /// Copies all elements of `other` into this array. One of the two arrays is on the device. The
  /// copy runs after all work enqueued on the device so far. Throws Error(HFFT_ERROR_ARGUMENT) if
  /// the arrays differ in box, ghosts or alignment.
  void take(const Device &device, const Array &other) {
    detail::require_same(inner_ == other.inner_ && ghosts_ == other.ghosts_ &&
                         alignment_ == other.alignment_);
    if (bytes() > 0) detail::copy(device, memory_.get(), other.memory_.get(), bytes());
  }

private:
  template <class U> View<U> make_view() const {
    const Box all = box();
    const Index rows = all.extent(1);
    const Index offset = layout_.lead - (all.lo[0] * rows + all.lo[1]) * layout_.pitch - all.lo[2];
    U *const memory = static_cast<U *>(memory_.get());
    return View<U>(memory == nullptr ? nullptr : memory + layout_.before, rows * layout_.pitch,
                   layout_.pitch, offset);
  }

  Box inner_;
  Widths ghosts_;
  Alignment alignment_;
  detail::RowLayout layout_;
  std::unique_ptr<void, detail::Deallocate> memory_;
};

} // namespace hybridfft::grid

#endif
