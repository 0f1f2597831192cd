/// \file grid/halo.hpp
/// Halo exchange: fills the ghost points of arrays with values from the blocks that own these
/// points.
#ifndef HYBRIDFFT_GRID_HALO_HPP
#define HYBRIDFFT_GRID_HALO_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/cartesian.hpp"

namespace hybridfft::grid {

/// Order in which ghosts are filled. Both orders give the same values, bit for bit.
enum class Schedule {
  all_at_once, ///< one message from each neighbour at faces, edges and corners
  in_order     ///< axis by axis; messages of later axes contain the corners, so only neighbours at
               ///< faces send
};

/// Seconds spent by this rank in all exchanges of a halo so far.
struct HaloTimes {
  double pack = 0;   ///< packing and starting messages
  double wait = 0;   ///< waiting for messages
  double copies = 0; ///< unpacking messages, and copying between blocks of this rank
};

namespace detail {

/// An array of a halo, without its element type.
struct HaloArray {
  std::byte *memory = nullptr;    ///< address of the element at box().lo
  Box inner;                      ///< the points of the block
  Widths ghosts;                  ///< ghosts that the array has
  Widths widths;                  ///< ghosts to fill
  Index stride0 = 0, stride1 = 0; ///< strides along axes 0 and 1 in bytes
};

/// Implementation of Halo, without the element type.
class HFFT_EXPORT HaloExchange {
public:
  /// \param widths_given number of entries of the user's `widths`; 0: fill all ghosts
  /// \param value_bytes size of an element in bytes
  HaloExchange(const Cartesian &cartesian, std::span<const HaloArray> arrays,
               std::size_t widths_given, std::size_t value_bytes, Schedule schedule, int threads);
  /// Makes the exchange of arrays on a device.
  HaloExchange(const Device &device, const Cartesian &cartesian, std::span<const HaloArray> arrays,
               std::size_t widths_given, std::size_t value_bytes, Schedule schedule);
  ~HaloExchange();
  HaloExchange(HaloExchange &&) noexcept;
  HaloExchange &operator=(HaloExchange &&) noexcept;

  void start();
  bool test();
  void finish();
  Index bytes_sent() const;
  Index messages_sent() const;
  Index bytes_shared() const;
  HaloTimes times() const;

  struct Impl;

private:
  std::unique_ptr<Impl> impl_;
};

} // namespace detail

/// Exchanges the ghosts of any number of fields repeatedly, with one message per neighbouring rank.
/// The ghost width may exceed the neighbouring blocks, and even a whole periodic axis. Ghosts
/// beyond ends that are not periodic remain unchanged.
///
/// All calls are collective over the grid's communicator. Several halos may be in flight at once if
/// all ranks construct them in the same order. Halos with Schedule::in_order must also finish in
/// this order. Destruction may happen in any order. No memory is allocated after construction.
///
/// Between ranks of one node, the sender packs values once into shared memory and the receiver
/// reads them there. Messages of MPI transfer values to other nodes. MPI transfers all values if
/// the environment variable HFFT_HALO=messages is set on any rank, or if shared memory is not
/// available.
template <class T> class Halo {
public:
  /// Prepares the exchange of several fields. arrays[f * mine().size() + b] points to the array of
  /// field f on this rank's block number b (in the order of Cartesian::mine()). The arrays are
  /// borrowed and must stay in place. widths[f] ghosts of field f are filled; if `widths` is empty,
  /// all ghosts are.
  /// \param threads maximum number of threads that pack and unpack messages
  /// \throws Error(HFFT_ERROR_ARGUMENT) on all ranks if an array has another box than its block or
  /// too few ghosts, or if ranks have different numbers of fields or widths;
  /// Error(HFFT_ERROR_OUT_OF_MEMORY); Error(HFFT_ERROR_ENVIRONMENT) for an invalid HFFT_HALO
  Halo(const Cartesian &cartesian, std::span<Array<T> *const> arrays,
       std::span<const Widths> widths = {}, Schedule schedule = Schedule::all_at_once,
       int threads = 1)
      : exchange_(cartesian, describe(cartesian, arrays, widths), widths.size(), sizeof(T),
                  schedule, threads) {}

  /// Prepares the exchange of arrays on a device. The device packs and unpacks messages, and the
  /// fastest available transport sends them. start() and finish() do not wait for the device; work
  /// enqueued after finish() finds the ghosts filled. All messages are transferred while the device
  /// does the work enqueued between start() and finish(). Also throws like Device::synchronize().
  Halo(const Device &device, const Cartesian &cartesian, std::span<Array<T> *const> arrays,
       std::span<const Widths> widths = {}, Schedule schedule = Schedule::all_at_once)
      : exchange_(device, cartesian, describe(cartesian, arrays, widths), widths.size(), sizeof(T),
                  schedule) {}

  /// Starts an exchange: reads the inner points needed by neighbours, and sends them. These points
  /// may be overwritten afterwards; with Schedule::in_order only after finish(). Ghosts must not be
  /// accessed before finish(). Does not wait for neighbours, provided that each rank that receives
  /// from this rank also sends to it.
  /// \throws Error(HFFT_ERROR_MPI) if MPI fails
  void start() { exchange_.start(); }
  /// Advances messages in flight. MPI without a progress thread transfers large messages only
  /// during its calls. Call this between start() and finish() from the same thread, several times
  /// per millisecond of other work, to hide the messages. With Schedule::in_order, a call may fill
  /// the ghosts of one axis and start the messages of the next one.
  /// \returns true if all messages have arrived; on devices with Schedule::in_order, true if the
  /// messages of the first axis have arrived
  /// \throws Error(HFFT_ERROR_MPI) if MPI fails
  bool test() { return exchange_.test(); }
  /// Completes the exchange: waits until the ghosts are filled. Call it once after each start().
  /// Throws like start().
  void finish() { exchange_.finish(); }
  /// Calls start() and finish().
  void exchange() {
    start();
    finish();
  }

  /// Bytes sent by this rank to other ranks in one exchange.
  Index bytes_sent() const { return exchange_.bytes_sent(); }
  /// Number of messages sent by this rank in one exchange: one for each neighbouring rank and stage
  /// of the schedule.
  Index messages_sent() const { return exchange_.messages_sent(); }
  /// Part of bytes_sent() transferred through memory shared within the node.
  Index bytes_shared() const { return exchange_.bytes_shared(); }
  /// Seconds of all exchanges so far, by phase. For devices they include only the host's time to
  /// enqueue work.
  HaloTimes times() const { return exchange_.times(); }

private:
  static std::vector<detail::HaloArray> describe(const Cartesian &cartesian,
                                                 std::span<Array<T> *const> arrays,
                                                 std::span<const Widths> widths);
  detail::HaloExchange exchange_;
};

template <class T>
std::vector<detail::HaloArray> Halo<T>::describe(const Cartesian &cartesian,
                                                 std::span<Array<T> *const> arrays,
                                                 std::span<const Widths> widths) {
  const std::size_t blocks = std::max<std::size_t>(cartesian.mine().size(), 1);
  std::vector<detail::HaloArray> described;
  for (std::size_t n = 0; n < arrays.size(); ++n) {
    Array<T> &array = *arrays[n];
    const View<T> view = array.view();
    const Box all = array.box();
    detail::HaloArray a;
    if (!all.empty())
      a.memory = reinterpret_cast<std::byte *>(&view(all.lo[0], all.lo[1], all.lo[2]));
    a.inner = array.inner();
    a.ghosts = array.ghosts();
    // Fields without an entry in `widths` get the array's ghosts here; the exchange then reports on
    // all ranks that the number of widths is wrong.
    a.widths = n / blocks < widths.size() ? widths[n / blocks] : array.ghosts();
    a.stride0 = view.stride(0) * static_cast<Index>(sizeof(T));
    a.stride1 = view.stride(1) * static_cast<Index>(sizeof(T));
    described.push_back(a);
  }
  return described;
}

} // namespace hybridfft::grid

#endif
