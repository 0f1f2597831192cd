// Fills inputs by hashes of the logical index, and projects outputs on random signs that are
// hashes, too.
#include "scaling/data.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/mpi.h"
#include "base/threads.h"
#include "support/random_values.h"

namespace hybridfft::bench {

namespace {

constexpr std::uint64_t input_stream = 1;
constexpr std::uint64_t sign_stream = 2;

/// Returns the row-major position of an index in the full logical array.
std::uint64_t position(const Problem &p, std::span<const std::ptrdiff_t> index) {
  std::uint64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d)
    at = at * static_cast<std::uint64_t>(p.extents[d]) + static_cast<std::uint64_t>(index[d]);
  return at;
}

/// Returns the position of the index with -k, modulo the extents, in place of k along each axis
/// with a Fourier transform.
std::uint64_t mirrored_position(const Problem &p, std::span<const std::ptrdiff_t> index) {
  std::uint64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const std::ptrdiff_t n = p.extents[d];
    const bool fourier = p.kinds.empty() || p.kinds[d] == HFFT_DFT;
    at = at * static_cast<std::uint64_t>(n) +
         static_cast<std::uint64_t>(fourier ? (n - index[d]) % n : index[d]);
  }
  return at;
}

std::complex<double> random_value(std::uint64_t counter) {
  return {tools::uniform(input_stream, 2 * counter) - 0.5,
          tools::uniform(input_stream, 2 * counter + 1) - 0.5};
}

std::complex<double> input_value(const Problem &p, std::span<const std::ptrdiff_t> index,
                                 std::uint64_t component) {
  const auto howmany = static_cast<std::uint64_t>(p.howmany);
  const std::uint64_t here = position(p, index);
  if (p.kind != Kind::c2r) return random_value(here * howmany + component);
  const std::uint64_t there = mirrored_position(p, index);
  const std::complex<double> value = random_value(std::min(here, there) * howmany + component);
  return here == there ? value.real() : here < there ? value : std::conj(value);
}

/// Calls f(offset, index, component, thread) for all values of this rank, except padding, on as
/// many threads as the problem has.
template <class F> void for_each_value(const Problem &p, const LayoutView &view, const F &f) {
  const std::ptrdiff_t howmany = p.howmany;
  parallel_ranges(view.size() / howmany, p.threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                    std::vector<std::ptrdiff_t> index(p.extents.size());
                    for (std::ptrdiff_t point = first; point < last; ++point) {
                      if (!view.global(point * howmany, index)) continue;
                      for (std::ptrdiff_t v = 0; v < howmany; ++v)
                        f(point * howmany + v, index, v, thread);
                    }
                  });
}

template <class Real> void fill(const Peer &peer) {
  const Problem &p = peer.problem();
  auto *reals = reinterpret_cast<Real *>(peer.in());
  for_each_value(
      p, peer.input(),
      [&](std::ptrdiff_t offset, std::span<const std::ptrdiff_t> index, std::ptrdiff_t v, int) {
        const auto value = input_value(p, index, static_cast<std::uint64_t>(v));
        if (verifier::has_real_input(p)) {
          reals[offset] = static_cast<Real>(value.real());
        } else {
          reals[2 * offset] = static_cast<Real>(value.real());
          reals[2 * offset + 1] = static_cast<Real>(value.imag());
        }
      });
}

/// Adds up a few values at a time before adding to the total, so rounding stays far below a
/// transform's.
class Sums {
public:
  void add(std::complex<double> value, std::uint64_t signs) {
    norm_ += std::norm(value);
    for (std::size_t i = 0; i < Fingerprint::vectors; ++i)
      chunk_[i] += (signs >> i & 1U) != 0 ? value : -value;
    if (++count_ % 64 == 0) flush();
  }
  void flush() {
    for (std::size_t i = 0; i < Fingerprint::vectors; ++i) {
      total_[2 * i] += static_cast<long double>(chunk_[i].real());
      total_[2 * i + 1] += static_cast<long double>(chunk_[i].imag());
    }
    total_.back() += static_cast<long double>(norm_);
    chunk_.fill(0);
    norm_ = 0;
  }
  using Total = std::array<long double, 2 * Fingerprint::vectors + 1>;
  const Total &total() const { return total_; }

private:
  std::array<std::complex<double>, Fingerprint::vectors> chunk_{};
  double norm_ = 0;
  std::size_t count_ = 0;
  Total total_{};
};

template <class Real> Sums::Total local_sums(const Peer &peer) {
  const Problem &p = peer.problem();
  const auto *reals = reinterpret_cast<const Real *>(peer.out());
  std::vector<Sums> sums(static_cast<std::size_t>(p.threads));
  const auto howmany = static_cast<std::uint64_t>(p.howmany);
  for_each_value(
      p, peer.output(),
      [&](std::ptrdiff_t offset, std::span<const std::ptrdiff_t> index, std::ptrdiff_t v,
          int thread) {
        const std::complex<double> value =
            verifier::has_real_output(p)
                ? std::complex<double>(reals[offset])
                : std::complex<double>(reals[2 * offset], reals[2 * offset + 1]);
        const std::uint64_t at = position(p, index) * howmany + static_cast<std::uint64_t>(v);
        sums[static_cast<std::size_t>(thread)].add(value, tools::mix(at + (sign_stream << 60U)));
      });
  Sums::Total total{};
  for (Sums &s : sums) {
    s.flush();
    for (std::size_t i = 0; i < total.size(); ++i)
      total[i] += s.total()[i];
  }
  return total;
}

} // namespace

void fill_input(const Peer &peer) {
  if (peer.problem().single)
    fill<float>(peer);
  else
    fill<double>(peer);
}

Fingerprint fingerprint_output(const Peer &peer) {
  Sums::Total total = peer.problem().single ? local_sums<float>(peer) : local_sums<double>(peer);
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, total.data(), static_cast<int>(total.size()),
                           MPI_LONG_DOUBLE, MPI_SUM, peer.comm()),
             "MPI_Allreduce");
  Fingerprint f;
  for (std::size_t i = 0; i < Fingerprint::vectors; ++i)
    f.sums[i] = {static_cast<double>(total[2 * i]), static_cast<double>(total[2 * i + 1])};
  f.norm = std::sqrt(static_cast<double>(total.back()));
  return f;
}

double relative_difference(const Fingerprint &x, const Fingerprint &y) {
  double square = 0;
  for (std::size_t i = 0; i < Fingerprint::vectors; ++i)
    square += std::norm(x.sums[i] - y.sums[i]);
  return std::sqrt(square / Fingerprint::vectors) / y.norm;
}

} // namespace hybridfft::bench
