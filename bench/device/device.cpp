// Measures the bandwidth of copies in a device's memory, and the time of FFTs relative to copies of
// the same bytes (three passes over a field). Uses the first device of the kind in HFFT_GPU.
#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/statistics.h"
#include "device/runtime.h"
#include "support/cli_options.h"
#include "support/mpi_main.h"
#include "support/version_text.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::device;

struct Options {
  std::int64_t megabytes =
      0; ///< memory used, in MiB; 0: a quarter of the free memory, at most 4096
  std::vector<std::int64_t> extents{256, 256, 256};
  int rounds = 9;
};

/// Returns the median seconds of the work enqueued by `work`. It is enqueued `times` times in a
/// row, to hide the time of launches. `prepare` enqueues work before, which is not timed.
double seconds(
    Runtime &runtime, int rounds, int times, const std::function<void()> &work,
    const std::function<void()> &prepare = [] {}) {
  std::vector<double> samples;
  for (int round = 0; round <= rounds; ++round) {
    prepare();
    runtime.compute().synchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int time = 0; time < times; ++time)
      work();
    runtime.compute().synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (round > 0) samples.push_back(taken.count() / times); // the first round is a warm-up
  }
  return bench::summarize(samples).median;
}

/// Sets the array to random numbers. With zeros a device uses less power and runs faster.
template <class T> void set_random(Runtime &runtime, const Array<T> &array) {
  std::mt19937 numbers(1);
  std::vector<float> values(std::min<std::size_t>(array.bytes(), 64 << 20) / sizeof(float));
  for (float &value : values)
    value = 1e-6F * (static_cast<float>(numbers()) / 4294967296.0F - 0.5F);
  auto *const memory = reinterpret_cast<char *>(array.data());
  for (std::size_t at = 0; at < array.bytes(); at += values.size() * sizeof(float))
    runtime.compute().copy(memory + at, values.data(),
                           std::min(array.bytes() - at, values.size() * sizeof(float)));
  runtime.compute().synchronize();
}

/// Measures copies and returns the bytes read and written per second.
double measure_copies(Runtime &runtime, const Options &o) {
  std::size_t bytes = static_cast<std::size_t>(o.megabytes) << 20;
  if (bytes == 0) bytes = std::min(runtime.memory().free / 4, std::size_t{4} << 30);
  const Array<char> from(runtime, bytes);
  const Array<char> to(runtime, bytes);
  set_random(runtime, from);
  const double taken =
      seconds(runtime, o.rounds, 4, [&] { runtime.compute().copy(to.data(), from.data(), bytes); });
  const double rate = 2 * static_cast<double>(bytes) / taken;
  std::printf("copy of %.0f MB: %.3f ms, %.1f GB/s\n", 1e-6 * static_cast<double>(bytes),
              1e3 * taken, 1e-9 * rate);
  return rate;
}

template <class Real> void measure_transforms(Runtime &runtime, const Options &o, double rate) {
  const FftShape shape{{o.extents[0], o.extents[1], o.extents[2]}, 3};
  const auto fft = runtime.make_fft<Real>(shape);
  const Array<std::complex<Real>> fields(runtime, std::size_t(3 * shape.complex_values()));
  const Array<std::complex<Real>> spectrum(runtime, std::size_t(shape.complex_values()));
  const Array<std::complex<Real>> random(runtime, fields.size());
  set_random(runtime, random);
  // Restores the input: backward transforms overwrite it, and each multiplies it by up to the
  // number of points.
  const auto prepare = [&] {
    runtime.compute().copy(fields.data(), random.data(), random.bytes());
  };
  std::printf("%s\n", fft->describe().c_str());
  const double floor = 6 * static_cast<double>(spectrum.bytes()) / rate;
  std::printf("floor: three passes over a spectrum at the rate of the copy, %.4f ms\n",
              1e3 * floor);
  const auto tell = [&](const char *what, int count, const std::function<void()> &work) {
    const double taken = seconds(runtime, o.rounds, 4, work, prepare);
    std::printf("%s: %.4f ms, %.2f x floor\n", what, 1e3 * taken, taken / (count * floor));
  };
  tell("forward", 1, [&] {
    fft->forward(runtime.compute(), reinterpret_cast<const Real *>(fields.data()), spectrum.data());
  });
  tell("backward, 1 spectrum", 1, [&] { fft->backward(runtime.compute(), fields.data(), 1); });
  tell("backward, 3 spectra", 3, [&] { fft->backward(runtime.compute(), fields.data(), 3); });
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Measures copies in the memory of a device, and its Fourier transforms.",
               "hybridfft-bench-device");
  app.set_version_flag("--version", tools::version_text("hybridfft-bench-device"));
  Options options;
  app.add_option("--megabytes", options.megabytes,
                 "size of a copy (default: a quarter of the free memory, at most 4096)")
      ->check(tools::at_least(std::int64_t{0}));
  tools::add_list<std::int64_t>(
      app, "--size", {.least = 3, .most = 3, .min_value = 1, .example = "256x256x256"},
      [&](const auto &n) { options.extents = n; }, "points of a field, the last ones in a row");
  app.add_option("--rounds", options.rounds, "repetitions, of which medians are told")
      ->check(tools::at_least(1));
  return tools::run(argc, argv, app, [&](MPI_Comm) {
    const auto runtime = Runtime::open(0);
    std::printf("%s\n", runtime->describe().c_str());
    const double rate = measure_copies(*runtime, options);
    measure_transforms<float>(*runtime, options, rate);
    measure_transforms<double>(*runtime, options, rate);
    return 0;
  });
}
