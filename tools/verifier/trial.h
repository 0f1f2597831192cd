/// Runs one problem on one communicator: local sizes, arrays, plans and executions, without checks.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <complex>
#include <vector>

#include "verifier/box.h"
#include "verifier/field.h"
#include "verifier/guarded.h"
#include "verifier/library.h"

namespace hybridfft::verifier {

/// The arrays of an execution: two arrays of `bytes` bytes, or one if it is in place.
template <class Real> struct Arrays {
  Arrays(const Problem &p, std::size_t bytes, Edge edge, std::size_t misalignment)
      : in_place(p.in_place), first(bytes, edge, misalignment),
        second(p.in_place ? 0 : bytes, edge, misalignment) {}
  Real *in() const { return reinterpret_cast<Real *>(first.data()); }
  Real *out() const { return reinterpret_cast<Real *>((in_place ? first : second).data()); }
  bool intact() const { return first.intact() && second.intact(); }

  bool in_place;
  Guarded first;
  Guarded second;
};

/// Results of local_size_* for both arrays of a problem.
struct LocalArrays {
  LocalRange in, out;
  std::ptrdiff_t elements = 0; ///< complex numbers to allocate for each array; -1: the call failed
};

/// Calls the function local_size_* for the problem. It takes one block size for each of the first
/// two axes. If both arrays are distributed along the same axis, they may have different block
/// sizes. The function is then called for each array, and the larger number of elements counts.
/// Collective.
template <class Real> LocalArrays local_arrays(const Problem &p, MPI_Comm comm) {
  using Api = Library<Real>;
  LocalRange a[2];
  if (p.transposed_in != p.transposed_out) {
    const std::ptrdiff_t block0 = p.transposed_in ? p.block_out : p.block_in;
    const std::ptrdiff_t block1 = p.transposed_in ? p.block_in : p.block_out;
    const std::ptrdiff_t n = Api::local_size(p, block0, block1, comm, a[0], a[1]);
    return {a[p.transposed_in ? 1 : 0], a[p.transposed_out ? 1 : 0], n};
  }
  const bool t = p.transposed_in;
  LocalRange b[2];
  const std::ptrdiff_t n_in =
      Api::local_size(p, t ? 0 : p.block_in, t ? p.block_in : 0, comm, a[0], a[1]);
  const std::ptrdiff_t n_out =
      Api::local_size(p, t ? 0 : p.block_out, t ? p.block_out : 0, comm, b[0], b[1]);
  return {a[t ? 1 : 0], b[t ? 1 : 0], n_in < 0 || n_out < 0 ? -1 : std::max(n_in, n_out)};
}

/// Sets the input of `a` to the values of a field, and all other numbers, including padding, to
/// NaN.
template <class Real> void fill(Arrays<Real> &a, const DataBox &box, const Field &field) {
  a.first.reset();
  a.second.reset();
  Real *to = a.in();
  box.for_each([&](std::ptrdiff_t offset, const Index &index, std::ptrdiff_t v) {
    const std::complex<double> value = field(index, v);
    if (box.real()) {
      to[offset] = static_cast<Real>(value.real());
    } else {
      to[2 * offset] = static_cast<Real>(value.real());
      to[2 * offset + 1] = static_cast<Real>(value.imag());
    }
  });
}

/// Returns the output of `a` in memory order, without padding.
template <class Real>
std::vector<std::complex<double>> result(Arrays<Real> &a, const DataBox &box) {
  const Real *from = a.out();
  std::vector<std::complex<double>> values;
  box.for_each([&](std::ptrdiff_t offset, const Index &, std::ptrdiff_t) {
    values.push_back(box.real() ? std::complex<double>(from[offset])
                                : std::complex<double>(from[2 * offset], from[2 * offset + 1]));
  });
  return values;
}

} // namespace hybridfft::verifier
