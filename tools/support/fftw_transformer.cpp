// Transforms by serial FFTW on rank 0, for programs that compare results.
#include <fftw3.h>

#include <type_traits>

#include "base/error.h"
#include "support/array_transformer.h"

namespace hybridfft::tools {

namespace {

/// FFTW's functions for one precision, with 64-bit extents.
template <class Real> struct Fftw;

#define HFFT_DEFINE_FFTW(X, Real)                                                                  \
  template <> struct Fftw<Real> {                                                                  \
    using Plan = X(plan);                                                                          \
    using Dimension = X(iodim64);                                                                  \
    using Complex = X(complex);                                                                    \
    static Plan plan(int d, const Dimension *n, std::complex<Real> *in, std::complex<Real> *out,   \
                     int sign, unsigned flags) {                                                   \
      return X(plan_guru64_dft)(d, n, 0, nullptr, reinterpret_cast<Complex *>(in),                 \
                                reinterpret_cast<Complex *>(out), sign, flags);                    \
    }                                                                                              \
    static Plan plan(int d, const Dimension *n, Real *in, std::complex<Real> *out, int,            \
                     unsigned flags) {                                                             \
      return X(plan_guru64_dft_r2c)(d, n, 0, nullptr, in, reinterpret_cast<Complex *>(out),        \
                                    flags);                                                        \
    }                                                                                              \
    static Plan plan(int d, const Dimension *n, std::complex<Real> *in, Real *out, int,            \
                     unsigned flags) {                                                             \
      return X(plan_guru64_dft_c2r)(d, n, 0, nullptr, reinterpret_cast<Complex *>(in), out,        \
                                    flags);                                                        \
    }                                                                                              \
    static void execute(Plan p) { X(execute)(p); }                                                 \
    static void destroy(Plan p) { X(destroy_plan)(p); }                                            \
    static char *describe(Plan p) { return X(sprint_plan)(p); }                                    \
  };
#define HFFT_FFTW_DOUBLE(name) fftw_##name
#define HFFT_FFTW_SINGLE(name) fftwf_##name
HFFT_DEFINE_FFTW(HFFT_FFTW_DOUBLE, double)
HFFT_DEFINE_FFTW(HFFT_FFTW_SINGLE, float)
#undef HFFT_FFTW_SINGLE
#undef HFFT_FFTW_DOUBLE
#undef HFFT_DEFINE_FFTW

unsigned flags_of(Effort effort) {
  switch (effort) {
  case Effort::estimate:
    return FFTW_ESTIMATE;
  case Effort::measure:
    return FFTW_MEASURE;
  case Effort::patient:
    return FFTW_PATIENT;
  case Effort::exhaustive:
    break;
  }
  return FFTW_EXHAUSTIVE;
}

template <class Real, Kind K> class FftwTransformer final : public ArrayTransformer<Real, K> {
  using Base = ArrayTransformer<Real, K>;
  using Api = Fftw<Real>;

public:
  using Base::Base;

  void plan() override {
    const std::vector<std::ptrdiff_t> &n = this->problem().extents;
    std::vector<std::ptrdiff_t> half = n;
    if (K != Kind::c2c) half.back() = half.back() / 2 + 1;
    // The whole array is on rank 0, described as a slab along the first axis.
    const int ranks = mpi::size(this->comm());
    root_ = mpi::rank(this->comm()) == 0;
    const auto view = [&](bool real) {
      Layout::SlabOptions slab;
      slab.block = n.front();
      if (real) slab.last_padding = 2 * half.back() - n.back();
      return LayoutView(Layout::slab(real ? n : half, ranks, slab), mpi::rank(this->comm()));
    };
    const LayoutView complex = view(false);
    this->place(view(K == Kind::r2c), view(K == Kind::c2r),
                static_cast<std::size_t>(complex.size()) * sizeof(std::complex<Real>));
    mpi::all_or_none(this->comm(), [&] {
      if (root_) plan_here(half);
    });
  }

  void execute() override {
    if (root_) Api::execute(plan_.get());
  }

  std::string describe() const override {
    if (!root_) return "";
    const std::unique_ptr<char, void (*)(void *)> text(Api::describe(plan_.get()), std::free);
    return text ? text.get() : "";
  }

private:
  void plan_here(const std::vector<std::ptrdiff_t> &half) {
    const std::vector<std::ptrdiff_t> &n = this->problem().extents;
    std::vector<typename Api::Dimension> dimensions(n.size());
    std::ptrdiff_t in_stride = 1;
    std::ptrdiff_t out_stride = 1;
    for (std::size_t d = n.size(); d-- > 0;) {
      dimensions[d] = {n[d], in_stride, out_stride};
      const bool last = d + 1 == n.size();
      in_stride *= last ? (K == Kind::r2c ? 2 * half[d] : half[d]) : n[d];
      out_stride *= last ? (K == Kind::c2r ? 2 * half[d] : half[d]) : n[d];
    }
    plan_.reset(Api::plan(static_cast<int>(n.size()), dimensions.data(), this->input(),
                          this->output(), static_cast<int>(this->problem().direction),
                          flags_of(this->problem().effort)));
    if (!plan_) throw Failure(HFFT_ERROR_FFTW, "FFTW could not plan this transform");
  }

  struct Destroy {
    using pointer = typename Api::Plan;
    void operator()(pointer p) const { Api::destroy(p); }
  };
  bool root_ = false;
  std::unique_ptr<std::remove_pointer_t<typename Api::Plan>, Destroy> plan_;
};

} // namespace

std::unique_ptr<Transformer> make_fftw_transformer(const TransformProblem &p, MPI_Comm comm) {
  return make_typed<FftwTransformer>(p, comm);
}

} // namespace hybridfft::tools
