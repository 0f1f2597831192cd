/// A transform with an exactly known result, for programs of FFTW-MPI. The input is one on a cube
/// of n^3 points, with n a power of two. The spectrum is n^3 at the origin and zero elsewhere.
#pragma once

#include <fftw3-mpi.h>

#include <cstdio>
#include <vector>

namespace dropin {

/// Number of failed expectations on this rank; expect() counts them and prints a message for each.
inline int failures = 0;

inline void expect(bool ok, const char *what) {
  if (ok) return;
  ++failures;
  int rank = -1;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "[rank %d] not so: %s\n", rank, what);
}

class Cube {
public:
  explicit Cube(MPI_Comm comm, std::ptrdiff_t n = 8) : comm_(comm), n_(n) {
    size_ = fftw_mpi_local_size_3d(n, n, n, comm, &count_, &start_);
    in_ = fftw_alloc_complex(static_cast<std::size_t>(size_));
    out_ = fftw_alloc_complex(static_cast<std::size_t>(size_));
  }
  ~Cube() {
    fftw_free(in_);
    fftw_free(out_);
  }
  Cube(const Cube &) = delete;
  Cube &operator=(const Cube &) = delete;

  fftw_complex *in() { return in_; }
  fftw_complex *out() { return out_; }
  std::ptrdiff_t elements() const { return count_ * n_ * n_; }

  fftw_plan plan(unsigned flags = FFTW_ESTIMATE) {
    return fftw_mpi_plan_dft_3d(n_, n_, n_, in_, out_, comm_, FFTW_FORWARD, flags);
  }

  void fill() {
    for (std::ptrdiff_t i = 0; i < size_; ++i) {
      in_[i][0] = 1;
      in_[i][1] = 0;
      out_[i][0] = out_[i][1] = -7;
    }
  }

  /// Returns true if the arrays still have the values of the last fill.
  bool untouched() const {
    bool same = true;
    for (std::ptrdiff_t i = 0; i < elements(); ++i)
      same = same && in_[i][0] == 1 && in_[i][1] == 0 && out_[i][0] == -7 && out_[i][1] == -7;
    return same;
  }

  /// Fills the array, executes the plan, and checks the result.
  void check(fftw_plan p, const char *what) {
    expect(p != nullptr, what);
    if (p == nullptr) return;
    fill();
    fftw_execute(p);
    check_result(what);
  }

  void check_result(const char *what) const {
    bool right = true;
    for (std::ptrdiff_t i = 0; i < elements(); ++i) {
      const double value = start_ == 0 && i == 0 ? static_cast<double>(n_ * n_ * n_) : 0;
      right = right && out_[i][0] == value && out_[i][1] == 0;
    }
    expect(right, what);
  }

private:
  MPI_Comm comm_;
  std::ptrdiff_t n_;
  std::ptrdiff_t size_ = 0, count_ = 0, start_ = 0;
  fftw_complex *in_ = nullptr;
  fftw_complex *out_ = nullptr;
};

} // namespace dropin
