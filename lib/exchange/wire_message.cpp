#include "exchange/wire_message.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>

#include "base/mpi.h"
#include "base/threads.h"

namespace hybridfft::exchange {

namespace {

constexpr std::ptrdiff_t scale_bytes = sizeof(float);
/// Number of elements rounded at once; they fill a fraction of a cache.
constexpr std::ptrdiff_t rounded_at_once = 512;

template <class T> const T *as(const std::byte *p) { return reinterpret_cast<const T *>(p); }
template <class T> T *as(std::byte *p) { return reinterpret_cast<T *>(p); }

} // namespace

ReducedPrecision::ReducedPrecision(WireFormat wire, const Order &order, int reals, int threads)
    : wire_(wire), rows_outside_(order.tight_send), reals_(reals), threads_(threads),
      kernels_(simd::wire_kernels(simd::active())) {}

std::ptrdiff_t ReducedPrecision::element_bytes() const {
  return reals_ * (wire_ == WireFormat::single ? 4 : 2);
}
std::ptrdiff_t ReducedPrecision::full_bytes() const { return 2 * element_bytes(); }
std::ptrdiff_t ReducedPrecision::header() const {
  return wire_ == WireFormat::half ? scale_bytes : 0;
}

/// Calls f(first element in the buffer, first element in the message, number of elements) for each
/// piece of a block that is contiguous in both.
template <class F> void ReducedPrecision::for_runs(const Block &b, const F &f) const {
  const bool by_rows = rows_outside_;
  const std::ptrdiff_t inside = by_rows ? b.columns : b.rows;
  const std::ptrdiff_t inner_stride = by_rows ? b.column_stride : b.row_stride;
  const std::ptrdiff_t outer_stride = by_rows ? b.row_stride : b.column_stride;
  const std::ptrdiff_t line = inside * b.vec;
  const std::ptrdiff_t run = inner_stride == b.vec ? line : b.vec;
  parallel_ranges(b.elements(), threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t at = first; at < last;) {
      const std::ptrdiff_t in_line = at % line;
      const std::ptrdiff_t in_run = in_line % run;
      const std::ptrdiff_t count = std::min(run - in_run, last - at);
      f(b.base + at / line * outer_stride + in_line / run * inner_stride + in_run, at, count);
      at += count;
    }
  });
}

void ReducedPrecision::reduce(const std::byte *from, std::byte *to, std::ptrdiff_t elements,
                              float scale) const {
  const auto n = static_cast<std::size_t>(reals_ * elements);
  if (wire_ == WireFormat::single)
    kernels_.double_to_single(as<double>(from), as<float>(to), n);
  else if (wire_ == WireFormat::bfloat16)
    kernels_.single_to_bfloat16(as<float>(from), as<std::uint16_t>(to), n);
  else
    kernels_.single_to_half(as<float>(from), as<std::uint16_t>(to), n, scale);
}

void ReducedPrecision::restore(const std::byte *from, std::byte *to, std::ptrdiff_t elements,
                               float scale) const {
  const auto n = static_cast<std::size_t>(reals_ * elements);
  if (wire_ == WireFormat::single)
    kernels_.single_to_double(as<float>(from), as<double>(to), n);
  else if (wire_ == WireFormat::bfloat16)
    kernels_.bfloat16_to_single(as<std::uint16_t>(from), as<float>(to), n);
  else
    kernels_.half_to_single(as<std::uint16_t>(from), as<float>(to), n, scale);
}

/// Returns a power of two. Multiplied by it, the largest number is 2^14 .. 2^15, below 65504, the
/// largest number in half precision. Numbers down to 2^-29 of the largest one keep all bits of the
/// format.
float ReducedPrecision::scale_for(const Block &block, const std::byte *buffer) const {
  std::atomic<float> largest{0};
  for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t count) {
    const float mine = kernels_.largest(as<float>(buffer + first * full_bytes()),
                                        static_cast<std::size_t>(reals_ * count));
    float before = largest.load(std::memory_order_relaxed);
    while (before < mine &&
           !largest.compare_exchange_weak(before, mine, std::memory_order_relaxed)) {
    }
  });
  if (largest == 0.0F) return 1;
  int exponent = 0;
  std::frexp(largest.load(), &exponent);
  // The limits keep the scale and its inverse within the normal numbers.
  return std::ldexp(1.0F, std::clamp(15 - exponent, -126, 126));
}

void ReducedPrecision::pack(const Block &block, const std::byte *buffer, std::byte *packed) const {
  float scale = 1;
  if (wire_ == WireFormat::half) {
    scale = scale_for(block, buffer);
    const float inverse = 1 / scale;
    std::memcpy(packed - scale_bytes, &inverse, sizeof(inverse));
  }
  for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t at, std::ptrdiff_t count) {
    reduce(buffer + first * full_bytes(), packed + at * element_bytes(), count, scale);
  });
}

void ReducedPrecision::unpack(const std::byte *packed, const Block &block,
                              std::byte *buffer) const {
  float scale = 1;
  if (wire_ == WireFormat::half) std::memcpy(&scale, packed - scale_bytes, sizeof(scale));
  for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t at, std::ptrdiff_t count) {
    restore(packed + at * element_bytes(), buffer + first * full_bytes(), count, scale);
  });
}

void ReducedPrecision::round(const Block &block, std::byte *buffer) const {
  for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t count) {
    alignas(alignment) std::array<std::byte, rounded_at_once * 8> reduced;
    for (std::ptrdiff_t done = 0; done < count; done += rounded_at_once) {
      std::byte *numbers = buffer + (first + done) * full_bytes();
      const std::ptrdiff_t now = std::min(rounded_at_once, count - done);
      reduce(numbers, reduced.data(), now, 1);
      restore(reduced.data(), numbers, now, 1);
    }
  });
}

WireMessage::WireMessage(int peer, int tag, const Block &block,
                         std::shared_ptr<const WireSpace> space, std::ptrdiff_t offset,
                         std::ptrdiff_t largest_count)
    : peer_(peer), tag_(tag), block_(block), space_(std::move(space)), offset_(offset) {
  const ByteRange all{0, space_->precision.header() + space_->precision.bytes(block)};
  type_ = Datatype({&all, 1}, largest_count);
}

void WireMessage::send(const std::byte *buffer, MPI_Comm comm, int first_tag,
                       MPI_Request &request) const {
  space_->precision.pack(block_, buffer, packed());
  mpi::check(MPI_Isend(packed() - space_->precision.header(), 1, type_.get(), peer_,
                       first_tag + tag_, comm, &request),
             "MPI_Isend");
}

void WireMessage::receive(std::byte *, MPI_Comm comm, int first_tag, MPI_Request &request) const {
  mpi::check(MPI_Irecv(packed() - space_->precision.header(), 1, type_.get(), peer_,
                       first_tag + tag_, comm, &request),
             "MPI_Irecv");
}

void WireMessage::arrived(std::byte *buffer) const {
  space_->precision.unpack(packed(), block_, buffer);
}

} // namespace hybridfft::exchange
