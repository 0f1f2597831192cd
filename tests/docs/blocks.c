// Code blocks in C of the pages in docs/, in a program. docs.blocks compares pages and program.
#include <hybridfft/hybridfft.h>
#include <hybridfft/operators.h>
#include <math.h>
#include <stdlib.h>

static void require(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", what, hfft_last_error_message());
  exit(1);
}

static void line(MPI_Comm comm) {
  const ptrdiff_t n = 360;
  ptrdiff_t ni, i0, no, o0;
  ptrdiff_t size = hfft_local_size_1d(n, comm, HFFT_FORWARD, HFFT_MEASURE, &ni, &i0, &no, &o0);
  hfft_complex *x = hfft_alloc_complex((size_t)size), *X = hfft_alloc_complex((size_t)size);
  hfft_plan plan = hfft_plan_dft_1d(n, x, X, comm, HFFT_FORWARD, HFFT_MEASURE);
  require(plan != NULL, "plan of a line");
  for (ptrdiff_t i = 0; i < ni; ++i)
    x[i][0] = 1, x[i][1] = 0;
  require(hfft_execute(plan) == HFFT_SUCCESS, "execute");
  if (no > 0 && o0 == 0) require(fabs(X[0][0] - (double)n) < 1e-9, "the sum of ones");
  hfft_destroy_plan(plan);
  hfft_free(x);
  hfft_free(X);
}

static void plans(MPI_Comm comm) {
  const ptrdiff_t n[] = {16, 12, 10};
  ptrdiff_t planes, start, columns, first;
  const ptrdiff_t size =
      hfft_local_size_3d_transposed(n[0], n[1], n[2], comm, &planes, &start, &columns, &first);
  hfft_complex *in = hfft_alloc_complex((size_t)size), *out = hfft_alloc_complex((size_t)size);
  struct hfft_options options = HFFT_OPTIONS_INIT;
  options.flags = HFFT_PATIENT | HFFT_TRANSPOSED_OUT;
  options.threads = 8;                                // of this plan, whatever others have
  options.scale = 1.0 / (double)(n[0] * n[1] * n[2]); // of the result
  hfft_plan plan = hfft_plan_slabs(HFFT_C2C, 3, n, in, out, comm, HFFT_BACKWARD, &options);
  require(plan != NULL, "plan with options");
  for (ptrdiff_t i = 0; i < planes * n[1] * n[2]; ++i)
    in[i][0] = 1, in[i][1] = 0;
  require(hfft_execute(plan) == HFFT_SUCCESS, "execute");
  if (first == 0) require(fabs(out[0][0] - 1) < 1e-12, "the mean of ones");
  hfft_destroy_plan(plan);

  hfft_work work = hfft_work_create();
  options.work = work; // of each plan
  plan = hfft_plan_slabs(HFFT_C2C, 3, n, in, out, comm, HFFT_BACKWARD, &options);
  void *memory = hfft_malloc(hfft_work_size(work));
  hfft_work_set_memory(work, memory, hfft_work_size(work));
  require(plan != NULL, "plan with a work space");
  require(hfft_execute(plan) == HFFT_SUCCESS, "execute in memory of the user's");
  hfft_destroy_plan(plan);
  hfft_work_destroy(work);
  hfft_free(memory);
  hfft_free(out);
  hfft_free(in);
}

static void fill(ptrdiff_t i, ptrdiff_t j, const double *const *in, double *const *scratch,
                 const double **out, void *user) {
  const ptrdiff_t n2 = *(const ptrdiff_t *)user;
  for (ptrdiff_t k = 0; k < n2; ++k)
    scratch[0][k] = sin(0.1 * (double)j);
}

static void operators(MPI_Comm comm) {
  ptrdiff_t n0 = 8, n1 = 8, n2 = 8;
  hfft_operator_plan plan = hfft_plan_operator(n0, n1, n2, 1, comm, 8); // a field, threads
  const int targets[] = {0};
  hfft_operator_planes(plan, NULL, 0, NULL, 1, targets, fill, &n2);
  require(plan != NULL && hfft_last_error() == HFFT_SUCCESS, "operator plan");
  hfft_destroy_operator(plan);
}

// Computes element k of the spectrum X of x by the formula in docs/plans.md.
static void element(hfft_complex *x, const ptrdiff_t *n, const ptrdiff_t *k, hfft_complex X) {
  const double turn = HFFT_FORWARD * 2 * acos(-1);
  X[0] = X[1] = 0;
  for (ptrdiff_t j = 0; j < n[0] * n[1] * n[2]; ++j) {
    const ptrdiff_t at[] = {j / (n[1] * n[2]), j / n[2] % n[1], j % n[2]};
    double turns = 0;
    for (int axis = 0; axis < 3; ++axis)
      turns += (double)(at[axis] * k[axis]) / (double)n[axis];
    X[0] += x[j][0] * cos(turn * turns) - x[j][1] * sin(turn * turns);
    X[1] += x[j][0] * sin(turn * turns) + x[j][1] * cos(turn * turns);
  }
}

static void formula(void) {
  const ptrdiff_t n[] = {3, 4, 5}, size = hfft_local_size_3d(3, 4, 5, MPI_COMM_SELF, NULL, NULL);
  hfft_complex *x = hfft_alloc_complex((size_t)size), *X = hfft_alloc_complex((size_t)size);
  hfft_plan forward = hfft_plan_dft_3d(3, 4, 5, x, X, MPI_COMM_SELF, HFFT_FORWARD, HFFT_ESTIMATE);
  hfft_plan backward = hfft_plan_dft_3d(3, 4, 5, X, X, MPI_COMM_SELF, HFFT_BACKWARD, HFFT_ESTIMATE);
  for (ptrdiff_t j = 0; j < 60; ++j)
    x[j][0] = sin(3.0 * (double)(j * j)), x[j][1] = cos((double)j);
  require(hfft_execute(forward) == HFFT_SUCCESS, "execute");
  for (ptrdiff_t i = 0; i < 60; ++i) {
    hfft_complex expected;
    element(x, n, (const ptrdiff_t[]){i / 20, i / 5 % 4, i % 5}, expected);
    // 60 additions, with sums up to 60 * 1.5 and a relative rounding error of 1.1e-16 each.
    require(hypot(X[i][0] - expected[0], X[i][1] - expected[1]) < 60 * 60 * 1.5 * 1.2e-16,
            "formula");
  }
  require(hfft_execute(backward) == HFFT_SUCCESS, "execute");
  for (ptrdiff_t j = 0; j < 60; ++j)
    require(hypot(X[j][0] / 60 - x[j][0], X[j][1] / 60 - x[j][1]) < 1e-14, "factor of both");
  hfft_destroy_plan(forward);
  hfft_destroy_plan(backward);
  hfft_free(x);
  hfft_free(X);
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level); // for more than one thread per rank
  hfft_plan_with_nthreads(2);                                 // for plans made from now on
  formula();
  line(MPI_COMM_WORLD);
  plans(MPI_COMM_WORLD);
  operators(MPI_COMM_WORLD);
  return MPI_Finalize();
}
