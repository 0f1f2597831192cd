// Runs the pass of an FFT and, after its last row, multiplies all its results by twiddle factors.
// Used between the two FFTs of a four-step transform.
#include "local/passes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "base/threads.h"

namespace hybridfft::local {

namespace {

/// Computes exp(sign 2 pi i e / n), 0 <= e < n, as a product of entries of two tables with about
/// sqrt(n) numbers each.
class Roots {
public:
  Roots(std::ptrdiff_t n, int sign) {
    while ((std::ptrdiff_t{1} << (2 * bits_)) < n)
      ++bits_;
    const std::ptrdiff_t step = std::ptrdiff_t{1} << bits_;
    for (std::ptrdiff_t e = 0; e < step; ++e)
      low_.push_back(root(e, n, sign));
    for (std::ptrdiff_t e = 0; e < n; e += step)
      high_.push_back(root(e, n, sign));
  }

  std::complex<double> operator()(std::ptrdiff_t e) const {
    const std::complex<double> a = high_[static_cast<std::size_t>(e >> bits_)];
    const std::complex<double> b =
        low_[static_cast<std::size_t>(e & ((std::ptrdiff_t{1} << bits_) - 1))];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  std::size_t bytes() const { return (low_.size() + high_.size()) * sizeof(std::complex<double>); }

private:
  static std::complex<double> root(std::ptrdiff_t e, std::ptrdiff_t n, int sign) {
    const long double angle = sign * 2 * std::numbers::pi_v<long double> *
                              static_cast<long double>(e) / static_cast<long double>(n);
    return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
  }

  int bits_ = 0;
  std::vector<std::complex<double>> low_, high_;
};

template <class Real> class TwiddledPass final : public Pass {
public:
  TwiddledPass(std::unique_ptr<Pass> pass, std::vector<MatrixPart> parts, std::ptrdiff_t n,
               int sign, const PassOptions &options)
      : Pass(pass->rows()), pass_(std::move(pass)), parts_(std::move(parts)), roots_(n, sign),
        threads_(options.threads) {
    for (MatrixPart &p : parts_)
      if (p.row_stride < p.column_stride) {
        std::swap(p.row, p.column);
        std::swap(p.rows, p.columns);
        std::swap(p.row_stride, p.column_stride);
      }
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    pass_->execute(source, destination, rows, poll);
    if (rows.last < pass_->rows()) return;
    auto *array = reinterpret_cast<std::complex<Real> *>(destination);
    std::ptrdiff_t all = 0;
    for (const MatrixPart &p : parts_)
      all += p.rows;
    parallel_ranges(all, threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
      for (const MatrixPart &p : parts_) {
        for (std::ptrdiff_t r = std::max<std::ptrdiff_t>(first, 0); r < std::min(last, p.rows); ++r)
          multiply_row(p, r, array);
        first -= p.rows;
        last -= p.rows;
      }
    });
  }

  std::ptrdiff_t row_unit() const override { return pass_->row_unit(); }
  bool in_place() const override { return pass_->in_place(); }
  std::string describe() const override { return pass_->describe() + ", twiddles"; }
  std::size_t scratch_bytes() const override { return pass_->scratch_bytes() + roots_.bytes(); }

private:
  /// Number of columns in a run. The factor of a column is a product of two: one for the start of
  /// its run, and one for its place in the run. Runs begin at multiples of their length, so factors
  /// have the same bits on any number of ranks.
  static constexpr std::ptrdiff_t run = 64;

  void multiply_row(const MatrixPart &p, std::ptrdiff_t r, std::complex<Real> *array) const {
    const std::ptrdiff_t row = p.row + r;
    const std::ptrdiff_t end = p.column + p.columns;
    std::array<Real, run> re;
    std::array<Real, run> im;
    for (std::ptrdiff_t c = 0; c < std::min(run, end); ++c) {
      const std::complex<double> w = roots_(row * c);
      re[static_cast<std::size_t>(c)] = static_cast<Real>(w.real());
      im[static_cast<std::size_t>(c)] = static_cast<Real>(w.imag());
    }
    std::complex<Real> *at = array + p.base + r * p.row_stride;
    for (std::ptrdiff_t c = p.column; c < end;) {
      const std::ptrdiff_t place = c % run;
      const std::ptrdiff_t count = std::min(run - place, end - c);
      const std::complex<double> w = roots_(row * (c - place));
      multiply(p, at + (c - p.column) * p.column_stride, count,
               {static_cast<Real>(w.real()), static_cast<Real>(w.imag())}, re.data() + place,
               im.data() + place);
      c += count;
    }
  }

  static void multiply(const MatrixPart &p, std::complex<Real> *at, std::ptrdiff_t columns,
                       std::complex<Real> first, const Real *re, const Real *im) {
    const auto product = [&](std::ptrdiff_t c, Real *x) {
      const Real a = first.real() * re[c] - first.imag() * im[c];
      const Real b = first.real() * im[c] + first.imag() * re[c];
      const Real y = x[0] * a - x[1] * b;
      x[1] = x[0] * b + x[1] * a;
      x[0] = y;
    };
    auto *x = reinterpret_cast<Real *>(at);
    if (p.column_stride == 1 && p.fields == 1) {
      for (std::ptrdiff_t c = 0; c < columns; ++c)
        product(c, x + 2 * c);
      return;
    }
    for (std::ptrdiff_t c = 0; c < columns; ++c)
      for (std::ptrdiff_t f = 0; f < p.fields; ++f)
        product(c, x + 2 * (c * p.column_stride + f * p.field_stride));
  }

  std::unique_ptr<Pass> pass_;
  std::vector<MatrixPart>
      parts_; ///< parts of the matrix; the row stride of each is its larger stride
  Roots roots_;
  int threads_;
};

} // namespace

template <class Real>
std::unique_ptr<Pass> make_twiddled_pass(std::unique_ptr<Pass> pass, std::vector<MatrixPart> parts,
                                         std::ptrdiff_t n, int sign, const PassOptions &options) {
  return std::make_unique<TwiddledPass<Real>>(std::move(pass), std::move(parts), n, sign, options);
}

template std::unique_ptr<Pass> make_twiddled_pass<float>(std::unique_ptr<Pass>,
                                                         std::vector<MatrixPart>, std::ptrdiff_t,
                                                         int, const PassOptions &);
template std::unique_ptr<Pass> make_twiddled_pass<double>(std::unique_ptr<Pass>,
                                                          std::vector<MatrixPart>, std::ptrdiff_t,
                                                          int, const PassOptions &);

} // namespace hybridfft::local
