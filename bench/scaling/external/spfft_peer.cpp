// SpFFT as a peer: transforms from slabs to lines.
#include <spfft/spfft.hpp>

#include <algorithm>
#include <optional>

#include "base/mpi.h"
#include "scaling/external/peers.h"
#include "scaling/tuned_peer.h"

namespace hybridfft::bench {

namespace {

template <class Real> struct Types;
template <> struct Types<double> {
  using Grid = spfft::Grid;
  using Transform = spfft::Transform;
};
#ifdef SPFFT_SINGLE_PRECISION
template <> struct Types<float> {
  using Grid = spfft::GridFloat;
  using Transform = spfft::TransformFloat;
};
#endif

constexpr std::array exchanges{SPFFT_EXCH_COMPACT_BUFFERED, SPFFT_EXCH_BUFFERED,
                               SPFFT_EXCH_UNBUFFERED};
constexpr std::array exchange_names{"compact", "buffered", "unbuffered"};

/// Points are distributed as slabs along the first axis, and the spectrum as lines along this axis.
/// SpFFT is designed for sparse spectra; here the spectrum has all lines.
template <class Real> class SpfftPeer final : public TunedPeer {
  using Grid = typename Types<Real>::Grid;
  using Transform = typename Types<Real>::Transform;

public:
  using TunedPeer::TunedPeer;

  void execute() override {
    if (problem().direction == Direction::forward)
      transform_->forward(reinterpret_cast<const Real *>(in()), reinterpret_cast<Real *>(out()));
    else
      transform_->backward(reinterpret_cast<const Real *>(in()), reinterpret_cast<Real *>(out()));
  }

private:
  Values settings() const override {
    return {mpi::size(comm()) > 1 ? static_cast<int>(exchanges.size()) : 1};
  }

  void plan_with(const Values &values, Effort) override {
    const Problem &p = problem();
    const auto half = verifier::complex_extents(p);
    const int ranks = mpi::size(comm());
    const int rank = mpi::rank(comm());
    const BlockDistribution planes(p.extents[0], ranks, 0);
    const BlockDistribution rows(half[1], ranks, 0);
    const IndexBox points{{planes.start(rank), 0, 0},
                          {planes.count(rank), p.extents[1], p.extents[2]}};
    const IndexBox lines{{0, rows.start(rank), 0}, {half[0], rows.count(rank), half[2]}};
    std::vector<int> triplets;
    mpi::all_or_none(comm(), [&] { triplets = indices(lines); });
    const auto exchange = exchanges.at(static_cast<std::size_t>(values.front()));
    const auto x = static_cast<int>(p.extents[2]), y = static_cast<int>(p.extents[1]),
               z = static_cast<int>(p.extents[0]);
    const auto columns = static_cast<int>(lines.count[1] * lines.count[2]);
    const auto mine = static_cast<int>(points.count[0]);
    transform_.reset();
    Grid grid(x, y, z, columns, mine, SPFFT_PU_HOST, p.threads, comm(), exchange);
    transform_ = grid.create_transform(
        SPFFT_PU_HOST, p.kind == Kind::c2c ? SPFFT_TRANS_C2C : SPFFT_TRANS_R2C, x, y, z, mine,
        static_cast<int>(triplets.size() / 3), SPFFT_INDEX_TRIPLETS, triplets.data());
    const LayoutView slabs = gathered(p.extents, points, {0, 1, 2});
    const LayoutView spectrum = gathered(half, lines, {1, 2, 0});
    const bool forward = p.direction == Direction::forward;
    make_arrays_of(forward ? slabs : spectrum, forward ? spectrum : slabs, 0);
  }

  /// Returns x, y and z of all elements of this rank in memory order.
  static std::vector<int> indices(const IndexBox &lines) {
    std::vector<int> triplets;
    triplets.reserve(
        static_cast<std::size_t>(3 * lines.count[0] * lines.count[1] * lines.count[2]));
    for (std::ptrdiff_t y = 0; y < lines.count[1]; ++y)
      for (std::ptrdiff_t x = 0; x < lines.count[2]; ++x)
        for (std::ptrdiff_t z = 0; z < lines.count[0]; ++z)
          for (const std::ptrdiff_t at : {x, lines.start[1] + y, z})
            triplets.push_back(static_cast<int>(at));
    return triplets;
  }

  std::string in_words(const Values &values) const override {
    return std::string("with ") + exchange_names.at(static_cast<std::size_t>(values.front())) +
           " exchange";
  }

  const char *library() const override { return "SpFFT"; }

  std::optional<Transform> transform_;
};

} // namespace

std::unique_ptr<Peer> make_spfft_peer(const Problem &given, MPI_Comm comm) {
  Problem p = given;
  p.in_place = p.transposed_in = p.transposed_out = false;
#ifdef SPFFT_SINGLE_PRECISION
  if (p.single) return std::make_unique<SpfftPeer<float>>(p, comm);
#endif
  return std::make_unique<SpfftPeer<double>>(p, comm);
}

std::string refuses_spfft(const Problem &p, int) {
#ifndef SPFFT_SINGLE_PRECISION
  if (p.single) return "it was built for double precision";
#endif
  return refuses_other_than_one_field_in_3d(p);
}

} // namespace hybridfft::bench
