/// wisdom: makes, forgets, exports and imports wisdom in all the ways that FFTW has.
/// wisdom write FILE, wisdom read FILE [known|measured]: leaves it for another process; finds it,
/// and a plan from it, which (measured) needs no measurements. Holds for FFTW itself and for what
/// stands in for it. Exit status 1 when an expectation is not met.

#include <fftw3-mpi.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "barriers.h"
#include "cube.h"

namespace {

using dropin::Cube;
using dropin::expect;

constexpr unsigned only = FFTW_MEASURE | FFTW_WISDOM_ONLY;

/// Whether there is a plan from wisdom, which is then tried.
bool is_known(unsigned flags = only) {
  Cube cube(MPI_COMM_WORLD);
  const fftw_plan p = cube.plan(flags);
  if (p == nullptr) return false;
  cube.check(p, "a plan from wisdom");
  fftw_destroy_plan(p);
  return true;
}

void measure() {
  Cube cube(MPI_COMM_WORLD);
  const fftw_plan p = cube.plan(FFTW_MEASURE);
  cube.check(p, "a measured plan");
  fftw_destroy_plan(p);
}

/// Planning what is known from measurements executes nothing.
void plan_again(const char *what) {
  Cube cube(MPI_COMM_WORLD);
  const long before = dropin::barriers();
  const fftw_plan p = cube.plan(FFTW_MEASURE);
  expect(dropin::barriers() == before, what);
  cube.check(p, what);
  fftw_destroy_plan(p);
}

void transpose_again() {
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t columns = 0;
  std::ptrdiff_t start = 0;
  const std::ptrdiff_t n[2] = {40, 24};
  const std::ptrdiff_t size = fftw_mpi_local_size_many_transposed(2, n, 1, 0, 0, MPI_COMM_WORLD,
                                                                  &rows, &start, &columns, &start);
  double *x = fftw_alloc_real(static_cast<std::size_t>(size));
  double *y = fftw_alloc_real(static_cast<std::size_t>(size));
  for (const bool again : {false, true}) {
    const long before = dropin::barriers();
    const fftw_plan p = fftw_mpi_plan_transpose(n[0], n[1], x, y, MPI_COMM_WORLD, FFTW_MEASURE);
    expect(!again || dropin::barriers() == before, "a transposition is not measured again");
    for (std::ptrdiff_t i = 0; i < rows * n[1]; ++i)
      x[i] = static_cast<double>(i % n[1]);
    fftw_execute(p);
    bool right = true;
    for (std::ptrdiff_t i = 0; i < columns * n[0]; ++i)
      right = right && y[i] == static_cast<double>(start + i / n[0]);
    expect(right, "the result of a transposition");
    fftw_destroy_plan(p);
  }
  fftw_free(x);
  fftw_free(y);
}

void forget() {
  fftw_forget_wisdom();
  expect(!is_known(), "what is forgotten is not known");
}

void write_char(char c, void *text) { static_cast<std::string *>(text)->push_back(c); }

struct Reader {
  std::string text;
  std::size_t at = 0;
};
int read_char(void *reader) {
  auto *r = static_cast<Reader *>(reader);
  return r->at < r->text.size() ? static_cast<unsigned char>(r->text[r->at++]) : EOF;
}

void by_strings() {
  char *text = fftw_export_wisdom_to_string();
  forget();
  expect(fftw_import_wisdom_from_string(text) != 0, "a string is understood");
  expect(is_known(), "a string brings wisdom back");
  plan_again("what a string has brought back is not measured again");
  expect(fftw_import_wisdom_from_string("(nonsense)") == 0, "nonsense is not understood");
  std::free(text);
}

void by_characters() {
  Reader reader;
  fftw_export_wisdom(write_char, &reader.text);
  forget();
  expect(fftw_import_wisdom(read_char, &reader) != 0, "characters are understood");
  expect(is_known(), "characters bring wisdom back");
}

void by_files() {
  std::FILE *file = std::tmpfile();
  fftw_export_wisdom_to_file(file);
  std::rewind(file);
  forget();
  expect(fftw_import_wisdom_from_file(file) != 0, "a file is understood");
  expect(is_known(), "a file brings wisdom back");
  std::fclose(file);
}

/// Gathers the wisdom of all ranks at rank 0 and broadcasts it.
void by_messages() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
  if (rank != 0) fftw_forget_wisdom();
  fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
  expect(is_known(), "rank 0 tells all ranks what it knows");
  plan_again("what rank 0 knows is not measured again");
}

void estimates() {
  fftw_forget_wisdom();
  expect(!is_known(FFTW_ESTIMATE | FFTW_WISDOM_ONLY), "nothing has been estimated");
  Cube cube(MPI_COMM_WORLD);
  const fftw_plan p = cube.plan(FFTW_ESTIMATE);
  cube.check(p, "an estimated plan");
  fftw_destroy_plan(p);
  expect(is_known(FFTW_ESTIMATE | FFTW_WISDOM_ONLY), "what has been estimated is known");
  expect(!is_known(), "but not from measurements");
}

void all_ways() {
  expect(!is_known(), "nothing is known at first");
  measure();
  expect(is_known(), "what has been measured is known");
  plan_again("what has been measured is not measured again");
  transpose_again();
  by_strings();
  by_characters();
  by_files();
  by_messages();
  estimates();
}

void write(const std::string &file) {
  measure();
  expect(fftw_export_wisdom_to_filename(file.c_str()) != 0, "the file is written");
}

void read(const std::string &file) {
  expect(fftw_import_wisdom_from_filename(file.c_str()) != 0, "the file is understood");
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  const std::string mode = argc > 1 ? argv[1] : "";
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string file = argc > 2 ? std::string(argv[2]) + "." + std::to_string(rank) : "";
  if (mode == "write")
    write(file);
  else if (mode == "read")
    read(file);
  else
    all_ways();
  const std::string known = mode == "read" && argc > 3 ? argv[3] : "";
  if (!known.empty()) expect(is_known(), "the file brings wisdom back");
  if (known == "measured") plan_again("what a file has brought back is not measured again");
  int all = dropin::failures;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
