/// \file grid/halo.hpp
/// Fills the ghosts of arrays with the values of the blocks that own those points.
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

/// The order in which ghosts are filled. The values are the same, bit for bit.
enum class Schedule {
  all_at_once, ///< one message from each neighbour, those at edges and corners included
  in_order     ///< axis by axis; corners travel along, so that only neighbours at faces send
};

/// Seconds that a halo has taken of this rank's time so far.
struct HaloTimes {
  double pack = 0;   ///< writing messages and giving them away
  double wait = 0;   ///< for messages of neighbours
  double copies = 0; ///< reading messages, and between blocks of this rank
};

namespace detail {

/// One array, without its type.
struct HaloArray {
  std::byte *memory = nullptr;    ///< address of the element at box().lo
  Box inner;                      ///< the points of the block
  Widths ghosts;                  ///< ghosts that the array has
  Widths widths;                  ///< to be filled
  Index stride0 = 0, stride1 = 0; ///< in bytes
};

/// Halo, without the type of its elements.
class HFFT_EXPORT HaloExchange {
public:
  /// \param widths_given number of fields whose widths the user gave, 0 for none
  /// \param value_bytes  of an element
  HaloExchange(const Cartesian &cartesian, std::span<const HaloArray> arrays,
               std::size_t widths_given, std::size_t value_bytes, Schedule schedule, int threads);
  /// Arrays of a device.
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

/// The exchange of any number of fields in one message per neighbouring rank, as often as wanted.
/// Widths may be larger than the neighbouring blocks, and than the whole of a periodic axis. Ghosts
/// beyond ends that are not periodic are left alone.
///
/// All calls are collective over the grid's communicator. Several halos may be under way at once,
/// if all ranks construct them in the same order; those with Schedule::in_order are also finished
/// in the same order. They may be destroyed in any order. Nothing is allocated after construction.
///
/// Between ranks of a node the values are packed once, into memory that the receiving rank reads;
/// MPI's messages take them to other nodes, and everywhere if HFFT_HALO=messages is in the
/// environment of any rank or the system has no memory to share.
template <class T> class Halo {
public:
  /// Field f of this rank's block number b (in the order of Cartesian::mine()) is
  /// *arrays[f * mine().size() + b]; the arrays are borrowed, and stay where they are. widths[f]
  /// are filled of field f; without widths, all ghosts of its arrays. Throws
  /// Error(HFFT_ERROR_ARGUMENT) on all ranks when an array does not have the box of its block, or
  /// fewer ghosts than are to be filled, or when ranks have other numbers of fields or other
  /// widths; Error(HFFT_ERROR_OUT_OF_MEMORY), Error(HFFT_ERROR_ENVIRONMENT) for an HFFT_HALO that
  /// is none. \param threads that pack and unpack messages, as far as there is work for them
  Halo(const Cartesian &cartesian, std::span<Array<T> *const> arrays,
       std::span<const Widths> widths = {}, Schedule schedule = Schedule::all_at_once,
       int threads = 1)
      : exchange_(cartesian, describe(cartesian, arrays, widths), widths.size(), sizeof(T),
                  schedule, threads) {}

  /// The same of arrays of a device, which packs and unpacks them; the device's messages take the
  /// fastest way that works. start() and finish() do not wait for the device: its later work finds
  /// the ghosts filled. Throws also as Device::synchronize().
  Halo(const Device &device, const Cartesian &cartesian, std::span<Array<T> *const> arrays,
       std::span<const Widths> widths = {}, Schedule schedule = Schedule::all_at_once)
      : exchange_(device, cartesian, describe(cartesian, arrays, widths), widths.size(), sizeof(T),
                  schedule) {}

  /// Takes the values of inner points, and sends them. Those that neighbours need may be
  /// overwritten afterwards, with Schedule::in_order after finish(); ghosts may neither be read nor
  /// written before finish(). Does not wait for neighbours that exchange in both directions. Throws
  /// Error(HFFT_ERROR_MPI) when MPI fails.
  void start() { exchange_.start(); }
  /// Lets messages under way go on, which MPI does only while it is called where they are large and
  /// it has no thread of its own. Between start() and finish(), by the thread that calls these, as
  /// often as one likes: every fraction of a millisecond of work hides messages behind it. Returns
  /// whether all messages have arrived, with Schedule::in_order those of the first axis. Throws
  /// Error(HFFT_ERROR_MPI) when MPI fails.
  bool test() { return exchange_.test(); }
  /// Returns when the ghosts hold the values. Once after each start(). Throws likewise.
  void finish() { exchange_.finish(); }
  /// start() and finish().
  void exchange() {
    start();
    finish();
  }

  /// Bytes that this rank sends to other ranks in one exchange.
  Index bytes_sent() const { return exchange_.bytes_sent(); }
  /// Messages in which it sends them: one for each neighbouring rank and stage of the schedule.
  Index messages_sent() const { return exchange_.messages_sent(); }
  /// Bytes of bytes_sent() that the receiving ranks read in memory that they share with this one.
  Index bytes_shared() const { return exchange_.bytes_shared(); }
  /// Seconds of all exchanges so far, by phase. Work of a device counts as long as the host takes
  /// to enqueue it.
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
    // Too few widths are refused on all ranks, by the exchange.
    a.widths = n / blocks < widths.size() ? widths[n / blocks] : array.ghosts();
    a.stride0 = view.stride(0) * static_cast<Index>(sizeof(T));
    a.stride1 = view.stride(1) * static_cast<Index>(sizeof(T));
    described.push_back(a);
  }
  return described;
}

} // namespace hybridfft::grid

#endif
