/// Compares local transposes of a square matrix of single precision complex numbers with a STREAM
/// copy of as many bytes by as many threads. Copies and transposes run alternately, under the same
/// conditions. Plain loops, without blocks and with blocks of N x N elements, show how much the
/// library's tiles gain. Bandwidths are medians and count each element once read and once written.
/// "%ofBest" compares the fastest rounds instead, as STREAM does, because other programs disturb
/// them least.
///
///   hybridfft-bench-transpose [--extent=16384] [--rounds=7] [Google Benchmark's options]
#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/memory.h"
#include "common/stream_copy.h"
#include "local/box_copy.h"
#include "micro/in_turns.h"
#include "micro/options.h"
#include "simd/transpose.h"

namespace {

using hybridfft::Memory;
using hybridfft::bench::local_seconds;
using hybridfft::bench::stream_copy;
using hybridfft::bench::take_turns;
using hybridfft::bench::Turns;
namespace simd = hybridfft::simd;

using Element = std::complex<float>;

struct Arrays {
  std::size_t extent;
  Memory in, out;

  Arrays(std::size_t n, int threads)
      : extent(n), in(n * n * sizeof(Element), threads), out(n * n * sizeof(Element), threads) {}
};

/// Times `work` and the STREAM copy alternately.
void in_turns(benchmark::State &state, const Arrays &arrays, int threads,
              const std::function<void()> &work) {
  const Turns turns = take_turns(
      state, local_seconds,
      [&] { stream_copy(arrays.in.data(), arrays.out.data(), arrays.in.bytes(), threads); }, work);
  const double gigabytes = 2e-9 * static_cast<double>(arrays.in.bytes());
  state.counters["GB/s"] = gigabytes / turns.work.median;
  state.counters["STREAM"] = gigabytes / turns.copy.median;
  state.counters["%ofSTREAM"] = 100 * turns.copy.median / turns.work.median;
  state.counters["%ofBest"] = 100 * turns.copy.min / turns.work.min;
}

void transpose(benchmark::State &state, const Arrays &arrays, simd::Isa isa, int threads) {
  const auto n = static_cast<std::ptrdiff_t>(arrays.extent);
  hybridfft::local::PassOptions options;
  options.threads = threads;
  options.isa = isa;
  const auto pass =
      hybridfft::local::make_box_copy_pass({{{{n, n, 1}, {n, 1, n}}}}, sizeof(Element), options);
  in_turns(state, arrays, threads, [&] { pass->execute(arrays.in.data(), arrays.out.data()); });
}

/// Transposes by plain loops over blocks of `block` x `block` elements. If the block is the whole
/// matrix, these are loops without blocks.
void plain_transpose(benchmark::State &state, const Arrays &arrays, std::size_t block,
                     int threads) {
  const std::size_t n = arrays.extent;
  const auto *in = reinterpret_cast<const Element *>(arrays.in.data());
  auto *out = reinterpret_cast<Element *>(arrays.out.data());
  const std::size_t rows = std::min(block, (n + static_cast<std::size_t>(threads) - 1) /
                                               static_cast<std::size_t>(threads));
  in_turns(state, arrays, threads, [=] {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::size_t i = 0; i < n; i += rows)
      for (std::size_t j = 0; j < n; j += block)
        for (std::size_t y = i; y < std::min(i + rows, n); ++y)
          for (std::size_t x = j; x < std::min(j + block, n); ++x)
            out[x * n + y] = in[y * n + x];
  });
}

/// Copies by memcpy, which can be faster than stream_copy().
void library_copy(benchmark::State &state, const Arrays &arrays, int threads) {
  in_turns(state, arrays, threads, [&] {
#pragma omp parallel num_threads(threads)
    {
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
      const std::size_t part = arrays.in.bytes() / static_cast<std::size_t>(omp_get_num_threads());
      std::memcpy(arrays.out.data() + me * part, arrays.in.data() + me * part, part);
    }
  });
}

/// Returns 1, 2, 4, ... and the maximum number of threads.
std::vector<int> thread_counts() {
  std::vector<int> counts;
  const int all = omp_get_max_threads();
  for (int threads = 1; threads < all; threads *= 2)
    counts.push_back(threads);
  counts.push_back(all);
  return counts;
}

template <class... Arguments>
void add(const std::string &name, std::size_t rounds, Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), arguments...)
      ->Iterations(static_cast<benchmark::IterationCount>(rounds))
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace

int main(int argc, char **argv) try {
  hybridfft::bench::MicroArguments options(argc, argv);
  const std::size_t extent = options.number("extent", 16384);
  const std::size_t rounds = options.number("rounds", 7);
  options.initialize_benchmarks();

  const Arrays arrays(extent, omp_get_max_threads());
  benchmark::AddCustomContext("extent", std::to_string(extent));
  for (const int threads : thread_counts()) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    add("memcpy" + suffix, rounds, library_copy, std::cref(arrays), threads);
    add("naive" + suffix, rounds, plain_transpose, std::cref(arrays), extent, threads);
    for (const std::size_t block : {4UL, 8UL, 16UL, 32UL, 64UL, 128UL, 256UL})
      if (block < extent)
        add("blocks/" + std::to_string(block) + suffix, rounds, plain_transpose, std::cref(arrays),
            block, threads);
    for (const simd::Isa isa : simd::instruction_sets()) {
      if (!simd::supported(isa)) continue;
      const std::string set = "/" + std::string(simd::name(isa));
      add("transpose" + set + suffix, rounds, transpose, std::cref(arrays), isa, threads);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return EXIT_SUCCESS;
} catch (const std::exception &e) {
  std::fprintf(stderr, "hybridfft-bench-transpose: error: %s\n", e.what());
  return EXIT_FAILURE;
}
