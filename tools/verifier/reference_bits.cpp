// Runs a deterministic transform on MPI_COMM_SELF and returns its values in logical order.
#include "verifier/reference_bits.h"

#include <bit>
#include <cstdint>

#include "verifier/placement.h"

namespace hybridfft::verifier {

namespace {

/// Returns the same problem with both arrays on one rank.
LayoutProblem on_one_rank(const LayoutProblem &p) {
  LayoutProblem one = p;
  one.base.in_place = false;
  for (LayoutSpec *l : {&one.in, &one.out}) {
    *l = {};
    for (std::size_t a = 0; a < p.base.extents.size(); ++a)
      l->parts.push_back({static_cast<int>(a), 1, 0});
  }
  return one;
}

template <class Real, Kind K>
std::vector<std::complex<double>> values(const LayoutProblem &p, const Field &field) {
  const LayoutProblem one = on_one_rank(p);
  Options options;
  options.comm = MPI_COMM_SELF;
  options.direction = p.base.direction;
  options.effort = Effort::estimate;
  options.threads = 1;
  options.deterministic = true;
  options.axes = p.axes;
  options.redistribute_only = p.axes.empty();
  const Layout from = library_layout(one, ArraySide::in, 1);
  const Layout to = library_layout(one, ArraySide::out, 1);
  const LocalSizes sizes = local_sizes<Real, K>(from, to, options);
  Buffer<typename Elements<Real, K>::In> in(sizes.allocate_in);
  Buffer<typename Elements<Real, K>::Out> out(sizes.allocate_out);
  Plan<Real, K> plan(from, to, in, out, options);
  Placement(one, ArraySide::in, 1, 0)
      .for_each([&](std::ptrdiff_t offset, const Index &index, std::ptrdiff_t v) {
        const std::complex<double> value = field(index, v);
        if constexpr (K == Kind::r2c)
          in[offset] = static_cast<Real>(value.real());
        else
          in[offset] = {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
      });
  plan.execute();
  std::vector<std::complex<double>> result;
  for (const auto &value : out)
    result.emplace_back(value);
  return result;
}

template <class Real>
std::vector<std::complex<double>> values(const LayoutProblem &p, const Field &field) {
  switch (p.base.kind) {
  case Kind::r2c:
    return values<Real, Kind::r2c>(p, field);
  case Kind::c2r:
    return values<Real, Kind::c2r>(p, field);
  default:
    break;
  }
  return values<Real, Kind::c2c>(p, field);
}

} // namespace

std::vector<std::complex<double>> bits_of_one_rank(const LayoutProblem &p, const Field &field) {
  return p.base.single ? values<float>(p, field) : values<double>(p, field);
}

std::size_t position_of_bits(const LayoutProblem &p, const Index &index, std::ptrdiff_t component) {
  const std::vector<std::ptrdiff_t> n = extents(p, p.base.kind == Kind::c2r);
  std::ptrdiff_t at = 0;
  for (std::size_t a = 0; a < n.size(); ++a)
    at = at * n[a] + index[a];
  return static_cast<std::size_t>(at * p.base.howmany + component);
}

bool same_bits(std::complex<double> a, std::complex<double> b) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return bits(a.real()) == bits(b.real()) && bits(a.imag()) == bits(b.imag());
}

} // namespace hybridfft::verifier
