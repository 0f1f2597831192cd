// PFFT as a peer: transforms on the process grid where it is fastest.
#include "scaling/external/peers.h"

#include <pfft.h>

#include <stdexcept>

#include "base/mpi.h"
#include "scaling/external/grid_peer.h"

namespace hybridfft::bench {

namespace {

template <class Real> struct Api;

#define HFFT_BENCH_PFFT_API(R, X)                                                                  \
  template <> struct Api<R> {                                                                      \
    using Plan = X(plan);                                                                          \
    using Complex = X(complex);                                                                    \
    static constexpr auto init = X(init);                                                          \
    static constexpr auto mesh = X(create_procmesh_2d);                                            \
    static constexpr auto execute = X(execute);                                                    \
    static constexpr auto destroy = X(destroy_plan);                                               \
    static constexpr auto size_c2c = X(local_size_dft_3d);                                         \
    static constexpr auto size_r2c = X(local_size_dft_r2c_3d);                                     \
    static constexpr auto size_c2r = X(local_size_dft_c2r_3d);                                     \
    static constexpr auto c2c = X(plan_dft_3d);                                                    \
    static constexpr auto r2c = X(plan_dft_r2c_3d);                                                \
    static constexpr auto c2r = X(plan_dft_c2r_3d);                                                \
  };
#define HFFT_BENCH_DOUBLE(name) pfft_##name
#define HFFT_BENCH_SINGLE(name) pfftf_##name
HFFT_BENCH_PFFT_API(double, HFFT_BENCH_DOUBLE)
#ifdef HFFT_BENCH_PFFTF
HFFT_BENCH_PFFT_API(float, HFFT_BENCH_SINGLE)
#endif
#undef HFFT_BENCH_DOUBLE
#undef HFFT_BENCH_SINGLE
#undef HFFT_BENCH_PFFT_API

unsigned effort_flag(Effort effort) {
  switch (effort) {
  case Effort::estimate:
    return PFFT_ESTIMATE;
  case Effort::patient:
    return PFFT_PATIENT;
  case Effort::exhaustive:
    return PFFT_EXHAUSTIVE;
  case Effort::measure:
    break;
  }
  return PFFT_MEASURE;
}

template <class Real> class PfftPeer final : public GridPeer {
  using A = Api<Real>;
  using Complex = typename A::Complex;

public:
  PfftPeer(const Problem &problem, MPI_Comm comm) : GridPeer(problem, comm) { A::init(); }
  ~PfftPeer() override { clear(); }

  void execute() override { A::execute(plan_); }

private:
  void plan_on(const ProcessGrid &grid, Effort effort) override {
    clear();
    if (A::mesh(comm(), grid[0], grid[1], &mesh_) != 0)
      throw std::runtime_error("PFFT has no process grid for " + to_string(problem()));
    const Problem &p = problem();
    const std::ptrdiff_t *n = p.extents.data();
    unsigned flags = PFFT_DESTROY_INPUT | effort_flag(effort);
    if (p.transposed_in) flags |= PFFT_TRANSPOSED_IN;
    if (p.transposed_out) flags |= PFFT_TRANSPOSED_OUT;
    IndexBox from{{0, 0, 0}, {0, 0, 0}};
    IndexBox to = from;
    const auto size = p.kind == Kind::r2c   ? A::size_r2c
                      : p.kind == Kind::c2r ? A::size_c2r
                                            : A::size_c2c;
    const std::ptrdiff_t elements = size(n, mesh_, flags, from.count.data(), from.start.data(),
                                         to.count.data(), to.start.data());
    const auto view = [&](const IndexBox &box, bool real, bool transposed) {
      return gathered(real ? p.extents : verifier::complex_extents(p), box,
                      transposed ? std::vector<int>{1, 2, 0} : std::vector<int>{0, 1, 2});
    };
    make_arrays_of(view(from, p.kind == Kind::r2c, p.transposed_in),
                   view(to, p.kind == Kind::c2r, p.transposed_out),
                   static_cast<std::size_t>(elements) * 2 * sizeof(Real));
    plan_ = make(n, flags);
    if (plan_ == nullptr) throw std::runtime_error("PFFT has no plan for " + to_string(p));
  }

  const char *library() const override { return "PFFT"; }

  typename A::Plan make(const std::ptrdiff_t *n, unsigned flags) const {
    auto *in = reinterpret_cast<Complex *>(this->in());
    auto *out = reinterpret_cast<Complex *>(this->out());
    const int sign = static_cast<int>(problem().direction);
    switch (problem().kind) {
    case Kind::r2c:
      return A::r2c(n, reinterpret_cast<Real *>(in), out, mesh_, sign, flags);
    case Kind::c2r:
      return A::c2r(n, in, reinterpret_cast<Real *>(out), mesh_, sign, flags);
    default:
      break;
    }
    return A::c2c(n, in, out, mesh_, sign, flags);
  }

  void clear() {
    if (plan_ != nullptr) A::destroy(plan_);
    plan_ = nullptr;
    if (mesh_ != MPI_COMM_NULL) MPI_Comm_free(&mesh_);
  }

  MPI_Comm mesh_ = MPI_COMM_NULL;
  typename A::Plan plan_ = nullptr;
};

} // namespace

std::unique_ptr<Peer> make_pfft_peer(const Problem &problem, MPI_Comm comm) {
#ifdef HFFT_BENCH_PFFTF
  if (problem.single) return std::make_unique<PfftPeer<float>>(problem, comm);
#endif
  return std::make_unique<PfftPeer<double>>(problem, comm);
}

std::string refuses_pfft(const Problem &p, int) {
#ifndef HFFT_BENCH_PFFTF
  if (p.single) return "its library for single precision was not found";
#endif
  if (p.in_place && p.kind != Kind::c2c) return "real data are out of place here";
  return refuses_other_than_one_field_in_3d(p);
}

} // namespace hybridfft::bench
