// Compares FFTs of the emulated device with sums by definition in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support.h"
#include "unit/fft_reference.h"

namespace {

using namespace hybridfft::device;
using namespace hybridfft::device::test;
using hybridfft::test::Long;
using hybridfft::test::truth_of;
using hybridfft::test::value;

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

/// Returns the sum of f(x) exp(sign 2 pi i x k / n) along one axis of a full array of complex
/// values.
std::vector<Long> along(std::vector<Long> f, const Index (&n)[3], int axis, int sign) {
  const Index stride = axis == 0 ? n[1] * n[2] : axis == 1 ? n[2] : 1;
  std::vector<Long> line(size(n[axis]));
  for (Index at = 0; at < static_cast<Index>(f.size()); ++at) {
    if (at / stride % n[axis] != 0) continue;
    for (Index x = 0; x < n[axis]; ++x)
      line[size(x)] = f[size(at + x * stride)];
    const std::vector<Long> sums = truth_of(line, sign);
    for (Index k = 0; k < n[axis]; ++k)
      f[size(at + k * stride)] = sums[size(k)];
  }
  return f;
}

std::vector<Long> transformed(std::vector<Long> f, const Index (&n)[3], int sign) {
  for (int axis = 0; axis < 3; ++axis)
    f = along(f, n, axis, sign);
  return f;
}

/// A shape, random fields of this shape, and the comparison of their transforms.
template <class Real> struct Case {
  FftShape shape;
  std::unique_ptr<Runtime> runtime;

  explicit Case(const FftShape &of) : shape(of) { runtime = delayed(1); }

  Index points() const { return shape.n[0] * shape.n[1] * shape.n[2]; }
  /// Returns the index in a padded field of value `at` of the full array.
  Index padded(Index at) const { return at / shape.n[2] * 2 * shape.bins() + at % shape.n[2]; }
  std::vector<Long> full(std::uint64_t seed) const {
    std::vector<Long> f;
    for (Index at = 0; at < points(); ++at)
      f.emplace_back(static_cast<Real>(value(seed * 100003 + static_cast<std::uint64_t>(at))));
    return f;
  }
  /// Returns a field padded by NaN, since no transform may read the padding.
  std::vector<Real> field(const std::vector<Long> &f) const {
    std::vector<Real> reals(size(shape.real_values()), std::numeric_limits<Real>::quiet_NaN());
    for (Index at = 0; at < points(); ++at)
      reals[size(padded(at))] = static_cast<Real>(f[size(at)].real());
    return reals;
  }
  std::vector<std::complex<Real>> half(const std::vector<Long> &f) const {
    std::vector<std::complex<Real>> bins;
    for (Index at = 0; at < points(); ++at)
      if (at % shape.n[2] < shape.bins())
        bins.emplace_back(static_cast<Real>(f[size(at)].real()),
                          static_cast<Real>(f[size(at)].imag()));
    return bins;
  }
  /// The rounding error of an FFT grows with log n. Sums of n random values between -1/2 and 1/2
  /// are about sqrt(n / 12).
  double tolerance() const {
    return 8 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
           std::sqrt(static_cast<double>(points()));
  }
  template <class T> std::vector<T> on_host(const Array<T> &array) const {
    std::vector<T> values(array.size());
    runtime->compute().copy(values.data(), array.data(), array.bytes());
    return values;
  }
};

template <class Real> void forward_is_the_sum(const FftShape &shape) {
  const Case<Real> test(shape);
  const auto fft = test.runtime->template make_fft<Real>(shape);
  const auto f = test.full(1);
  const auto input = test.field(f);
  const Array<Real> field(*test.runtime, input.data(), input.size());
  const Array<std::complex<Real>> spectrum(*test.runtime, size(shape.complex_values()));
  fft->forward(test.runtime->compute(), field.data(), spectrum.data());
  const auto found = test.on_host(spectrum);
  const auto expected = test.half(transformed(f, shape.n, -1));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - expected[i]), test.tolerance()) << i;
  const auto kept = test.on_host(field);
  for (std::size_t i = 0; i < kept.size(); ++i)
    ASSERT_TRUE(kept[i] == input[i] || (std::isnan(kept[i]) && std::isnan(input[i]))) << i;
}

/// Transforms `count` fields of a batch and compares them with sums. The other fields must not
/// change.
template <class Real> void backward_is_the_sum(const FftShape &shape, int count) {
  const Case<Real> test(shape);
  const auto fft = test.runtime->template make_fft<Real>(shape);
  std::vector<std::complex<Real>> spectra;
  std::vector<std::vector<Long>> fields;
  for (int b = 0; b < shape.batch; ++b) {
    // The spectrum is computed in long double. half() rounds its stored part to Real.
    const auto full = transformed(test.full(static_cast<std::uint64_t>(b) + 2), shape.n, -1);
    const auto half = test.half(full);
    spectra.insert(spectra.end(), half.begin(), half.end());
    fields.push_back(transformed(full, shape.n, 1));
  }
  const Array<std::complex<Real>> array(*test.runtime, spectra.data(), spectra.size());
  fft->backward(test.runtime->compute(), array.data(), count);
  const auto found = test.on_host(array);
  const auto *reals = reinterpret_cast<const Real *>(found.data());
  const double tolerance = test.tolerance() * std::sqrt(static_cast<double>(test.points()));
  for (int b = 0; b < count; ++b)
    for (Index at = 0; at < test.points(); ++at)
      ASSERT_NEAR(static_cast<double>(reals[b * shape.real_values() + test.padded(at)]),
                  static_cast<double>(fields[size(b)][size(at)].real()), tolerance)
          << b << ' ' << at;
  for (std::size_t i = size(count * shape.complex_values()); i < found.size(); ++i)
    ASSERT_EQ(found[i], spectra[i]);
}

class EmulatedFft : public testing::TestWithParam<FftShape> {};

TEST_P(EmulatedFft, Forward_MatchesDefinitionAndKeepsInput) {
  forward_is_the_sum<float>(GetParam());
  forward_is_the_sum<double>(GetParam());
}

TEST_P(EmulatedFft, BackwardOfPartOfBatch_MatchesDefinition) {
  const int batch = GetParam().batch;
  for (const int count : {0, 1, batch - 1, batch}) {
    backward_is_the_sum<float>(GetParam(), count);
    backward_is_the_sum<double>(GetParam(), count);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, EmulatedFft,
                         testing::Values(FftShape{{8, 6, 10}, 3}, FftShape{{5, 7, 9}, 2},
                                         FftShape{{7, 11, 13}, 1}, FftShape{{12, 1, 15}, 3},
                                         FftShape{{13, 1, 8}, 2}, FftShape{{1, 1, 6}, 2},
                                         FftShape{{3, 4, 1}, 2}, FftShape{{2, 3, 2}, 1},
                                         FftShape{{1, 1, 1}, 1}),
                         [](const testing::TestParamInfo<FftShape> &info) {
                           const FftShape &s = info.param;
                           return std::to_string(s.n[0]) + "x" + std::to_string(s.n[1]) + "x" +
                                  std::to_string(s.n[2]) + "batch" + std::to_string(s.batch);
                         });

TEST(EmulatedFftErrors, WrongArguments_AreNamed) {
  const FftShape shape{{4, 4, 4}, 2};
  Case<double> test(shape);
  Runtime &runtime = *test.runtime;
  Stream &stream = runtime.compute();
  const auto fft = runtime.make_fft<double>(shape);
  const Array<double> field(runtime, size(shape.real_values()));
  const Array<std::complex<double>> spectra(runtime, size(shape.complex_values()));
  expect_error(HFFT_ERROR_INTERNAL, {"3 spectra to transform, planned for at most 2"},
               [&] { fft->backward(stream, spectra.data(), 3); });
  expect_error(HFFT_ERROR_INTERNAL, {"-1 spectra"},
               [&] { fft->backward(stream, spectra.data(), -1); });
  expect_error(HFFT_ERROR_INTERNAL,
               {"spectra to transform: 1536 bytes from byte 0 of an allocation of 768"},
               [&] { fft->backward(stream, spectra.data(), 2); });
  expect_error(HFFT_ERROR_INTERNAL,
               {"field to transform: 768 bytes from byte 8 of an allocation of 768"},
               [&] { fft->forward(stream, field.data() + 1, spectra.data()); });
  expect_error(HFFT_ERROR_INTERNAL, {"overlap"}, [&] {
    fft->forward(stream, reinterpret_cast<const double *>(spectra.data()), spectra.data());
  });
  std::vector<double> host(size(shape.real_values()));
  expect_error(HFFT_ERROR_INTERNAL, {"are not the device's"},
               [&] { fft->forward(stream, host.data(), spectra.data()); });
  expect_error(HFFT_ERROR_ARGUMENT, {"1 fields of 4 x 0 x 4"}, [&] {
    runtime.make_fft<float>({{4, 0, 4}, 1});
  });
  expect_error(HFFT_ERROR_ARGUMENT, {"0 fields"}, [&] { runtime.make_fft<float>({{4, 4, 4}, 0}); });
  EXPECT_EQ(fft->describe(), "FFTW, estimated, 2 backward at once");
}

/// Replaces each value by factor * value^2.
struct Square {
  double *field;
  Index pitch, rows;
  double factor;
  void operator()(Index i, Index j, Index k) const {
    double &value = field[(i * rows + j) * pitch + k];
    value *= value * factor;
  }
};

TEST(EmulatedFftGraph, Transforms_AreCaptured) {
  const FftShape shape{{4, 3, 5}, 1};
  Case<double> test(shape);
  Runtime &runtime = *test.runtime;
  Stream &stream = runtime.compute();
  const auto f = test.full(9);
  const auto input = test.field(f);
  const Array<double> field(runtime, input.data(), input.size());
  const Array<std::complex<double>> spectrum(runtime, size(shape.complex_values()));
  auto *back = reinterpret_cast<double *>(spectrum.data());
  std::unique_ptr<Graph> graph;
  {
    const auto fft = runtime.make_fft<double>(
        shape); // destroyed before the graph is launched, so the graph must keep the plans alive
    graph = runtime.capture(stream, [&] {
      fft->forward(stream, field.data(), spectrum.data());
      fft->backward(stream, spectrum.data(), 1);
      launch(stream, Box(4, 3, 5), Square{back, 6, 3, 1.0 / 3600});
      stream.copy(field.data(), back, field.bytes());
    });
  }
  graph->launch(stream);
  graph->launch(stream);
  const auto found = test.on_host(field);
  for (Index at = 0; at < test.points(); ++at)
    EXPECT_NEAR(found[size(test.padded(at))], std::pow(static_cast<double>(f[size(at)].real()), 4),
                1e-15);
}

} // namespace
