/// interleaved EFFORT EXECUTIONS [-b PROCESSES] [-p PLANS] SIZE...: measures FFTW-MPI and the
/// drop-in alternately in one process, so both see the same load of the machine.
///
/// EFFORT is estimate or measure; a SIZE is n0xn1 or n0xn1xn2. -b starts PROCESSES more processes
/// per node, which compute all the time. For each size and kind of transform the program prints a
/// line of a Markdown table. It has the median time of EXECUTIONS executions, the time of making
/// the first plan, and the median time of making PLANS further plans (10 by default). All times are
/// those of the slowest rank.

#define HFFT_FFTW3_MPI_DECLARE_ONLY
#include <dlfcn.h>
#include <hybridfft/fftw3-mpi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

struct Options {
  unsigned effort = FFTW_ESTIMATE;
  int executions = 0;
  int busy = 0;
  int plans = 10;
  std::vector<std::vector<std::ptrdiff_t>> sizes;
};

/// Functions of one library, FFTW-MPI or the drop-in.
struct Library {
  decltype(&fftw_mpi_plan_dft) c2c;
  decltype(&fftw_mpi_plan_dft_r2c) r2c;
  decltype(&fftw_execute) execute;
  decltype(&fftw_destroy_plan) destroy;
};
constexpr std::array<Library, 2> libraries{
    {{fftw_mpi_plan_dft, fftw_mpi_plan_dft_r2c, fftw_execute, fftw_destroy_plan},
     {hfft_fftw_mpi_plan_dft, hfft_fftw_mpi_plan_dft_r2c, hfft_fftw_execute,
      hfft_fftw_destroy_plan}}};

struct Variant {
  const char *name;
  bool real, in_place, transposed;
};
constexpr std::array<Variant, 3> variants{{{"c2c-in-normal", false, true, false},
                                           {"c2c-out-transposed", false, false, true},
                                           {"r2c-out-normal", true, false, false}}};

double timed(const std::function<void()> &f) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  f();
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string joined(const std::vector<std::ptrdiff_t> &n) {
  std::string text;
  for (const std::ptrdiff_t extent : n)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

class Case {
public:
  Case(const Variant &v, std::vector<std::ptrdiff_t> n, unsigned effort)
      : v_(v), n_(std::move(n)), effort_(effort) {
    std::vector<std::ptrdiff_t> complex = n_;
    if (v.real) complex.back() = n_.back() / 2 + 1;
    std::ptrdiff_t unused = 0;
    const std::ptrdiff_t size =
        hfft_fftw_mpi_local_size_transposed(static_cast<int>(n_.size()), complex.data(),
                                            MPI_COMM_WORLD, &unused, &unused, &unused, &unused);
    reals_ = 2 * static_cast<std::size_t>(size);
    in_ = fftw_alloc_real(reals_);
    out_ = v.in_place ? in_ : fftw_alloc_real(reals_);
    fill();
  }
  ~Case() {
    fftw_free(in_);
    if (!v_.in_place) fftw_free(out_);
  }
  Case(const Case &) = delete;
  Case &operator=(const Case &) = delete;

  void run(const Options &o) {
    std::array<double, 2> first{};
    std::array<std::vector<double>, 2> planning;
    for (int i = 0; i <= o.plans; ++i)
      for (std::size_t which = 0; which < 2; ++which) {
        fftw_plan plan = nullptr;
        const double seconds = timed([&] { plan = make(libraries[which]); });
        libraries[which].destroy(plan);
        if (i == 0)
          first[which] = seconds;
        else
          planning[which].push_back(seconds);
      }
    std::array<std::vector<double>, 2> executing;
    const std::array<fftw_plan, 2> plans{make(libraries[0]), make(libraries[1])};
    for (int i = -2; i < o.executions; ++i)
      for (std::size_t which = 0; which < 2; ++which) {
        fill();
        const double seconds = timed([&] { libraries[which].execute(plans[which]); });
        if (i >= 0) executing[which].push_back(seconds);
      }
    for (std::size_t which = 0; which < 2; ++which)
      libraries[which].destroy(plans[which]);
    const double theirs = median(executing[0]);
    const double ours = median(executing[1]);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) return;
    std::printf("| %s-%s | %.3f | %.3f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", v_.name,
                joined(n_).c_str(), 1e3 * theirs, 1e3 * ours, theirs / ours, 1e3 * first[0],
                1e3 * first[1], 1e3 * median(planning[0]), 1e3 * median(planning[1]));
    std::fflush(stdout);
  }

private:
  fftw_plan make(const Library &l) const {
    const unsigned flags = effort_ | (v_.transposed ? FFTW_MPI_TRANSPOSED_OUT : 0U);
    auto *out = reinterpret_cast<fftw_complex *>(out_);
    const int rank = static_cast<int>(n_.size());
    if (v_.real) return l.r2c(rank, n_.data(), in_, out, MPI_COMM_WORLD, flags);
    return l.c2c(rank, n_.data(), reinterpret_cast<fftw_complex *>(in_), out, MPI_COMM_WORLD,
                 FFTW_FORWARD, flags);
  }

  /// Resets the input, because values of repeated transforms would grow without bound.
  void fill() {
    for (std::size_t i = 0; i < reals_; ++i)
      in_[i] = static_cast<double>(i % 17) - 8;
  }

  const Variant &v_;
  std::vector<std::ptrdiff_t> n_;
  unsigned effort_;
  std::size_t reals_ = 0;
  double *in_ = nullptr;
  double *out_ = nullptr;
};

/// True if FFTW's names and the drop-in's names refer to different libraries. If the loader finds
/// the drop-in before FFTW, FFTW's names also refer to the drop-in.
bool are_two_libraries() {
  const auto module = [](auto *function) -> const void * {
    Dl_info info{};
    return dladdr(reinterpret_cast<void *>(function), &info) != 0 ? info.dli_fbase : nullptr;
  };
  const auto &[theirs, ours] = libraries;
  return module(theirs.c2c) != module(ours.c2c) && module(theirs.r2c) != module(ours.r2c) &&
         module(theirs.execute) != module(ours.execute);
}

/// Starts processes on each node that compute until this one ends.
void keep_busy(int processes) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank = 0;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_free(&node);
  for (int i = 0; rank == 0 && i < processes; ++i) {
    if (fork() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    volatile bool busy = true;
    while (busy)
      ;
  }
}

std::vector<std::ptrdiff_t> extents(const char *text) {
  std::vector<std::ptrdiff_t> n;
  for (char *end = nullptr; *text != '\0'; text = *end == 'x' ? end + 1 : end) {
    n.push_back(std::strtol(text, &end, 10));
    if (n.back() < 1 || (*end != 'x' && *end != '\0')) return {};
  }
  return n;
}

/// Reads the arguments; returns false if they are wrong.
bool read(int argc, char **argv, Options &o) {
  if (argc < 4) return false;
  const std::string effort = argv[1];
  if (effort == "measure") o.effort = FFTW_MEASURE;
  o.executions = std::atoi(argv[2]);
  for (int i = 3; i < argc; ++i) {
    if (std::strcmp(argv[i], "-b") == 0 && i + 1 < argc)
      o.busy = std::atoi(argv[++i]);
    else if (std::strcmp(argv[i], "-p") == 0 && i + 1 < argc)
      o.plans = std::atoi(argv[++i]);
    else
      o.sizes.push_back(extents(argv[i]));
  }
  return (effort == "measure" || effort == "estimate") && o.executions > 0 && !o.sizes.empty() &&
         std::all_of(o.sizes.begin(), o.sizes.end(), [](const auto &n) { return n.size() > 1; });
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Options o;
  if (!read(argc, argv, o)) {
    if (rank == 0)
      std::fprintf(stderr, "expected: interleaved estimate|measure EXECUTIONS [-b PROCESSES] "
                           "[-p PLANS] SIZE..., as in 64x64x64 512x512\n");
    MPI_Finalize();
    return 2;
  }
  if (!are_two_libraries()) {
    if (rank == 0) std::fprintf(stderr, "FFTW's functions are the drop-in's: link FFTW first\n");
    MPI_Finalize();
    return 1;
  }
  keep_busy(o.busy);
  if (rank == 0)
    std::printf("| case | FFTW-MPI (ms) | drop-in (ms) | ratio | first plan (ms) | drop-in (ms) | "
                "next plans (ms) | drop-in (ms) |\n|---|---|---|---|---|---|---|---|\n");
  for (const auto &n : o.sizes)
    for (const Variant &v : variants)
      Case(v, n, o.effort).run(o);
  MPI_Finalize();
  return 0;
}
