#include "solvers/lfb/basis.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "base/error.h"

namespace hybridfft::lfb {

namespace {

#include "solvers/lfb/basis_tables.inc"

/// Tabulated rising edge of a bell.
struct Bell {
  std::string_view name;
  std::span<const double> rising;
};

constexpr std::array<Bell, 10> least_squares_bells{{{"ls:4", ls_4},
                                                    {"ls:6", ls_6},
                                                    {"ls:8", ls_8},
                                                    {"ls:10", ls_10},
                                                    {"ls:12", ls_12},
                                                    {"ls:16", ls_16},
                                                    {"ls:20", ls_20},
                                                    {"ls:24", ls_24},
                                                    {"ls:28", ls_28},
                                                    {"ls:32", ls_32}}};

/// Tabulated continuation. Lengths are numbers of points or values, as in Basis.
struct Continuation {
  std::string_view name;
  std::ptrdiff_t overlap, numbers, gap, own;
  std::span<const double> moments, first_half;
};

constexpr std::array<Continuation, 5> continuations{
    {{"opt:8", 8, 8, 16, 16, {}, opt_8_continuation},
     {"opt:16", 16, 16, 32, 16, {}, opt_16_continuation},
     {"mom:4/16", 16, 4, 32, 16, mom_4_16_moments, mom_4_16_continuation},
     {"mom:6/32", 32, 6, 32, 16, mom_6_32_moments, mom_6_32_continuation},
     {"mom:8/64", 64, 8, 32, 32, mom_8_64_moments, mom_8_64_continuation}}};

[[noreturn]] void refuse(const std::string &text) {
  std::string known = "erf:2 to erf:256";
  for (const Bell &bell : least_squares_bells)
    known += ", " + std::string(bell.name);
  for (const Continuation &continuation : continuations)
    known += ", " + std::string(continuation.name);
  throw Failure(HFFT_ERROR_ARGUMENT, "found the basis '" + text + "', expected one of " + known);
}

/// Returns the overlap of an "erf:" basis, or 0 for another name.
std::ptrdiff_t erf_overlap(const std::string &text) {
  constexpr std::string_view prefix = "erf:";
  constexpr std::ptrdiff_t least = 2, most = 256;
  if (text.compare(0, prefix.size(), prefix) != 0) return 0;
  std::ptrdiff_t h = 0;
  const char *end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + prefix.size(), end, h);
  return error == std::errc() && last == end && h >= least && h <= most ? h : 0;
}

} // namespace

std::vector<double> erf_bell(std::ptrdiff_t h) {
  constexpr double steepness = 2;
  std::vector<double> rising(static_cast<std::size_t>(h));
  for (std::ptrdiff_t j = 0; j < h; ++j) {
    const double x = -1 + 2 * static_cast<double>(j) / static_cast<double>(h - 1);
    const double edge = j == 0 ? 0 : j == h - 1 ? 1 : -1;
    rising[static_cast<std::size_t>(j)] =
        edge >= 0 ? edge : 0.5 * (1 + std::erf(steepness * x / std::sqrt(1 - x * x)));
  }
  return rising;
}

void Basis::set_bell(std::span<const double> rising) {
  rising_.assign(rising.begin(), rising.end());
  overlap_ = numbers_ = static_cast<std::ptrdiff_t>(rising.size());
  gap_ = 2 * overlap_;
  min_gap_ = overlap_;
}

std::vector<double> Basis::bell_coefficients(std::ptrdiff_t gap) const {
  const std::ptrdiff_t h = overlap_;
  std::vector<double> all(static_cast<std::size_t>(gap * 2 * h), 0);
  for (std::ptrdiff_t j = 0; j < h; ++j) {
    // j counts from the cut, and the rising edge ends at the cut.
    const double value = rising_[static_cast<std::size_t>(h - 1 - j)];
    all[static_cast<std::size_t>(j * 2 * h + j)] = value;
    all[static_cast<std::size_t>((gap - 1 - j) * 2 * h + h + j)] = value;
  }
  return all;
}

std::vector<double> Basis::continuation_coefficients() const {
  const std::ptrdiff_t columns = this->columns();
  std::vector<double> all(first_half_.begin(), first_half_.end());
  all.resize(static_cast<std::size_t>(gap_ * columns));
  // The second half of the rows mirrors the first half, with both sides exchanged.
  for (std::ptrdiff_t g = gap_ / 2; g < gap_; ++g) {
    const double *mirrored = all.data() + (gap_ - 1 - g) * columns;
    double *row = all.data() + g * columns;
    for (std::ptrdiff_t c = 0; c < 2 * own_; ++c)
      row[c] = mirrored[2 * own_ - 1 - c];
    for (std::ptrdiff_t c = 0; c < numbers_; ++c) {
      row[2 * own_ + c] = mirrored[2 * own_ + numbers_ + c];
      row[2 * own_ + numbers_ + c] = mirrored[2 * own_ + c];
    }
  }
  return all;
}

std::vector<double> Basis::coefficients(std::ptrdiff_t gap) const {
  const bool bell = kind_ == GapRule::bell;
  if (bell ? gap < min_gap() : gap != gap_)
    throw Failure(HFFT_ERROR_ARGUMENT, "the basis " + name_ + " cannot fill a gap of " +
                                           std::to_string(gap) + " points, expected " +
                                           std::to_string(min_gap()) + (bell ? " or more" : ""));
  return bell ? bell_coefficients(gap) : continuation_coefficients();
}

Basis Basis::read(const std::string &text) {
  Basis basis;
  basis.name_ = text;
  if (const std::ptrdiff_t h = erf_overlap(text); h > 0) {
    basis.set_bell(erf_bell(h));
    return basis;
  }
  for (const Bell &bell : least_squares_bells)
    if (bell.name == text) {
      basis.set_bell(bell.rising);
      return basis;
    }
  for (const Continuation &c : continuations)
    if (c.name == text) {
      basis.kind_ = GapRule::continuation;
      basis.overlap_ = c.overlap;
      basis.numbers_ = c.numbers;
      basis.gap_ = basis.min_gap_ = c.gap;
      basis.own_ = c.own;
      basis.moments_ = c.moments;
      basis.first_half_ = c.first_half;
      return basis;
    }
  refuse(text);
}

Basis Basis::points(std::ptrdiff_t overlap) {
  Basis basis;
  basis.name_ = "points:" + std::to_string(overlap);
  std::vector<double> rising(static_cast<std::size_t>(overlap), 1);
  rising.front() = 0.5;
  basis.set_bell(rising);
  basis.min_gap_ = basis.gap_;
  return basis;
}

} // namespace hybridfft::lfb
