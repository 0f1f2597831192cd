/// Bases: the extension of a block's lines to periods that a Fourier transform of their own can
/// differentiate: the points of the block, then a gap that leads from its end back to its
/// beginning.
///
/// Sources: Jaros, Vaverka and Treeby 2016, section 2.3, for the bell; Boyd for its shape.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hybridfft::lfb {

/// A basis along one axis. The gap is a combination of the block's own points near both ends and of
/// the numbers that the neighbours send of theirs: gap = own coefficients x own points + received
/// coefficients x received numbers, mirrored alike for both sides.
class Basis {
public:
  enum class Kind {
    bell,        ///< the neighbour's points times a rising edge; own points do not matter
    continuation ///< the best combination for lines of a given power spectrum
  };

  /// Reads "erf:16", "ls:8", "opt:16" or "mom:6/32". Throws Error(HFFT_ERROR_ARGUMENT) that lists
  /// the bases.
  static Basis read(const std::string &text);
  /// The neighbours' points as they are, `overlap` >= 1 of them, and half of the last one: for
  /// operators whose kernels end within these. The half takes the tail that a kernel has at the
  /// Nyquist mode, of alternating sign, off on average. No point of a block depends on points
  /// beyond the gap, which has to be the full one.
  static Basis points(std::ptrdiff_t overlap);

  /// The text that read() reads.
  const std::string &name() const { return name_; }
  Kind kind() const { return kind_; }
  /// Number of the neighbour's points, from the cut on, that the gap depends on.
  std::ptrdiff_t overlap() const { return overlap_; }
  /// Numbers that a neighbour sends for each line: its points, or moments of them.
  std::ptrdiff_t numbers() const { return numbers_; }
  /// Own points at each end that the gap depends on.
  std::ptrdiff_t own() const { return own_; }
  /// Points that a gap has by default, between the last point of the block and its first one in the
  /// next period.
  std::ptrdiff_t gap() const { return gap_; }
  /// Fewest points of a gap: the two tails of a bell may lie over each other, and add.
  std::ptrdiff_t least_gap() const { return least_gap_; }
  /// Fewest points of a block: neighbours send of their own points only.
  std::ptrdiff_t least_block() const { return overlap_ > own_ ? overlap_ : own_; }

  /// Columns of coefficients().
  std::ptrdiff_t columns() const { return 2 * own_ + 2 * numbers_; }

  /// Matrix of numbers() x overlap() from the points beyond a cut, the nearest one first, to the
  /// numbers sent. Empty when the points themselves are sent.
  std::span<const double> moments() const { return moments_; }
  /// gap x columns(), which are 2 own() + 2 numbers(): for the own points before the gap,
  /// ascending; for the own points after it, ascending; for the numbers from beyond the gap's near
  /// end; and from beyond its far end. Throws Error(HFFT_ERROR_ARGUMENT) for a gap that the basis
  /// cannot fill.
  std::vector<double> coefficients(std::ptrdiff_t gap) const;

private:
  Basis() = default;
  void set_bell(std::span<const double> rising);
  std::vector<double> bell_coefficients(std::ptrdiff_t gap) const;
  std::vector<double> continuation_coefficients() const;

  std::string name_;
  Kind kind_ = Kind::bell;
  std::ptrdiff_t overlap_ = 0, numbers_ = 0, own_ = 0, gap_ = 0, least_gap_ = 0;
  std::vector<double> rising_; ///< edge of a bell
  std::span<const double> moments_, first_half_;
};

/// The rising edge of the bell (1 + erf(2 x / sqrt(1 - x^2))) / 2 at h points from x = -1 to x = 1,
/// both included: 0 at the outermost point, 1 at the block. h >= 2.
std::vector<double> erf_bell(std::ptrdiff_t h);

} // namespace hybridfft::lfb
