/// Local transposes of a square matrix of single complex numbers against a STREAM copy of as many
/// bytes by as many threads. Copies and transposes take turns, so that both see the same machine;
/// bandwidths are from medians and count each element once read and once written. "%ofBest"
/// compares the fastest rounds instead, as STREAM itself does: what others on the machine disturb
/// least.
///
///   hybridfft-bench-transpose [--extent=16384] [--rounds=7] [Google Benchmark's options]
#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/memory.h"
#include "local/transpose.h"
#include "simd/transpose.h"
#include "stream_copy.h"

namespace {

using hybridfft::Memory;
namespace simd = hybridfft::simd;

using Element = std::complex<float>;

struct Arrays {
  std::size_t extent;
  Memory in, out;

  Arrays(std::size_t n, int threads)
      : extent(n), in(n * n * sizeof(Element), threads), out(n * n * sizeof(Element), threads) {}
};

template <class F> double seconds(const F &f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Times `work` in turns with the STREAM copy.
template <class F>
void in_turns(benchmark::State &state, const Arrays &arrays, int threads, const F &work) {
  std::vector<double> copies;
  std::vector<double> works;
  for (auto _ : state) {
    copies.push_back(seconds(
        [&] { stream_copy(arrays.in.data(), arrays.out.data(), arrays.in.bytes(), threads); }));
    works.push_back(seconds(work));
    state.SetIterationTime(works.back());
  }
  const double gigabytes = 2e-9 * static_cast<double>(arrays.in.bytes());
  state.counters["GB/s"] = gigabytes / median(works);
  state.counters["STREAM"] = gigabytes / median(copies);
  state.counters["%ofSTREAM"] = 100 * median(copies) / median(works);
  state.counters["%ofBest"] = 100 * *std::min_element(copies.begin(), copies.end()) /
                              *std::min_element(works.begin(), works.end());
}

void out_of_place(benchmark::State &state, const Arrays &arrays, simd::Isa isa, int threads) {
  const std::size_t n = arrays.extent;
  const Memory scratch(hybridfft::local::transpose_scratch(sizeof(Element), threads), threads);
  in_turns(state, arrays, threads, [&] {
    hybridfft::local::transpose(isa, sizeof(Element), n, n, arrays.in.data(), n, arrays.out.data(),
                                n, threads, scratch.data());
  });
}

void in_place(benchmark::State &state, const Arrays &arrays, simd::Isa isa, int threads) {
  const std::size_t n = arrays.extent;
  const Memory scratch(hybridfft::local::transpose_in_place_scratch(sizeof(Element), n, n, threads),
                       threads);
  in_turns(state, arrays, threads, [&] {
    hybridfft::local::transpose_in_place(isa, sizeof(Element), n, n, arrays.in.data(), n, threads,
                                         scratch.data());
  });
}

/// What the C library's copy reaches: it knows the machine better than STREAM's loop does.
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

/// Takes --name=value out of the arguments; exits with a message when the value is no number.
std::size_t option(std::vector<char *> &arguments, const std::string &name, std::size_t otherwise) {
  const std::string prefix = "--" + name + "=";
  const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const char *argument) {
    return std::string(argument).rfind(prefix, 0) == 0;
  });
  if (found == arguments.end()) return otherwise;
  const std::string value = std::string(*found).substr(prefix.size());
  char *end = nullptr;
  const unsigned long number = std::strtoul(value.c_str(), &end, 10);
  if (*end != '\0' || number == 0) {
    std::fprintf(stderr, "--%s=%s: expected a positive number\n", name.c_str(), value.c_str());
    std::exit(EXIT_FAILURE);
  }
  arguments.erase(found);
  return number;
}

/// 1, 2, 4, ... and all.
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

int main(int argc, char **argv) {
  std::vector<char *> arguments(argv, argv + argc);
  const std::size_t extent = option(arguments, "extent", 16384);
  const std::size_t rounds = option(arguments, "rounds", 7);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return EXIT_FAILURE;

  const Arrays arrays(extent, omp_get_max_threads());
  benchmark::AddCustomContext("extent", std::to_string(extent));
  for (const int threads : thread_counts()) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    add("memcpy" + suffix, rounds, library_copy, std::cref(arrays), threads);
    for (const simd::Isa isa :
         {simd::Isa::scalar, simd::Isa::sse2, simd::Isa::avx, simd::Isa::avx2, simd::Isa::avx512}) {
      if (!simd::supported(isa)) continue;
      const std::string set = "/" + std::string(simd::name(isa));
      add("out_of_place" + set + suffix, rounds, out_of_place, std::cref(arrays), isa, threads);
      add("in_place" + set + suffix, rounds, in_place, std::cref(arrays), isa, threads);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return EXIT_SUCCESS;
}
