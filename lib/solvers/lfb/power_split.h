/// Splits a power of the wave number, |k|^s, into a local and a smooth part. A block computes the
/// local part with few points of its neighbours; a coarse grid represents the smooth part.
#pragma once

namespace hybridfft::lfb {

/// Splitting of |k|^s, the multiplier of fractional Laplacians: k^(y-2) and k^(y-1) of power-law
/// absorption (Treeby and Cox, J. Acoust. Soc. Am. 127 (2010) 2741, eqs. 9 and 10). It follows
/// Ewald's splitting of the Coulomb potential (Ann. Phys. 369 (1921) 253). With a = m - s/2 > 0 for
/// an integer m >= 0,
///   |k|^s = |k|^(2m) / Gamma(a) * integral over t from 0 to infinity of t^(a-1) exp(-k^2 t).
/// The integral is divided at t = T = length^2:
///   local(k)  = |k|^s P(a, k^2 T)  from t < T: a sum of Gaussians no wider than exp(-r^2 / 4 T),
///   smooth(k) = |k|^s Q(a, k^2 T)  from t > T: decays as exp(-k^2 T).
/// P and Q are the regularised incomplete gamma functions (DLMF 8.2.4). The local part is an entire
/// function of k^2. For s < 0, |0|^s is defined as 0: the local part is finite at k = 0, and the
/// smooth part cancels it. Even powers of k have no smooth part.
class PowerSplit {
public:
  /// \param exponent s > -2
  /// \param length   length parameter > 0, in the unit of 1/k
  PowerSplit(double exponent, double length);

  /// Return the two parts for k >= 0.
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
