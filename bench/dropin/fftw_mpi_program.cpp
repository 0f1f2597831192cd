/// Repeats transforms of cubes by FFTW-MPI, or by a library in its place. For each case the program
/// prints a line with the name, the seconds of planning, and the minimum and median seconds of one
/// execution. All times are those of the slowest rank.
///
/// fftw_mpi_program estimate|measure EXECUTIONS SIZE... [-v VARIANT]...: runs all variants, or the
/// named ones, such as single-c2c-out-transposed.

#include <fftw3-mpi.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

enum class Kind { c2c, r2c, c2r };

struct Variant {
  std::string name;
  Kind kind;
  bool single, in_place, transposed_out;
};

/// Returns all variants. FFTW-MPI has no c2r plan with a transposed output.
std::vector<Variant> all_variants() {
  std::vector<Variant> list;
  for (const bool single : {true, false})
    for (const auto &[kind, word] :
         {std::pair(Kind::c2c, "c2c"), std::pair(Kind::r2c, "r2c"), std::pair(Kind::c2r, "c2r")})
      for (const bool in_place : {false, true})
        for (const bool transposed : {false, true})
          if (kind != Kind::c2r || !transposed)
            list.push_back({std::string(single ? "single-" : "double-") + word +
                                (in_place ? "-in" : "-out") +
                                (transposed ? "-transposed" : "-normal"),
                            kind, single, in_place, transposed});
  return list;
}

template <class Real> struct Fftw;
#define FFTW_OF(R, X, XM)                                                                          \
  template <> struct Fftw<R> {                                                                     \
    using Plan = X(plan);                                                                          \
    using Complex = X(complex);                                                                    \
    static constexpr auto local_size = XM(local_size_3d_transposed);                               \
    static constexpr auto c2c = XM(plan_dft_3d);                                                   \
    static constexpr auto r2c = XM(plan_dft_r2c_3d);                                               \
    static constexpr auto c2r = XM(plan_dft_c2r_3d);                                               \
    static constexpr auto execute = X(execute);                                                    \
    static constexpr auto destroy = X(destroy_plan);                                               \
    static constexpr auto allocate = X(alloc_real);                                                \
    static constexpr auto free = X(free);                                                          \
  };
#define DOUBLE(name) fftw_##name
#define SINGLE(name) fftwf_##name
#define MPI_DOUBLE_(name) fftw_mpi_##name
#define MPI_SINGLE_(name) fftwf_mpi_##name
FFTW_OF(double, DOUBLE, MPI_DOUBLE_)
FFTW_OF(float, SINGLE, MPI_SINGLE_)

/// Returns the maximum over all ranks. Collective.
double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

template <class F> double timed(const F &f) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  f();
  return slowest(MPI_Wtime() - begin);
}

template <class Real> class Case {
  using X = Fftw<Real>;
  using Complex = typename X::Complex;

public:
  Case(const Variant &v, std::ptrdiff_t n) : v_(v), n_(n) {
    std::array<std::ptrdiff_t, 4> local{};
    const std::ptrdiff_t last = v.kind == Kind::c2c ? n : n / 2 + 1;
    reals_ = 2 * static_cast<std::size_t>(X::local_size(n, n, last, MPI_COMM_WORLD, &local[0],
                                                        &local[1], &local[2], &local[3]));
    in_ = X::allocate(reals_);
    out_ = v.in_place ? in_ : X::allocate(reals_);
  }
  ~Case() {
    X::free(in_);
    if (!v_.in_place) X::free(out_);
  }
  Case(const Case &) = delete;
  Case &operator=(const Case &) = delete;

  void run(unsigned effort, int executions) {
    typename X::Plan plan = nullptr;
    const double planning = timed([&] { plan = make(effort); });
    std::vector<double> times;
    for (int i = -2; i < executions; ++i) {
      fill();
      const double seconds = timed([&] { X::execute(plan); });
      if (i >= 0) times.push_back(seconds);
    }
    X::destroy(plan);
    std::sort(times.begin(), times.end());
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
      std::printf("%s-%td %.6f %.9f %.9f\n", v_.name.c_str(), n_, planning, times.front(),
                  times[times.size() / 2]);
    std::fflush(stdout);
  }

private:
  typename X::Plan make(unsigned effort) const {
    const unsigned flags = effort | (v_.transposed_out ? FFTW_MPI_TRANSPOSED_OUT : 0U);
    auto *in = reinterpret_cast<Complex *>(in_);
    auto *out = reinterpret_cast<Complex *>(out_);
    switch (v_.kind) {
    case Kind::c2c:
      return X::c2c(n_, n_, n_, in, out, MPI_COMM_WORLD, FFTW_FORWARD, flags);
    case Kind::r2c:
      return X::r2c(n_, n_, n_, in_, out, MPI_COMM_WORLD, flags);
    default:
      break;
    }
    return X::c2r(n_, n_, n_, in, out_, MPI_COMM_WORLD, flags);
  }

  /// Resets the input, because values of repeated transforms would grow without bound.
  void fill() {
    for (std::size_t i = 0; i < reals_; ++i)
      in_[i] = static_cast<Real>(i % 17) - 8;
  }

  const Variant &v_;
  std::ptrdiff_t n_;
  std::size_t reals_ = 0;
  Real *in_ = nullptr;
  Real *out_ = nullptr;
};

void run(const Variant &v, std::ptrdiff_t n, unsigned effort, int executions) {
  if (v.single)
    Case<float>(v, n).run(effort, executions);
  else
    Case<double>(v, n).run(effort, executions);
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  fftwf_mpi_init();
  const std::string effort = argc > 1 ? argv[1] : "";
  const int executions = argc > 2 ? std::atoi(argv[2]) : 0;
  std::vector<std::string> wanted;
  std::vector<std::ptrdiff_t> sizes;
  for (int i = 3; i < argc; ++i)
    if (std::strcmp(argv[i], "-v") == 0 && i + 1 < argc)
      wanted.emplace_back(argv[++i]);
    else
      sizes.push_back(std::atol(argv[i]));
  const bool ok = (effort == "estimate" || effort == "measure") && executions > 0 &&
                  !sizes.empty() && *std::min_element(sizes.begin(), sizes.end()) > 0;
  if (!ok)
    std::fprintf(stderr,
                 "expected: fftw_mpi_program estimate|measure EXECUTIONS SIZE... [-v VARIANT]\n");
  for (const std::ptrdiff_t n : sizes)
    for (const Variant &v : all_variants())
      if (ok && (wanted.empty() || std::find(wanted.begin(), wanted.end(), v.name) != wanted.end()))
        run(v, n, effort == "estimate" ? FFTW_ESTIMATE : FFTW_MEASURE, executions);
  MPI_Finalize();
  return ok ? 0 : 2;
}
