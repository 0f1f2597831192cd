/// \file grid/halo.hpp
/// Fills the ghosts of arrays with values of the owning blocks.
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

/// The order of filling ghosts. All orders give the same values, bit for bit.
enum class Schedule {
  all_at_once, ///< one message from each neighbour, including edges and corners
  in_order     ///< axis by axis; messages of later axes contain the corners, so only neighbours at
               ///< faces send
};

/// Seconds of this rank's time used by a halo so far.
struct HaloTimes {
  double pack = 0;   ///< writing and starting messages
  double wait = 0;   ///< waiting for messages of neighbours
  double copies = 0; ///< reading messages, and copying between blocks of this rank
};

namespace detail {

/// One array of a halo, without its type.
struct HaloArray {
  std::byte *memory = nullptr;    ///< address of the element at box().lo
  Box inner;                      ///< the points of the block
  Widths ghosts;                  ///< ghosts of the array
  Widths widths;                  ///< to be filled
  Index stride0 = 0, stride1 = 0; ///< in bytes
};

/// The implementation of Halo, without the type of its elements.
class HFFT_EXPORT HaloExchange {
public:
  /// \param widths_given number of fields with widths set by the user; 0: none
  /// \param value_bytes size of an element
  HaloExchange(const Cartesian &cartesian, std::span<const HaloArray> arrays,
               std::size_t widths_given, std::size_t value_bytes, Schedule schedule, int threads);
  /// Does the same for arrays of a device.
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

/// Exchanges any number of fields repeatedly, in one message per neighbouring rank. Widths may
/// exceed the neighbouring blocks, and a whole periodic axis. Ghosts beyond ends that are not
/// periodic remain unchanged.
///
/// All calls are collective over the grid's communicator. Several halos may be in flight at once,
/// if all ranks construct them in the same order. Halos with Schedule::in_order must also finish in
/// this order. They may be destroyed in any order. Nothing is allocated after construction.
///
/// Within a node values are packed once, into memory read by the receiving rank. MPI messages
/// transfer them to other nodes. MPI transfers all values if HFFT_HALO=messages is set on any rank,
/// or if the system has no memory to share.
template <class T> class Halo {
public:
  /// Field f of this rank's block number b (in the order of Cartesian::mine()) is *arrays[f *
  /// mine().size() + b]. The arrays are borrowed and must stay in place. widths[f] ghosts of field
  /// f are filled; without widths, all ghosts of its arrays.
  /// \param threads number of threads to pack and unpack messages, or fewer for little work
  /// \throws Error(HFFT_ERROR_ARGUMENT) on all ranks if an array does not have the box of its
  /// block, or too few ghosts, or if ranks have different numbers of fields or widths;
  /// Error(HFFT_ERROR_OUT_OF_MEMORY); Error(HFFT_ERROR_ENVIRONMENT) for an invalid HFFT_HALO
  Halo(const Cartesian &cartesian, std::span<Array<T> *const> arrays,
       std::span<const Widths> widths = {}, Schedule schedule = Schedule::all_at_once,
       int threads = 1)
      : exchange_(cartesian, describe(cartesian, arrays, widths), widths.size(), sizeof(T),
                  schedule, threads) {}

  /// Does the same for arrays of a device. The device packs and unpacks them, and messages use the
  /// fastest transport that works. start() and finish() do not wait for the device: its later work
  /// finds the ghosts filled. Also throws like Device::synchronize().
  Halo(const Device &device, const Cartesian &cartesian, std::span<Array<T> *const> arrays,
       std::span<const Widths> widths = {}, Schedule schedule = Schedule::all_at_once)
      : exchange_(device, cartesian, describe(cartesian, arrays, widths), widths.size(), sizeof(T),
                  schedule) {}

  /// Reads the values of inner points, and sends them. Values needed by neighbours may be
  /// overwritten afterwards, but with Schedule::in_order only after finish(). Ghosts may be neither
  /// read nor written before finish(). Does not wait for neighbours with messages in both
  /// directions.
  /// \throws Error(HFFT_ERROR_MPI) if MPI fails
  void start() { exchange_.start(); }
  /// Advances messages in flight. MPI advances large messages only during its calls, unless it has
  /// its own thread. Called between start() and finish(), by the same thread, any number of times.
  /// A call in every fraction of a millisecond of work hides the messages. With Schedule::in_order
  /// a call may fill ghosts of one axis and start the messages of the next one.
  /// \returns true if all messages have arrived, on devices with Schedule::in_order the messages of
  /// the first axis
  /// \throws Error(HFFT_ERROR_MPI) if MPI fails
  bool test() { return exchange_.test(); }
  /// Returns when the ghosts have their values. Call it once after each start(). Throws like
  /// start().
  void finish() { exchange_.finish(); }
  /// start() and finish().
  void exchange() {
    start();
    finish();
  }

  /// Bytes sent by this rank to other ranks in one exchange.
  Index bytes_sent() const { return exchange_.bytes_sent(); }
  /// Number of messages sent by this rank: one for each neighbouring rank and stage of the
  /// schedule.
  Index messages_sent() const { return exchange_.messages_sent(); }
  /// The part of bytes_sent() that receiving ranks read in memory shared with this rank.
  Index bytes_shared() const { return exchange_.bytes_shared(); }
  /// Seconds of all exchanges so far, by phase. Work of a device counts only with the time the host
  /// takes to enqueue it.
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
    // A missing width is replaced here; the exchange refuses it on all ranks.
    a.widths = n / blocks < widths.size() ? widths[n / blocks] : array.ghosts();
    a.stride0 = view.stride(0) * static_cast<Index>(sizeof(T));
    a.stride1 = view.stride(1) * static_cast<Index>(sizeof(T));
    described.push_back(a);
  }
  return described;
}

} // namespace hybridfft::grid

#endif
