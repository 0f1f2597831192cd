// FFTW's interfaces in both precisions behind the interface of a peer: FFTW-MPI, FFTW-MPI in its
// fastest mode, and FFTW with threads.
#include "scaling/fftw_peers.h"

#include <fftw3-mpi.h>

#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/mpi.h"

namespace hybridfft::bench {

namespace {

template <class Real> struct Api;

#define HFFT_BENCH_FFTW(R, X)                                                                      \
  template <> struct Api<R> {                                                                      \
    using Plan = X(plan);                                                                          \
    using Complex = X(complex);                                                                    \
    static constexpr auto destroy = X(destroy_plan);                                               \
    static constexpr auto run = X(execute);                                                        \
    static constexpr auto sprint = X(sprint_plan);                                                 \
    static constexpr auto init_threads = X(init_threads);                                          \
    static constexpr auto set_threads = X(plan_with_nthreads);                                     \
    static constexpr auto forget_wisdom = X(forget_wisdom);                                        \
    static constexpr auto mpi_init = X(mpi_init);                                                  \
    static constexpr auto mpi_size = X(mpi_local_size_many_transposed);                            \
    static constexpr auto mpi_c2c = X(mpi_plan_many_dft);                                          \
    static constexpr auto mpi_r2c = X(mpi_plan_many_dft_r2c);                                      \
    static constexpr auto mpi_c2r = X(mpi_plan_many_dft_c2r);                                      \
    static constexpr auto mpi_r2r = X(mpi_plan_many_r2r);                                          \
    static constexpr auto r2r = X(plan_many_r2r);                                                  \
    static constexpr auto c2c = X(plan_many_dft);                                                  \
    static constexpr auto r2c = X(plan_many_dft_r2c);                                              \
    static constexpr auto c2r = X(plan_many_dft_c2r);                                              \
  };
#define HFFT_BENCH_DOUBLE(name) fftw_##name
#define HFFT_BENCH_SINGLE(name) fftwf_##name
HFFT_BENCH_FFTW(double, HFFT_BENCH_DOUBLE)
HFFT_BENCH_FFTW(float, HFFT_BENCH_SINGLE)
#undef HFFT_BENCH_FFTW
#undef HFFT_BENCH_DOUBLE
#undef HFFT_BENCH_SINGLE

/// Base of the peers with FFTW's serial and MPI interfaces: owns the plan.
template <class Real> class FftwPeer : public Peer {
public:
  using Peer::Peer;

  void execute() override { Api<Real>::run(plan_.get()); }
  std::string describe() const override {
    const std::unique_ptr<char, void (*)(void *)> text(Api<Real>::sprint(plan_.get()), std::free);
    return text ? text.get() : "";
  }

protected:
  using A = Api<Real>;
  using Complex = typename A::Complex;

  void keep(typename A::Plan plan) {
    if (plan == nullptr)
      throw std::runtime_error("FFTW has no plan for " + verifier::to_string(problem()));
    plan_.reset(plan);
  }
  /// Returns FFTW's numbers of the kinds of transforms.
  std::vector<fftw_r2r_kind> kinds() const {
    std::vector<fftw_r2r_kind> list;
    for (const int kind : this->problem().kinds)
      list.push_back(static_cast<fftw_r2r_kind>(kind));
    return list;
  }
  static Real *real(std::byte *array) { return reinterpret_cast<Real *>(array); }
  static Complex *complex(std::byte *array) { return reinterpret_cast<Complex *>(array); }

private:
  struct Destroy {
    using pointer = typename A::Plan;
    void operator()(pointer plan) const { A::destroy(plan); }
  };
  std::unique_ptr<std::remove_pointer_t<typename A::Plan>, Destroy> plan_;
};

template <class Real> class FftwMpiPeer final : public FftwPeer<Real> {
  using A = Api<Real>;

public:
  using FftwPeer<Real>::FftwPeer;

  void plan(Effort effort) override {
    const Problem &p = this->problem();
    this->make_arrays(slab_input(p, this->comm()), slab_output(p, this->comm()), bytes());
    unsigned flags = static_cast<unsigned>(effort);
    if (p.transposed_in) flags |= FFTW_MPI_TRANSPOSED_IN;
    if (p.transposed_out) flags |= FFTW_MPI_TRANSPOSED_OUT;
    A::set_threads(p.threads);
    this->keep(make(flags));
  }

private:
  std::size_t bytes() const {
    const Problem &p = this->problem();
    const auto n = verifier::complex_extents(p);
    std::ptrdiff_t ignored[4];
    const auto elements = [&](bool transposed, std::ptrdiff_t block) {
      return A::mpi_size(static_cast<int>(n.size()), n.data(), p.howmany, transposed ? 0 : block,
                         transposed ? block : 0, this->comm(), ignored, ignored + 1, ignored + 2,
                         ignored + 3);
    };
    return static_cast<std::size_t>(std::max(elements(p.transposed_in, p.block_in),
                                             elements(p.transposed_out, p.block_out))) *
           2 * sizeof(Real);
  }

  typename A::Plan make(unsigned flags) const {
    const Problem &p = this->problem();
    const int d = static_cast<int>(p.extents.size());
    const std::ptrdiff_t *n = p.extents.data();
    std::byte *in = this->in();
    std::byte *out = this->out();
    switch (p.kind) {
    case Kind::r2r:
      return A::mpi_r2r(d, n, p.howmany, p.block_in, p.block_out, this->real(in), this->real(out),
                        this->comm(), this->kinds().data(), flags);
    case Kind::r2c:
      return A::mpi_r2c(d, n, p.howmany, p.block_in, p.block_out, this->real(in),
                        this->complex(out), this->comm(), flags);
    case Kind::c2r:
      return A::mpi_c2r(d, n, p.howmany, p.block_in, p.block_out, this->complex(in),
                        this->real(out), this->comm(), flags);
    default:
      break;
    }
    return A::mpi_c2c(d, n, p.howmany, p.block_in, p.block_out, this->complex(in),
                      this->complex(out), this->comm(), static_cast<int>(p.direction), flags);
  }
};

template <class Real> class FftwThreadsPeer final : public FftwPeer<Real> {
  using A = Api<Real>;

public:
  using FftwPeer<Real>::FftwPeer;

  void plan(Effort effort) override {
    const Problem &p = this->problem();
    const LayoutView input = slab_input(p, this->comm());
    const LayoutView output = slab_output(p, this->comm());
    const std::size_t reals =
        (verifier::has_real_input(p) ? 1 : 2) * static_cast<std::size_t>(input.size());
    const std::size_t others =
        (verifier::has_real_output(p) ? 1 : 2) * static_cast<std::size_t>(output.size());
    this->make_arrays(input, output, std::max(reals, others) * sizeof(Real));
    A::set_threads(p.threads);
    this->keep(make(static_cast<unsigned>(effort)));
  }

private:
  /// Returns the extents of an array, padding included.
  static std::vector<int> allocated(const LayoutView &view) {
    std::vector<int> n;
    for (const AxisLayout &axis : view.layout().axes())
      n.push_back(static_cast<int>(axis.distribution.n() + axis.padding));
    return n;
  }

  typename A::Plan make(unsigned flags) const {
    const Problem &p = this->problem();
    const std::vector<int> n(p.extents.begin(), p.extents.end());
    const int d = static_cast<int>(n.size());
    const int many = static_cast<int>(p.howmany);
    const std::vector<int> from = allocated(this->input());
    const std::vector<int> to = allocated(this->output());
    std::byte *in = this->in();
    std::byte *out = this->out();
    switch (p.kind) {
    case Kind::r2r:
      return A::r2r(d, n.data(), many, this->real(in), from.data(), many, 1, this->real(out),
                    to.data(), many, 1, this->kinds().data(), flags);
    case Kind::r2c:
      return A::r2c(d, n.data(), many, this->real(in), from.data(), many, 1, this->complex(out),
                    to.data(), many, 1, flags);
    case Kind::c2r:
      return A::c2r(d, n.data(), many, this->complex(in), from.data(), many, 1, this->real(out),
                    to.data(), many, 1, flags);
    default:
      break;
    }
    return A::c2c(d, n.data(), many, this->complex(in), from.data(), many, 1, this->complex(out),
                  to.data(), many, 1, static_cast<int>(p.direction), flags);
  }
};

template <template <class> class P>
std::unique_ptr<Peer> make_typed(const Problem &problem, MPI_Comm comm) {
  if (problem.single) return std::make_unique<P<float>>(problem, comm);
  return std::make_unique<P<double>>(problem, comm);
}

Problem best_layout(Problem p) {
  p.in_place = true;
  (p.direction == Direction::forward ? p.transposed_out : p.transposed_in) = true;
  return p;
}

Problem normal_order(Problem p) {
  p.transposed_in = p.transposed_out = false;
  p.block_in = p.block_out = HFFT_DEFAULT_BLOCK;
  return p;
}

} // namespace

void initialize_fftw() {
  Api<float>::init_threads();
  Api<double>::init_threads();
  Api<float>::mpi_init();
  Api<double>::mpi_init();
}

void forget_fftw_wisdom() {
  Api<float>::forget_wisdom();
  Api<double>::forget_wisdom();
}

std::unique_ptr<Peer> make_fftw_mpi_peer(const Problem &problem, MPI_Comm comm) {
  return make_typed<FftwMpiPeer>(problem, comm);
}

std::unique_ptr<Peer> make_fftw_mpi_best_peer(const Problem &problem, MPI_Comm comm) {
  return make_typed<FftwMpiPeer>(best_layout(problem), comm);
}

namespace {

bool is_mixed(const Problem &p) { return !p.kinds.empty() && p.kind != Kind::r2r; }
constexpr const char *no_mixed = "FFTW has no transforms with Fourier and other kinds";

} // namespace

std::string refuses_fftw_mpi(const Problem &p, int ranks) {
  if (is_mixed(p)) return no_mixed;
  if ((p.kind == Kind::r2c && p.transposed_in) || (p.kind == Kind::c2r && p.transposed_out))
    return "FFTW transposes complex arrays only";
  const auto one_block = [&](bool transposed, std::ptrdiff_t block) {
    const std::ptrdiff_t n = verifier::complex_extents(p)[transposed ? 1 : 0];
    return ranks > 1 && BlockDistribution(n, ranks, block).working_parts() == 1;
  };
  return one_block(p.transposed_in, p.block_in) || one_block(p.transposed_out, p.block_out)
             ? "a single rank would hold the array"
             : "";
}

std::string refuses_fftw_mpi_best(const Problem &problem, int ranks) {
  const Problem best = best_layout(problem);
  if (best == problem) return "the problem has that layout: see fftw-mpi";
  if (!verifier::supported(best)) return "no transposition of real data in 2D";
  return refuses_fftw_mpi(best, ranks);
}

std::unique_ptr<Peer> make_fftw_threads_peer(const Problem &problem, MPI_Comm comm) {
  return make_typed<FftwThreadsPeer>(normal_order(problem), comm);
}

std::string refuses_fftw_threads(const Problem &p, int ranks) {
  if (is_mixed(p)) return no_mixed;
  return ranks == 1 ? "" : "works on one rank only";
}

} // namespace hybridfft::bench
