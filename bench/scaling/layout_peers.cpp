// Plans of this library between pencils and between bricks.
#include "scaling/layout_peers.h"

#include "base/mpi.h"
#include "hybridfft/pencils.hpp"

namespace hybridfft::bench {

namespace {

Layout::Options fields_of(const Problem &p) { return {{}, {}, p.howmany, Fields::interleaved}; }

/// Returns three factors of the number of ranks, as similar as possible, the smallest last.
std::vector<int> brick_grid(int ranks) {
  std::vector<int> best{ranks, 1, 1};
  for (int c = 1; c * c * c <= ranks; ++c)
    for (int b = c; ranks % c == 0 && b * b <= ranks / c; ++b)
      if (ranks / c % b == 0) best = {ranks / c / b, b, c};
  return best;
}

Pencils bricks(const Problem &p, int ranks) {
  const auto half = verifier::complex_extents(p);
  std::vector<int> parts(p.extents.size(), 1);
  const std::vector<int> grid = brick_grid(ranks);
  std::copy(grid.begin(), grid.end(), parts.begin());
  return {Layout::grid(p.extents, parts, fields_of(p)), Layout::grid(half, parts, fields_of(p))};
}

enum class Shape { pencils, bricks };

template <class Real, Kind K> class LayoutPeer final : public Peer {
  using In = typename Elements<Real, K>::In;
  using Out = typename Elements<Real, K>::Out;

public:
  LayoutPeer(const Problem &problem, MPI_Comm comm, Shape shape)
      : Peer(problem, comm), shape_(shape) {}

  void plan(Effort effort) override {
    const Problem &p = problem();
    Options options{comm(), p.direction, effort};
    options.howmany = p.howmany;
    options.threads = p.threads;
    const Pencils l = shape_ == Shape::bricks
                          ? bricks(p, mpi::size(comm()))
                          : pencils(p.extents, choose_grid<Real, K>(p.extents, options),
                                    K != Kind::c2c, fields_of(p));
    const bool backward = p.direction == Direction::backward;
    const Layout &in = backward ? l.spectrum : l.points;
    const Layout &out = backward ? l.points : l.spectrum;
    options.howmany = 1;
    const LocalSizes sizes = local_sizes<Real, K>(in, out, options);
    make_arrays(sizes.in, sizes.out,
                std::max(sizes.allocate_in * sizeof(In), sizes.allocate_out * sizeof(Out)));
    plan_ = Plan<Real, K>(in, out, {reinterpret_cast<In *>(this->in()), sizes.allocate_in},
                          {reinterpret_cast<Out *>(this->out()), sizes.allocate_out}, options);
  }

  void execute() override { plan_.execute(); }
  std::string describe() const override { return plan_.describe(); }
  std::optional<std::size_t> work_bytes() const override { return plan_.work_bytes(); }
  void set_profiling(bool on) override { plan_.set_profiling(on); }
  std::vector<hfft_stage_profile> profile() const override { return plan_.profile(); }

private:
  Shape shape_;
  Plan<Real, K> plan_;
};

template <class Real> std::unique_ptr<Peer> make(const Problem &p, MPI_Comm comm, Shape shape) {
  switch (p.kind) {
  case Kind::r2c:
    return std::make_unique<LayoutPeer<Real, Kind::r2c>>(p, comm, shape);
  case Kind::c2r:
    return std::make_unique<LayoutPeer<Real, Kind::c2r>>(p, comm, shape);
  default:
    break;
  }
  return std::make_unique<LayoutPeer<Real, Kind::c2c>>(p, comm, shape);
}

std::unique_ptr<Peer> make_any(Problem p, MPI_Comm comm, Shape shape) {
  // This peer has its own layouts and ignores those of the problem string.
  p.transposed_in = p.transposed_out = false;
  p.block_in = p.block_out = HFFT_DEFAULT_BLOCK;
  return p.single ? make<float>(p, comm, shape) : make<double>(p, comm, shape);
}

} // namespace

std::unique_ptr<Peer> make_pencil_peer(const Problem &p, MPI_Comm comm) {
  return make_any(p, comm, Shape::pencils);
}

std::unique_ptr<Peer> make_brick_peer(const Problem &p, MPI_Comm comm) {
  return make_any(p, comm, Shape::bricks);
}

std::string refuses_pencils(const Problem &p, int) {
  if (!p.kinds.empty()) return "kinds of axes are measured between slabs";
  return p.extents.size() < 3 ? "pencils of planes are slabs" : "";
}

std::string refuses_bricks(const Problem &p, int) {
  if (!p.kinds.empty()) return "kinds of axes are measured between slabs";
  return p.extents.size() < 3 ? "planes have no bricks" : "";
}

} // namespace hybridfft::bench
