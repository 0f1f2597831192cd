// Differentiates functions exp(a x) at the Chebyshev-Gauss-Lobatto points x = cos(pi j / n),
// j = 0 .. n. A cosine transform computes the coefficients of Chebyshev polynomials. A recurrence
// yields the coefficients of the derivative. The same transform then computes the derivative's
// values.
#include <hybridfft/hybridfft.h>
#include <math.h>

enum { rows = 50, n = 24, points = n + 1 };

static const double pi = 3.14159265358979323846;
static double slope(ptrdiff_t row) { return cos(2 * pi * (double)row / (double)rows); }

// Replaces the Chebyshev coefficients of a function by the coefficients of its derivative.
static void differentiate(double *line) {
  double d[points + 2] = {0};
  for (int k = n; k > 0; --k) {
    const double coefficient = line[k] / (k == n ? 2 * n : n);
    d[k - 1] = d[k + 1] + 2 * k * coefficient;
  }
  d[0] /= 2;
  for (int k = 0; k <= n; ++k)
    line[k] = k == 0 || k == n ? d[k] : d[k] / 2;
}

int main(int argc, char **argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const ptrdiff_t extents[] = {rows, points};
  const int parts[] = {ranks, 1}, axis = 1, kind = HFFT_REDFT00;
  hfft_layout layout = hfft_layout_grid(2, extents, parts);
  ptrdiff_t start[2], count[2], stride[3];
  hfft_layout_local(layout, rank, start, count, stride);
  const ptrdiff_t size = hfft_layout_size(layout, layout, HFFT_R2R, MPI_COMM_WORLD);
  double *f = hfft_alloc_real(2 * (size_t)size);
  hfft_plan plan =
      hfft_plan_layout_r2r(layout, layout, 1, &axis, f, f, MPI_COMM_WORLD, &kind, HFFT_ESTIMATE);

  for (ptrdiff_t i = 0; i < count[0]; ++i)
    for (ptrdiff_t j = 0; j < points; ++j)
      f[i * stride[0] + j] = exp(slope(start[0] + i) * cos(pi * (double)j / (double)n));
  int error = hfft_execute(plan);
  for (ptrdiff_t i = 0; i < count[0]; ++i)
    differentiate(f + i * stride[0]);
  if (!error) error = hfft_execute(plan);

  double worst = 0;
  for (ptrdiff_t i = 0; i < count[0]; ++i)
    for (ptrdiff_t j = 0; j < points; ++j) {
      const double a = slope(start[0] + i);
      worst =
          fmax(worst, fabs(f[i * stride[0] + j] - a * exp(a * cos(pi * (double)j / (double)n))));
    }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (error) fprintf(stderr, "%s\n", hfft_last_error_message());
  // Differentiation amplifies rounding errors by about n^2.
  if (rank == 0) printf(worst < 1e-12 ? "derivative: exact to rounding\n" : "error %g\n", worst);
  hfft_destroy_plan(plan);
  hfft_layout_destroy(layout);
  hfft_free(f);
  MPI_Finalize();
  return error || !(worst < 1e-12);
}
