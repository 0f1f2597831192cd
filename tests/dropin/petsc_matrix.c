// Real 3D transforms by PETSc's matrix MATFFTW. The backward transform must restore the input,
// times the number of points. Vectors made for the plan are tested, and other vectors. Each kind
// prints a line. The exit status is 1 if the input is not restored.
#include <math.h>
#include <petscmat.h>
#include <stdlib.h>

enum { n0 = 16, n1 = 12, n2 = 10 };

// Vectors hold local planes; their lines are padded to 2 (n2 / 2 + 1) numbers.
static PetscInt padding(PetscInt i) { return i % (2 * (n2 / 2 + 1)) >= n2; }

static PetscErrorCode fill(Vec v) {
  PetscScalar *a;
  PetscInt size, first, last;
  PetscCall(VecGetLocalSize(v, &size));
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = 0; i < size; ++i)
    a[i] = padding(i) ? 0 : sin(0.7 * (double)(first + i)) + 0.1;
  PetscCall(VecRestoreArray(v, &a));
  return 0;
}

// Returns the maximum of |back - points * v| over all ranks.
static PetscErrorCode deviation(Vec v, Vec back, double *largest) {
  const PetscScalar *a, *b;
  PetscInt size;
  double mine = 0;
  PetscCall(VecGetLocalSize(v, &size));
  PetscCall(VecGetArrayRead(v, &a));
  PetscCall(VecGetArrayRead(back, &b));
  for (PetscInt i = 0; i < size; ++i)
    if (!padding(i)) mine = fmax(mine, fabs(b[i] - n0 * n1 * n2 * a[i]));
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscCall(VecRestoreArrayRead(back, &b));
  PetscCallMPI(MPI_Allreduce(&mine, largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  return 0;
}

// Transforms x forward and backward, and expects an error below 1e-9. The rounding error of 1920
// points of size 1.1 is about 1e-16 log2(1920) in each direction, far below this limit.
static PetscErrorCode forth_and_back(Mat matrix, Vec x, Vec y, Vec z, const char *which,
                                     int *failures) {
  double off = 0;
  PetscCall(fill(x));
  PetscCall(MatMult(matrix, x, y));
  PetscCall(MatMultTranspose(matrix, y, z));
  PetscCall(fill(x)); // c2r may destroy
  PetscCall(deviation(x, z, &off));
  if (!(off < 1e-9)) ++*failures;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s vectors: %s\n", which,
                        off < 1e-9 ? "there and back again" : "lost"));
  return 0;
}

int main(int argc, char **argv) {
  const PetscInt extents[] = {n0, n1, n2};
  Mat matrix;
  Vec x, y, z;
  int failures = 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(MatCreateFFT(PETSC_COMM_WORLD, 3, extents, MATFFTW, &matrix));
  PetscCall(MatCreateVecsFFTW(matrix, &x, &y, &z));
  PetscCall(forth_and_back(matrix, x, y, z, "planned", &failures));
  PetscCall(forth_and_back(matrix, x, y, z, "the same", &failures));
  // With PETSC_OTHER in the environment, also tests vectors not made for the plan. FFTW 3.3 does
  // not support PETSc 3.18's calls for such vectors.
  if (getenv("PETSC_OTHER") != NULL) {
    Vec u, v, w;
    PetscCall(MatCreateVecsFFTW(matrix, &u, &v, &w));
    PetscCall(forth_and_back(matrix, u, v, w, "other", &failures));
    PetscCall(VecDestroy(&u));
    PetscCall(VecDestroy(&v));
    PetscCall(VecDestroy(&w));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&matrix));
  PetscCall(PetscFinalize());
  return failures != 0;
}
