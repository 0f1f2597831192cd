// Tests CUDA devices against sums computed on the host. Tests that need a GPU are skipped without
// one. Most tests also run on the emulated device, which must behave alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cuda_kernels.h"
#include "device/cuda/fft.h"
#include "device/cuda/open_cuda.h"
#include "device/launch.h"
#include "hybridfft/error.hpp"
#include "hybridfft/grid/cuda_kernel.hpp"
#include "support/skipped_cases.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::device;
using grid::Box;
using test::Iterate;
using test::Visit;

/// Returns the Error thrown by f(), or nothing.
template <class F> std::optional<Error> error_of(const F &f) {
  try {
    f();
  } catch (const Error &e) {
    return e;
  }
  return {};
}

// --- Without a GPU

TEST(CudaWithoutDevice, Open_ReportsOneSentence) {
  std::unique_ptr<Runtime> runtime;
  const auto error = error_of([&] { runtime = open_cuda(0); });
  if (runtime != nullptr)
    GTEST_SKIP() << test::this_machine << "there is a GPU: " << runtime->describe();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), HFFT_ERROR_UNSUPPORTED);
  const std::string text = error->what();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_NE(text.find("GPU"), std::string::npos) << text;
  EXPECT_TRUE(text.find("found") != std::string::npos || text.find("cannot") != std::string::npos)
      << text;
}

TEST(CudaLayout, AxesOfOnePoint_AreOmitted) {
  const cuda::FftLayout three(FftShape{{4, 6, 9}, 3});
  EXPECT_EQ(three.rank, 3);
  EXPECT_EQ(std::vector(three.n, three.n + 3), (std::vector<long long>{4, 6, 9}));
  EXPECT_EQ(std::vector(three.reals, three.reals + 3), (std::vector<long long>{4, 6, 10}));
  EXPECT_EQ(std::vector(three.complexes, three.complexes + 3), (std::vector<long long>{4, 6, 5}));
  EXPECT_EQ(three.real_distance, 240);
  EXPECT_EQ(three.complex_distance, 120);

  for (const FftShape &shape : {FftShape{{1, 6, 8}, 1}, FftShape{{6, 1, 8}, 1}}) {
    const cuda::FftLayout two(shape);
    EXPECT_EQ(two.rank, 2);
    EXPECT_EQ(std::vector(two.n, two.n + 2), (std::vector<long long>{6, 8}));
    EXPECT_EQ(std::vector(two.reals, two.reals + 2), (std::vector<long long>{6, 10}));
    EXPECT_EQ(std::vector(two.complexes, two.complexes + 2), (std::vector<long long>{6, 5}));
    EXPECT_EQ(two.real_distance, 60);
  }

  const cuda::FftLayout one(FftShape{{1, 1, 1}, 1});
  EXPECT_EQ(one.rank, 1);
  EXPECT_EQ(one.n[0], 1);
  EXPECT_EQ(one.real_distance, 2);
}

TEST(CudaLayout, NonPositiveExtents_AreRefused) {
  for (const FftShape &shape : {FftShape{{0, 6, 9}, 1}, FftShape{{4, 6, -9}, 1},
                                FftShape{{4, 6, 9}, 0}, FftShape{{4, 6, 1}, 1}}) {
    const auto error = error_of([&] { const cuda::FftLayout layout(shape); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), HFFT_ERROR_ARGUMENT);
    EXPECT_NE(std::string(error->what()).find("expected positive"), std::string::npos);
  }
}

TEST(CudaLayout, Cufft_HasCalledFunctions) {
  const cuda::Cufft &cufft = cuda::cufft();
  int version = 0;
  EXPECT_EQ(cufft.get_version(&version), CUFFT_SUCCESS);
  EXPECT_EQ(version / 1000, CUFFT_VER_MAJOR);
}

/// Launches respect CUDA's limits. A thread has one point, or several rows in large boxes.
TEST(CudaLayout, Launch_CoversBox) {
  for (const Box &box : {Box(1, 1, 1), Box(1, 1, 100000), Box(100000, 1, 1), Box(1, 100000, 1),
                         Box(3, 5, 7), Box(256, 256, 129), Box(512, 512, 512), Box(40, 16, 300),
                         Box(1 << 20, 2, 1), Box(2, 2, 1 << 30)}) {
    const auto [threads, blocks] = grid::detail::launch_shape(box);
    EXPECT_LE(threads[0] * threads[1] * threads[2], 256U);
    EXPECT_LE(threads[2], 64U);
    for (int x = 0; x < 3; ++x) {
      const Index points = box.extent(2 - x);
      const Index all = Index(threads[x]) * blocks[x];
      EXPECT_GE(blocks[x], 1U);
      EXPECT_TRUE(all >= points || (x > 0 && blocks[x] == 65535)) << points << " along " << x;
      EXPECT_LT(all - points, x == 0 ? 32 : Index(threads[x])) << points << " along " << x;
    }
  }
}

TEST(CudaLayout, WalkOfRowsNoMultipleOfWarp_IsFlat) {
  using grid::detail::Walk;
  const auto walk = [](const Box &box) {
    return grid::detail::walk_of(box, grid::detail::launch_shape(box));
  };
  EXPECT_EQ(walk(Box(256, 256, 256)), Walk::points);
  EXPECT_EQ(walk(Box(256, 256, 129)), Walk::flat);
  EXPECT_EQ(walk(Box({{-3, 5, 7}}, {{250, 250, 250}})), Walk::flat);
  EXPECT_EQ(walk(Box(60000, 300, 8)), Walk::points);
  EXPECT_EQ(walk(Box(10'000'000, 2, 2)), Walk::strided);
  EXPECT_EQ(walk(Box(1, 1, Index{1} << 31)), Walk::strided);
  EXPECT_EQ(walk(Box(2000, 2000, 2001)), Walk::points); // too many points for a flat walk
}

TEST(CudaLayout, FlatWalk_FollowsOrderOfMemory) {
  for (const Box &box : {Box(3, 5, 7), Box({{-2, 4, 9}}, {{1, 6, 42}}), Box(1, 1, 33)}) {
    unsigned n = 0;
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k, ++n)
          grid::detail::at_number(box, n, [&](Index a, Index b, Index c) {
            EXPECT_TRUE(a == i && b == j && c == k) << n << ": " << a << " " << b << " " << c;
          });
  }
}

// --- With a GPU

class Cuda : public testing::Test {
protected:
  void SetUp() override {
    try {
      runtime_ = Runtime::open(0);
    } catch (const Error &e) {
      if (e.code() != HFFT_ERROR_UNSUPPORTED) throw;
      GTEST_SKIP() << test::this_machine << e.what();
    }
  }

  Runtime &runtime() { return *runtime_; }
  Stream &compute() { return runtime_->compute(); }
  bool emulated() { return compute().handle() == nullptr; }

  template <class T> std::vector<T> on_host(const Array<T> &array) {
    std::vector<T> values(array.size());
    compute().copy(values.data(), array.data(), array.bytes());
    compute().synchronize();
    return values;
  }

private:
  std::unique_ptr<Runtime> runtime_;
};

TEST_F(Cuda, Describe_NamesDevice) {
  EXPECT_NE(runtime().describe().find(emulated() ? " MiB" : " GiB, compute capability "),
            std::string::npos);
  EXPECT_EQ(Runtime::open(0)->identity(), runtime().identity());
  const MemoryInfo memory = runtime().memory();
  EXPECT_GT(memory.free, 0U);
  EXPECT_LE(memory.free, memory.total);
}

TEST_F(Cuda, RanksBeyondDevices_ShareThem) {
  // 5040 is a multiple of all likely numbers of devices, so this rank shares the first one.
  EXPECT_EQ(Runtime::open(5040)->identity(), runtime().identity());
}

TEST_F(Cuda, CopiesOfPinnedAndPageable_AreExact) {
  const std::size_t n = 100003;
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<double>(i) / 3;
  const Array<double> first(runtime(), n);
  const Array<double> second(runtime(), n);
  for (const bool pinned : {false, true}) {
    std::vector<double> from = values;
    std::vector<double> to(n);
    if (pinned) {
      runtime().pin(from.data(), n * sizeof(double));
      runtime().pin(to.data(), n * sizeof(double));
    }
    compute().clear(second.data(), second.bytes());
    compute().copy(first.data(), from.data(), first.bytes());
    if (!pinned) std::fill(from.begin(), from.end(), 0); // the copy has made the host wait
    compute().copy(second.data(), first.data(), second.bytes());
    compute().copy(to.data(), second.data(), second.bytes());
    if (pinned) compute().synchronize();
    EXPECT_EQ(to, values);
    runtime().unpin(from.data());
    runtime().unpin(to.data());
  }
  runtime().unpin(values.data()); // was never pinned
  compute().clear(first.data(), first.bytes());
  EXPECT_EQ(on_host(first), std::vector<double>(n));
}

TEST_F(Cuda, Kernels_VisitEveryPointOnce) {
  struct Case {
    Index n[3];
    Box box;
  };
  for (const auto &[n, box] :
       {Case{{4, 5, 6}, Box(4, 5, 6)}, Case{{9, 8, 7}, Box({{2, 1, 3}}, {{7, 8, 6}})},
        Case{{1, 3, 1000}, Box({{0, 1, 33}}, {{1, 3, 932}})}, Case{{3, 40, 129}, Box(3, 40, 129)},
        Case{{3, 5, 1024}, Box({{1, 2, 32}}, {{3, 5, 992}})}, Case{{70000, 1, 3}, Box(70000, 1, 3)},
        Case{{2, 140000, 2}, Box({{0, 1, 0}}, {{2, 140000, 1}})},
        Case{{9000000, 1, 1}, Box(9000000, 1, 1)}, Case{{3, 3, 3}, Box()}}) {
    const Array<int> visits(runtime(), static_cast<std::size_t>(n[0] * n[1] * n[2]));
    compute().clear(visits.data(), visits.bytes());
    launch(compute(), box, Visit{visits.data(), n[1], n[2]});
    const std::vector<int> found = on_host(visits);
    Index wrong = 0;
    for (Index i = 0; i < n[0]; ++i)
      for (Index j = 0; j < n[1]; ++j)
        for (Index k = 0; k < n[2]; ++k)
          wrong += found[static_cast<std::size_t>((i * n[1] + j) * n[2] + k)] !=
                   (box.contains(Box({{i, j, k}}, {{i + 1, j + 1, k + 1}})) ? 1 : 0);
    EXPECT_EQ(wrong, 0) << "of " << n[0] << " x " << n[1] << " x " << n[2];
  }
}

/// The stream of copies and the stream of kernels wait for each other's results by events.
TEST_F(Cuda, Events_OrderStreams) {
  constexpr Index n = 4096;
  const Array<double> values(runtime(), n);
  std::vector<double> ones(n, 1);
  std::vector<double> result(n);
  for (std::vector<double> *pinned : {&ones, &result})
    runtime().pin(pinned->data(), n * sizeof(double));
  const auto computed = runtime().make_event();
  const auto copied = runtime().make_event();
  EXPECT_TRUE(computed->reached());

  // Starting at 1, x / 2 + k converges in a hundred thousand steps to 2 k, up to rounding.
  runtime().copies().copy(values.data(), ones.data(), values.bytes());
  runtime().copies().record(*copied);
  compute().wait(*copied);
  for (int repetition = 0; repetition < 10; ++repetition)
    launch(compute(), Box(1, 1, n), Iterate{values.data(), 0.5, 10000});
  compute().record(*computed);
  runtime().copies().wait(*computed);
  runtime().copies().copy(result.data(), values.data(), values.bytes());
  runtime().copies().record(*copied);
  copied->synchronize();
  EXPECT_TRUE(copied->reached());
  EXPECT_TRUE(computed->reached());
  for (Index k = 0; k < n; ++k)
    EXPECT_NEAR(result[static_cast<std::size_t>(k)], 2.0 * double(k), 1e-12 * double(n));
  for (std::vector<double> *pinned : {&ones, &result})
    runtime().unpin(pinned->data());
}

TEST_F(Cuda, TooLittleMemory_ReportsMissingBytes) {
  const MemoryInfo memory = runtime().memory();
  const std::size_t wanted = 2 * memory.total;
  const auto error = error_of([&] { runtime().allocate(wanted); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), HFFT_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(std::string(error->what()).find(std::to_string(wanted) + " bytes"), std::string::npos)
      << error->what();
  EXPECT_NE(std::string(error->what()).find("free"), std::string::npos) << error->what();
  // The failure does not persist.
  const Array<double> values(runtime(), 8);
  compute().clear(values.data(), values.bytes());
  launch(compute(), Box(1, 1, 8), Iterate{values.data(), 1, 1});
  EXPECT_EQ(on_host(values)[7], 7);
}

TEST_F(Cuda, Graph_RepeatsCapturedWork) {
  constexpr Index n = 1000;
  const Array<double> values(runtime(), std::vector<double>(n, 0).data(), n);
  const Array<double> copy(runtime(), n);
  const Array<double> beside(runtime(), std::vector<double>(n, 0).data(), n);
  const auto before = runtime().make_event();
  const auto after = runtime().make_event();
  const auto graph = runtime().capture(compute(), [&] {
    launch(compute(), Box(1, 1, n), Iterate{values.data(), 1, 1});
    compute().record(*before);
    runtime().copies().wait(*before);
    runtime().copies().copy(copy.data(), values.data(), values.bytes());
    runtime().copies().record(*after);
    // This kernel and the copy write different memory, so they may run at the same time.
    launch(compute(), Box(1, 1, n), Iterate{beside.data(), 1, 1});
    compute().wait(*after);
    launch(compute(), Box(1, 1, n), Iterate{values.data(), 1, 1});
  });
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(on_host(values)[7], 0); // a capture does not execute
  for (int launched = 0; launched < 3; ++launched)
    graph->launch(compute());
  EXPECT_EQ(on_host(values)[7], 6 * 7);
  EXPECT_EQ(on_host(copy)[7], 5 * 7);
  EXPECT_EQ(on_host(beside)[7], 3 * 7);
}

TEST_F(Cuda, UncapturableWork_GivesNoGraph) {
  if (emulated()) GTEST_SKIP() << "only CUDA does so";
  const auto graph = runtime().capture(compute(), [&] { runtime().allocate(256); });
  EXPECT_EQ(graph, nullptr);
  const Array<double> values(runtime(), 8);
  compute().clear(values.data(), values.bytes());
  launch(compute(), Box(1, 1, 8), Iterate{values.data(), 1, 1});
  EXPECT_EQ(on_host(values)[7], 7);
}

TEST_F(Cuda, FailureInCapture_IsThrown) {
  const auto error = error_of([&] {
    runtime().capture(compute(), [] { throw Error(HFFT_ERROR_ARGUMENT, "on purpose"); });
  });
  ASSERT_TRUE(error);
  EXPECT_STREQ(error->what(), "on purpose");
  compute().synchronize();
}

TEST_F(Cuda, WorkOfHost_IsRefused) {
  if (emulated()) GTEST_SKIP() << "only CUDA does so";
  EXPECT_TRUE(error_of([&] { compute().run([] {}); }));
}

/// The failure of a kernel is thrown by a later call, with the name of this call. CUDA does no more
/// work in the process afterwards, so the test starts another process.
TEST_F(Cuda, FailureOfKernel_IsThrownLater) {
  if (emulated()) GTEST_SKIP() << "only CUDA does so";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail = [] {
    const auto runtime = open_cuda(0);
    const auto error = error_of([&] {
      launch(runtime->compute(), Box(1, 1, 8), Iterate{nullptr, 1, 1});
      runtime->compute().synchronize();
    });
    std::fprintf(stderr, "%s\n", error ? error->what() : "nothing was thrown");
    std::_Exit(error && error->code() == HFFT_ERROR_INTERNAL ? 7 : 1);
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(7),
              "CUDA: cudaStreamSynchronize failed: .*cudaErrorIllegalAddress");
}

TEST_F(Cuda, OneRank_SendsItselfMessages) {
  std::string id;
  if (const auto error = error_of([&] { id = runtime().make_peers_id(); })) {
    EXPECT_EQ(error->code(), HFFT_ERROR_UNSUPPORTED); // NCCL needs a network interface, at least lo
    GTEST_SKIP() << test::this_machine << error->what();
  }
  if (id.empty()) GTEST_SKIP() << test::this_machine << "there is no NCCL";
  const auto peers = runtime().join_peers(id, 0, 1);
  ASSERT_NE(peers, nullptr);
  const std::vector<double> values{1, 2, 3};
  const Array<double> from(runtime(), values.data(), values.size());
  const Array<double> to(runtime(), values.size());
  peers->begin();
  peers->send(compute(), from.data(), from.bytes(), 0);
  peers->receive(compute(), to.data(), to.bytes(), 0);
  peers->end();
  EXPECT_EQ(on_host(to), values);
}

// --- Transforms

template <class Real> class CudaFft : public Cuda {
protected:
  /// Returns rows of n[2] random values, padded by NaN.
  static std::vector<Real> random_field(const FftShape &shape, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> some(-1, 1);
    std::vector<Real> field(static_cast<std::size_t>(shape.real_values()),
                            std::numeric_limits<Real>::quiet_NaN());
    for (Index row = 0; row < shape.n[0] * shape.n[1]; ++row)
      for (Index k = 0; k < shape.n[2]; ++k)
        field[static_cast<std::size_t>(2 * row * shape.bins() + k)] = some(random);
    return field;
  }

  /// Returns the spectrum by the definition of the transform.
  static std::vector<std::complex<double>> spectrum_of(const FftShape &shape,
                                                       const std::vector<Real> &field) {
    const auto [n0, n1, n2] = shape.n;
    const auto phase = [](Index frequency, Index index, Index n) {
      return 2 * std::numbers::pi * static_cast<double>(frequency * index % n) /
             static_cast<double>(n);
    };
    std::vector<std::complex<double>> spectrum;
    for (Index a = 0; a < n0; ++a)
      for (Index b = 0; b < n1; ++b)
        for (Index c = 0; c < shape.bins(); ++c) {
          std::complex<double> sum = 0;
          for (Index i = 0; i < n0; ++i)
            for (Index j = 0; j < n1; ++j)
              for (Index k = 0; k < n2; ++k)
                sum += static_cast<double>(
                           field[static_cast<std::size_t>(2 * (i * n1 + j) * shape.bins() + k)]) *
                       std::polar(1.0, -(phase(a, i, n0) + phase(b, j, n1) + phase(c, k, n2)));
          spectrum.push_back(sum);
        }
    return spectrum;
  }

  /// Returns the relative error in the L2 norm. Values may have any precision.
  template <class A, class B>
  static double relative_error(const std::vector<A> &found, const std::vector<B> &expected) {
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      difference += std::norm(std::complex<double>(found[i]) - std::complex<double>(expected[i]));
      norm += std::norm(std::complex<double>(expected[i]));
    }
    return std::sqrt(difference / norm);
  }

  /// Tolerance for up to 1000 points: some roundings in each of ten radix-2 stages.
  static constexpr double tolerance = 10 * std::numeric_limits<Real>::epsilon();

  static FftShape shapes(std::size_t number) {
    static const std::vector<FftShape> all{{{4, 6, 10}, 3}, {{5, 3, 7}, 2},  {{1, 6, 9}, 2},
                                           {{5, 1, 8}, 1},  {{1, 1, 12}, 3}, {{8, 8, 8}, 1},
                                           {{3, 4, 2}, 2}};
    return number < all.size() ? all[number] : FftShape{{0, 0, 0}, 0};
  }
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaFft, Precisions);

TYPED_TEST(CudaFft, Forward_MatchesDefinitionAndKeepsField) {
  for (std::size_t s = 0; this->shapes(s).batch > 0; ++s) {
    const FftShape shape = this->shapes(s);
    const std::vector<TypeParam> values = this->random_field(shape, 1);
    const Array<TypeParam> field(this->runtime(), values.data(), values.size());
    const Array<std::complex<TypeParam>> spectrum(this->runtime(),
                                                  static_cast<std::size_t>(shape.complex_values()));
    const auto fft = this->runtime().template make_fft<TypeParam>(shape);
    fft->forward(this->compute(), field.data(), spectrum.data());
    EXPECT_LE(this->relative_error(this->on_host(spectrum), this->spectrum_of(shape, values)),
              this->tolerance)
        << fft->describe();
    const std::vector<TypeParam> kept = this->on_host(field);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_TRUE(kept[i] == values[i] || std::isnan(values[i])) << fft->describe();
  }
}

TYPED_TEST(CudaFft, BackwardOfPartOfBatch_MatchesFields) {
  for (std::size_t s = 0; this->shapes(s).batch > 0; ++s) {
    const FftShape shape = this->shapes(s);
    const auto fft = this->runtime().template make_fft<TypeParam>(shape);
    const auto points = static_cast<double>(shape.n[0] * shape.n[1] * shape.n[2]);
    for (int count = 1; count <= shape.batch; ++count) {
      // The definition gives the spectra. The last spectrum is not transformed and must stay
      // unchanged.
      std::vector<std::complex<TypeParam>> spectra;
      std::vector<double> expected;
      for (int field = 0; field <= count; ++field) {
        const std::vector<TypeParam> values = this->random_field(shape, unsigned(field));
        for (const std::complex<double> &value : this->spectrum_of(shape, values))
          spectra.emplace_back(static_cast<TypeParam>(value.real()),
                               static_cast<TypeParam>(value.imag()));
        if (field == count) continue;
        for (const TypeParam value : values)
          expected.push_back(points * static_cast<double>(value));
      }
      const Array<std::complex<TypeParam>> device(this->runtime(), spectra.data(), spectra.size());
      fft->backward(this->compute(), device.data(), count);
      const std::vector<std::complex<TypeParam>> found = this->on_host(device);
      std::vector<double> reals;
      std::vector<double> wanted;
      for (std::size_t i = 0; i < expected.size(); ++i)
        if (!std::isnan(expected[i])) { // NaN marks padding
          reals.push_back(i % 2 == 0 ? found[i / 2].real() : found[i / 2].imag());
          wanted.push_back(expected[i]);
        }
      EXPECT_LE(this->relative_error(reals, wanted), this->tolerance) << fft->describe();
      EXPECT_TRUE(std::equal(found.end() - shape.complex_values(), found.end(),
                             spectra.end() - shape.complex_values()));
    }
    for (const int count : {-1, shape.batch + 1}) {
      const auto error = error_of([&] { fft->backward(this->compute(), nullptr, count); });
      EXPECT_TRUE(error) << count << " of " << shape.batch;
    }
  }
}

/// If there is no memory for the work space of a new plan, older plans and graphs keep theirs.
TYPED_TEST(CudaFft, WorkSpaceUnableToGrow_StaysValid) {
  if (this->emulated()) GTEST_SKIP() << "only CUDA has work space";
  const FftShape shape{{30, 7, 2 * 1009}, 1}; // cuFFT needs work space for large primes
  const std::vector<TypeParam> values = this->random_field(shape, 4);
  const Array<TypeParam> field(this->runtime(), values.data(), values.size());
  const Array<std::complex<TypeParam>> spectrum(this->runtime(),
                                                static_cast<std::size_t>(shape.complex_values()));
  const auto fft = this->runtime().template make_fft<TypeParam>(shape);
  const auto transform = [&] { fft->forward(this->compute(), field.data(), spectrum.data()); };
  transform();
  const auto expected = this->on_host(spectrum);
  // Allocates all free memory except 64 MB, less than the work space of a large prime length.
  constexpr std::size_t left = 64 << 20;
  const FftShape larger{{1, 1, 50'000'017}, 1};
  ASSERT_GT(this->runtime().fft_work_bytes(larger, sizeof(TypeParam) == 8), left);
  const Array<char> others(this->runtime(), this->runtime().memory().free - left);
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(error_of([&] { this->runtime().template make_fft<TypeParam>(larger); }));
    this->compute().clear(spectrum.data(), spectrum.bytes());
    transform();
    EXPECT_EQ(this->on_host(spectrum), expected);
    ASSERT_NE(this->runtime().capture(this->compute(), transform), nullptr);
  }
}

/// A larger plan moves the work area. The graph of a smaller plan must remain valid.
TYPED_TEST(CudaFft, GrowthOfWorkSpace_KeepsGraphsValid) {
  const FftShape shape{{30, 7, 2 * 1009}, 1}; // cuFFT needs work space for large primes
  const std::vector<TypeParam> values = this->random_field(shape, 3);
  const Array<TypeParam> field(this->runtime(), values.data(), values.size());
  const Array<std::complex<TypeParam>> spectrum(this->runtime(),
                                                static_cast<std::size_t>(shape.complex_values()));
  const auto fft = this->runtime().template make_fft<TypeParam>(shape);
  fft->forward(this->compute(), field.data(), spectrum.data());
  const auto expected = this->on_host(spectrum);
  const auto graph = this->runtime().capture(
      this->compute(), [&] { fft->forward(this->compute(), field.data(), spectrum.data()); });
  ASSERT_NE(graph, nullptr);

  const FftShape large{{3, 131, 2 * 10007}, 3};
  if (!this->emulated()) {
    const bool doubles = sizeof(TypeParam) == sizeof(double);
    EXPECT_GT(this->runtime().fft_work_bytes(shape, doubles), 0U);
    EXPECT_GT(this->runtime().fft_work_bytes(large, doubles),
              this->runtime().fft_work_bytes(shape, doubles));
  }
  const auto other = this->runtime().template make_fft<TypeParam>(large);
  this->compute().clear(spectrum.data(), spectrum.bytes());
  graph->launch(this->compute());
  EXPECT_EQ(this->on_host(spectrum), expected);
  this->compute().clear(spectrum.data(), spectrum.bytes());
  fft->forward(this->compute(), field.data(), spectrum.data());
  EXPECT_EQ(this->on_host(spectrum), expected);
  if (!this->emulated()) {
    EXPECT_NE(other->describe().find("3 backward "), std::string::npos) << other->describe();
  }
}

} // namespace
