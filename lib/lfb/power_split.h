/// A power of the wave number as the sum of a part that a block can compute with few points of its
/// neighbours and a smooth one that a coarse grid can hold.
#pragma once

namespace hybridfft::lfb {

/// |k|^s for a field's Laplacian terms (k^(y-2) and k^(y-1) of power-law absorption; Treeby and
/// Cox, J. Acoust. Soc. Am. 127 (2010) 2741, eqs. 9 and 10), split as Ewald split the Coulomb
/// potential (Ann. Phys. 369 (1921) 253). With a > 0, a = -s/2 or more by an integer m,
///   |k|^s = |k|^(2m) / Gamma(a) * integral over t from 0 to infinity of t^(a-1) exp(-k^2 t),
/// and the integral is cut at t = T = length^2:
///   local(k)  = |k|^s P(a, k^2 T)  from t < T: a sum of Gaussians no wider than exp(-r^2 / 4 T),
///   smooth(k) = |k|^s Q(a, k^2 T)  from t > T: decays as exp(-k^2 T),
/// P and Q the regularised incomplete gamma functions (DLMF 8.2.4). The local part is an entire
/// function of k^2; at k = 0, where |k|^s counts as 0 for s < 0, it stays finite and the smooth
/// part takes it off. A power of k^2 is local as it is.
class PowerSplit {
public:
  /// \param exponent s > -2
  /// \param length   in the unit of 1/k, > 0
  PowerSplit(double exponent, double length);

  /// k >= 0.
  double local(double k) const;
  double smooth(double k) const;

private:
  double whole(double k) const;
  double small(double k) const;
  double upper(double x) const;

  double s_, t_, a_;
  double m_ = 0;
  bool power_of_square_;
};

} // namespace hybridfft::lfb
