/// Computes pruned transforms by their definition: sums over points or modes, axis by axis, in
/// extended precision. It suits small arrays, because every rank has the complete array.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <numbers>
#include <type_traits>
#include <vector>

namespace hybridfft::test {

using Extents = std::vector<std::ptrdiff_t>;
using Exact = std::complex<long double>;

/// Rounds an exact value to a real or complex number type of a transform.
template <class T> T cast(const Exact &v) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(v.real());
  else
    return {static_cast<typename T::value_type>(v.real()),
            static_cast<typename T::value_type>(v.imag())};
}

/// The frequency of mode i of `modes`, and true if a transform of n points retains this mode.
struct Mode {
  std::ptrdiff_t frequency;
  bool kept;
};
inline Mode mode(std::ptrdiff_t i, std::ptrdiff_t modes, std::ptrdiff_t n) {
  return {2 * i > modes ? i - modes : i, modes == n || 2 * i != modes};
}

/// A row-major array.
struct Field {
  Extents extents;
  std::vector<Exact> values;

  std::size_t offset(const Extents &index) const {
    std::ptrdiff_t at = 0;
    for (std::size_t a = 0; a < extents.size(); ++a)
      at = at * extents[a] + index[a];
    return static_cast<std::size_t>(at);
  }
  const Exact &at(const Extents &index) const { return values[offset(index)]; }
  long double norm() const {
    long double sum = 0;
    for (const Exact &v : values)
      sum += std::norm(v);
    return std::sqrt(sum);
  }
};

/// Makes an array whose value at each index is f(index).
inline Field make_field(const Extents &extents, const std::function<Exact(const Extents &)> &f) {
  Field field{extents, {}};
  Extents index(extents.size(), 0);
  std::ptrdiff_t points = 1;
  for (const std::ptrdiff_t n : extents)
    points *= n;
  for (std::ptrdiff_t p = 0; p < points; ++p) {
    field.values.push_back(f(index));
    for (std::size_t a = extents.size(); a-- > 0 && ++index[a] == extents[a];)
      index[a] = 0;
  }
  return field;
}

/// Multiplies along an axis by the matrix factor(new, old) with `to` rows; the axis then has `to`
/// points.
inline Field along(const Field &from, std::size_t axis, std::ptrdiff_t to,
                   const std::function<Exact(std::ptrdiff_t, std::ptrdiff_t)> &factor) {
  Extents extents = from.extents;
  extents[axis] = to;
  const std::ptrdiff_t old = from.extents[axis];
  std::vector<Exact> factors;
  for (std::ptrdiff_t i = 0; i < to; ++i)
    for (std::ptrdiff_t j = 0; j < old; ++j)
      factors.push_back(factor(i, j));
  return make_field(extents, [&](Extents index) {
    const std::ptrdiff_t i = index[axis];
    Exact sum = 0;
    for (std::ptrdiff_t j = 0; j < old; ++j) {
      index[axis] = j;
      sum += factors[static_cast<std::size_t>(i * old + j)] * from.at(index);
    }
    return sum;
  });
}

inline Exact wave(std::ptrdiff_t frequency, std::ptrdiff_t point, std::ptrdiff_t n, int sign) {
  const auto turn = static_cast<long double>(frequency * point % n) / static_cast<long double>(n);
  return std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * turn);
}

/// Computes modes from points; if the points are real, only half of the modes along the last axis.
inline Field forward(const Field &points, const Extents &modes, bool real) {
  Field f = points;
  for (std::size_t a = 0; a < modes.size(); ++a) {
    const std::ptrdiff_t n = points.extents[a];
    const std::ptrdiff_t m = modes[a];
    const bool half = real && a + 1 == modes.size();
    f = along(f, a, half ? m / 2 + 1 : m, [&](std::ptrdiff_t i, std::ptrdiff_t x) {
      const Mode k = mode(i, m, n);
      return k.kept ? wave(k.frequency, x, n, -1) : Exact(0);
    });
  }
  return f;
}

/// Computes points from modes. If `real`, the conjugates of the given half spectrum complete it.
inline Field backward(const Field &spectrum, const Extents &modes, const Extents &n, bool real) {
  Field f = spectrum;
  for (std::size_t a = 0; a < modes.size(); ++a) {
    const bool half = real && a + 1 == modes.size();
    f = along(f, a, n[a], [&](std::ptrdiff_t x, std::ptrdiff_t i) {
      const Mode k = mode(i, modes[a], n[a]);
      const long double weight = half && i != 0 && 2 * i != n[a] ? 2 : 1;
      return k.kept ? weight * wave(k.frequency, x, n[a], 1) : Exact(0);
    });
  }
  for (Exact &v : f.values)
    if (real) v = v.real();
  return f;
}

} // namespace hybridfft::test
