/// Bases of the local Fourier method. They extend the lines of a block to periods: the points of
/// the block, then a gap that leads smoothly from its end back to its beginning. Each block then
/// differentiates its lines by its own Fourier transform, and exchanges only a few values with its
/// neighbours. This avoids the all-to-all exchange of a global transform, at the cost of a small
/// error.
///
/// Sources: Jaros, Vaverka and Treeby 2016, section 2.3, for the bell; Boyd for its shape.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hybridfft::lfb {

/// Basis along one axis. The gap is a linear combination of the block's own points near both ends
/// and of values received from the neighbours: gap = own coefficients x own points + received
/// coefficients x received values. The coefficients of both sides mirror each other.
class Basis {
public:
  enum class GapRule {
    bell,        ///< neighbour's points times a rising edge; no own points
    continuation ///< combination with the least mean square error for lines of a given power
                 ///< spectrum
  };

  /// Makes a basis from its name, such as "erf:16", "ls:8", "opt:16" or "mom:6/32".
  /// \throws Error(HFFT_ERROR_ARGUMENT) with a list of all names
  static Basis read(const std::string &text);
  /// Makes a basis whose gap contains `overlap` >= 1 points of each neighbour, unchanged, except
  /// that the farthest point has the weight 1/2. It suits operators whose kernels have a radius of
  /// at most `overlap` points. The Nyquist mode adds a tail of alternating sign to a kernel; the
  /// weight 1/2 cancels the tail on average. The gap must have at least its default size, so that
  /// the points of both neighbours do not overlap.
  static Basis points(std::ptrdiff_t overlap);

  /// Name accepted by read().
  const std::string &name() const { return name_; }
  GapRule kind() const { return kind_; }
  /// Number of a neighbour's points, counted from the face between both blocks (the cut), that
  /// influence the gap.
  std::ptrdiff_t overlap() const { return overlap_; }
  /// Number of values sent by a neighbour per line: its points, or moments of them.
  std::ptrdiff_t numbers() const { return numbers_; }
  /// Number of own points at each end that influence the gap.
  std::ptrdiff_t own() const { return own_; }
  /// Default number of points between the block's last point and its first one in the next period.
  std::ptrdiff_t gap() const { return gap_; }
  /// Minimum number of points of a gap. It is smaller than gap() for bells: in short gaps the edges
  /// from both neighbours overlap, and their values are added.
  std::ptrdiff_t min_gap() const { return min_gap_; }
  /// Minimum number of points of a block. The block must have all its points that influence a
  /// neighbour's gap or its own gap.
  std::ptrdiff_t min_block() const { return overlap_ > own_ ? overlap_ : own_; }

  /// Number of columns of coefficients().
  std::ptrdiff_t columns() const { return 2 * own_ + 2 * numbers_; }

  /// Matrix of numbers() x overlap(), row-major. It maps the points beyond a cut, the nearest one
  /// first, to the sent values. Empty if points are sent.
  std::span<const double> moments() const { return moments_; }
  /// Matrix of the gap, gap x columns(), row-major. Its columns are, in this order: own() points
  /// before the gap, ascending; own() points after the gap, ascending; numbers() values received
  /// from the neighbour above, where the gap begins; numbers() values received from the neighbour
  /// below, where it ends.
  /// \throws Error(HFFT_ERROR_ARGUMENT) for a gap not supported by the basis
  std::vector<double> coefficients(std::ptrdiff_t gap) const;

private:
  Basis() = default;
  void set_bell(std::span<const double> rising);
  std::vector<double> bell_coefficients(std::ptrdiff_t gap) const;
  std::vector<double> continuation_coefficients() const;

  std::string name_;
  GapRule kind_ = GapRule::bell;
  std::ptrdiff_t overlap_ = 0, numbers_ = 0, own_ = 0, gap_ = 0, min_gap_ = 0;
  std::vector<double> rising_; ///< rising edge of a bell
  std::span<const double> moments_, first_half_;
};

/// Returns the rising edge of the bell, (1 + erf(2 x / sqrt(1 - x^2))) / 2, at h >= 2 points from x
/// = -1 to x = 1, both included. It is 0 at the outermost point and 1 at the block.
std::vector<double> erf_bell(std::ptrdiff_t h);

} // namespace hybridfft::lfb
