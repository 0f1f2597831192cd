// Plans of this library between slabs, by its C++ interface.
#include "scaling/hybridfft_peer.h"

namespace hybridfft::bench {

namespace {

template <class Real, Kind K> class HybridFftPeer final : public Peer {
  using In = typename Elements<Real, K>::In;
  using Out = typename Elements<Real, K>::Out;

public:
  using Peer::Peer;

  void plan(Effort effort) override {
    const Problem &p = problem();
    Options options{comm(),    p.direction, effort,      p.transposed_in, p.transposed_out,
                    p.howmany, p.block_in,  p.block_out, p.threads};
    options.kinds = p.kinds;
    const LocalSizes sizes = local_sizes<Real, K>(p.extents, options);
    make_arrays(sizes.in, sizes.out,
                std::max(sizes.allocate_in * sizeof(In), sizes.allocate_out * sizeof(Out)));
    plan_ = Plan<Real, K>(p.extents, {reinterpret_cast<In *>(in()), sizes.allocate_in},
                          {reinterpret_cast<Out *>(out()), sizes.allocate_out}, options);
  }

  void execute() override { plan_.execute(); }
  std::string describe() const override { return plan_.describe(); }
  std::optional<std::size_t> work_bytes() const override { return plan_.work_bytes(); }
  void set_profiling(bool on) override { plan_.set_profiling(on); }
  std::vector<hfft_stage_profile> profile() const override { return plan_.profile(); }

private:
  Plan<Real, K> plan_;
};

template <class Real> std::unique_ptr<Peer> make(const Problem &p, MPI_Comm comm) {
  switch (p.kind) {
  case Kind::r2c:
    return std::make_unique<HybridFftPeer<Real, Kind::r2c>>(p, comm);
  case Kind::c2r:
    return std::make_unique<HybridFftPeer<Real, Kind::c2r>>(p, comm);
  case Kind::r2r:
    return std::make_unique<HybridFftPeer<Real, Kind::r2r>>(p, comm);
  default:
    break;
  }
  return std::make_unique<HybridFftPeer<Real, Kind::c2c>>(p, comm);
}

} // namespace

std::unique_ptr<Peer> make_hybridfft_peer(const Problem &problem, MPI_Comm comm) {
  return problem.single ? make<float>(problem, comm) : make<double>(problem, comm);
}

} // namespace hybridfft::bench
