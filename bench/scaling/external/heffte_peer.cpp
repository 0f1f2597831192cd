// heFFTe as a peer: transforms between pencils, with its fastest options.
#include <heffte.h>

#include <algorithm>
#include <complex>

#include "base/mpi.h"
#include "scaling/external/grid_peer.h"
#include "scaling/external/peers.h"

namespace hybridfft::bench {

namespace {

/// heFFTe's indices have 32 bits by default, and its axes are numbered from the fastest in memory.
using Box = heffte::box3d<>;
using Order = std::array<int, 3>;

constexpr Order x_fastest{0, 1, 2};
constexpr Order z_fastest{2, 0, 1};

constexpr std::array algorithms{
    heffte::reshape_algorithm::alltoallv, heffte::reshape_algorithm::alltoall,
    heffte::reshape_algorithm::p2p_plined, heffte::reshape_algorithm::p2p};
constexpr std::array algorithm_names{"alltoallv", "alltoall", "p2p_plined", "p2p"};

Box box_of(const std::vector<std::ptrdiff_t> &n, const Order &order) {
  return {{0, 0, 0},
          {static_cast<int>(n[2]) - 1, static_cast<int>(n[1]) - 1, static_cast<int>(n[0]) - 1},
          order};
}

IndexBox index_box_of(const Box &box) {
  return {{box.low[2], box.low[1], box.low[0]}, {box.size[2], box.size[1], box.size[0]}};
}

/// Transforms between pencils along the last axis and pencils along the first. These are the
/// layouts between which heFFTe works internally, so it redistributes nothing before and after.
template <class Real, bool Halved> class HefftePeer final : public TunedPeer {
  using Complex = std::complex<Real>;
  using In = std::conditional_t<Halved, Real, Complex>;
  using Transform = std::conditional_t<Halved, heffte::fft3d_r2c<heffte::backend::fftw>,
                                       heffte::fft3d<heffte::backend::fftw>>;

public:
  using TunedPeer::TunedPeer;

  void execute() override {
    if (problem().direction == Direction::forward)
      transform_->forward(reinterpret_cast<const In *>(in()), reinterpret_cast<Complex *>(out()),
                          work_.data());
    else
      transform_->backward(reinterpret_cast<const Complex *>(in()), reinterpret_cast<In *>(out()),
                           work_.data());
  }

  std::optional<std::size_t> work_bytes() const override { return work_.size() * sizeof(Complex); }

private:
  enum Setting { grid, algorithm, reorder, decomposition, order, count };

  Values settings() const override {
    Values values(Setting::count, 2);
    values[Setting::grid] = static_cast<int>(grids().size());
    values[Setting::algorithm] = static_cast<int>(algorithms.size());
    return values;
  }

  /// Returns the process grids with data on every rank.
  std::vector<ProcessGrid> grids() const {
    const auto half = verifier::complex_extents(problem());
    std::vector<ProcessGrid> list;
    for (const ProcessGrid &g : process_grids(mpi::size(comm())))
      if (g[0] <= std::min(half[0], half[1]) && g[1] <= std::min(half[1], half[2]))
        list.push_back(g);
    return list;
  }

  void plan_with(const Values &values, Effort) override {
    const auto half = verifier::complex_extents(problem());
    const ProcessGrid g = grids().at(index(values[Setting::grid]));
    const bool along_z = values[Setting::order] == 1;
    const Order &spectrum_order = along_z ? z_fastest : x_fastest;
    const auto rank = index(mpi::rank(comm()));
    const Box points =
        heffte::split_world(box_of(problem().extents, x_fastest), {1, g[1], g[0]}).at(rank);
    const Box spectrum =
        heffte::split_world(box_of(half, spectrum_order), {g[1], g[0], 1}).at(rank);
    heffte::plan_options options(values[Setting::reorder] == 0,
                                 algorithms.at(index(values[Setting::algorithm])),
                                 values[Setting::decomposition] == 0);
    transform_.reset();
    if constexpr (Halved)
      transform_ = std::make_unique<Transform>(points, spectrum, 0, comm(), options);
    else
      transform_ = std::make_unique<Transform>(points, spectrum, comm(), options);
    work_.resize(transform_->size_workspace());
    const LayoutView real_side = gathered(problem().extents, index_box_of(points), {0, 1, 2});
    const LayoutView other =
        gathered(half, index_box_of(spectrum),
                 along_z ? std::vector<int>{1, 2, 0} : std::vector<int>{0, 1, 2});
    const bool forward = problem().direction == Direction::forward;
    make_arrays_of(forward ? real_side : other, forward ? other : real_side, 0);
  }

  std::string in_words(const Values &values) const override {
    return bench::in_words(grids().at(index(values[Setting::grid]))) + ", " +
           algorithm_names.at(index(values[Setting::algorithm])) + ", " +
           (values[Setting::reorder] == 0 ? "reordering" : "with strides") + ", between " +
           (values[Setting::decomposition] == 0 ? "pencils" : "slabs");
  }

  const char *library() const override { return "heFFTe"; }

  static std::size_t index(int value) { return static_cast<std::size_t>(value); }

  std::unique_ptr<Transform> transform_;
  std::vector<Complex> work_;
};

template <class Real> std::unique_ptr<Peer> make(const Problem &p, MPI_Comm comm) {
  if (p.kind == Kind::c2c) return std::make_unique<HefftePeer<Real, false>>(p, comm);
  return std::make_unique<HefftePeer<Real, true>>(p, comm);
}

} // namespace

std::unique_ptr<Peer> make_heffte_peer(const Problem &given, MPI_Comm comm) {
  Problem p = given;
  p.in_place = p.transposed_in = p.transposed_out = false;
  return p.single ? make<float>(p, comm) : make<double>(p, comm);
}

std::string refuses_heffte(const Problem &p, int) { return refuses_other_than_one_field_in_3d(p); }

} // namespace hybridfft::bench
