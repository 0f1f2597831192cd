/// Emulated devices for tests, and functions that enqueue work on them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "device/emulated.h"
#include "device/launch.h"
#include "support/expect_error.h"

namespace hybridfft::device::test {

using grid::Box;

using hybridfft::test::expect_error;

inline constexpr std::size_t mib = std::size_t{1} << 20;

inline std::unique_ptr<Runtime> runtime_of(std::size_t bytes) {
  EmulatedOptions options;
  options.bytes = bytes;
  return make_emulated(options);
}

/// Returns a device that delays its work by random times.
inline std::unique_ptr<Runtime> delayed(std::uint64_t seed) {
  EmulatedOptions options;
  options.bytes = mib;
  options.delays = seed;
  return make_emulated(options);
}

/// Blocks a stream until the host opens the gate.
class Gate {
public:
  explicit Gate(Stream &stream) {
    stream.run([opened = opened_.get_future().share()] { opened.wait(); });
  }
  ~Gate() { open(); }
  Gate(const Gate &) = delete;
  Gate &operator=(const Gate &) = delete;
  void open() {
    if (!is_open_) opened_.set_value();
    is_open_ = true;
  }

private:
  std::promise<void> opened_;
  bool is_open_ = false;
};

struct Set {
  double *values;
  double value;
  void operator()(Index, Index, Index k) const { values[k] = value; }
};

struct Twice {
  double *values;
  void operator()(Index, Index, Index k) const { values[k] *= 2; }
};

/// Adds `addend` to `sum`.
struct Add {
  double *sum;
  const double *addend;
  void operator()(Index, Index, Index) const { *sum += *addend; }
};

inline constexpr Box one(1, 1, 1);

/// Copies a value to the host, waits for it, and returns it.
inline double value_of(Stream &stream, const double *memory) {
  double value = 0;
  stream.copy(&value, memory, sizeof value);
  return value;
}

} // namespace hybridfft::device::test
