/// wisdom: makes, forgets, exports and imports wisdom by all of FFTW's functions.
/// wisdom write FILE: writes wisdom for another process.
/// wisdom read FILE [measured]: reads it. With "measured", planning must then measure nothing.
/// FFTW itself and the drop-in must meet the expectations. The exit status is 1 after a failed one.

#include <fftw3-mpi.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "barriers.h"
#include "cube.h"

namespace {

using dropin::Cube;
using dropin::expect;

constexpr unsigned only = FFTW_MEASURE | FFTW_WISDOM_ONLY;

/// Returns true if wisdom has a plan. Also checks the result of the plan.
bool is_known(unsigned flags = only) {
  Cube cube(MPI_COMM_WORLD);
  const fftw_plan p = cube.plan(flags);
  if (p == nullptr) return false;
  cube.check(p, "a plan from wisdom");
  fftw_destroy_plan(p);
  return true;
}

void measure(std::ptrdiff_t n = 8) {
  Cube cube(MPI_COMM_WORLD, n);
  const fftw_plan p = cube.plan(FFTW_MEASURE);
  cube.check(p, "a measured plan");
  fftw_destroy_plan(p);
}

/// Planning a measured problem again must execute no transform and change no array.
void plan_again(const char *what, std::ptrdiff_t n = 8) {
  Cube cube(MPI_COMM_WORLD, n);
  cube.fill();
  const long before = dropin::barriers();
  const fftw_plan p = cube.plan(FFTW_MEASURE);
  expect(dropin::barriers() == before, what);
  expect(cube.untouched(), what);
  cube.check(p, what);
  fftw_destroy_plan(p);
}

void transpose(bool known, const char *what) {
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t columns = 0;
  std::ptrdiff_t start = 0;
  const std::ptrdiff_t n[2] = {40, 24};
  const std::ptrdiff_t size = fftw_mpi_local_size_many_transposed(2, n, 1, 0, 0, MPI_COMM_WORLD,
                                                                  &rows, &start, &columns, &start);
  double *x = fftw_alloc_real(static_cast<std::size_t>(size));
  double *y = fftw_alloc_real(static_cast<std::size_t>(size));
  const long before = dropin::barriers();
  const fftw_plan p = fftw_mpi_plan_transpose(n[0], n[1], x, y, MPI_COMM_WORLD, FFTW_MEASURE);
  expect(!known || dropin::barriers() == before, what);
  for (std::ptrdiff_t i = 0; i < rows * n[1]; ++i)
    x[i] = static_cast<double>(i % n[1]);
  fftw_execute(p);
  bool right = true;
  for (std::ptrdiff_t i = 0; i < columns * n[0]; ++i)
    right = right && y[i] == static_cast<double>(start + i / n[0]);
  expect(right, "the result of a transposition");
  fftw_destroy_plan(p);
  fftw_free(x);
  fftw_free(y);
}

/// Planning must not turn FFTW's threads on. FFTW with threads would refuse wisdom exported before
/// the plans.
void expect_no_threads() {
  char *before = fftw_export_wisdom_to_string();
  const std::ptrdiff_t n[3] = {12, 10, 14};
  fftw_complex *in = fftw_alloc_complex(2 * 12 * 10 * 8);
  double *out = fftw_alloc_real(2 * 2 * 12 * 10 * 8);
  for (const unsigned effort : {FFTW_ESTIMATE, FFTW_MEASURE})
    fftw_destroy_plan(fftw_mpi_plan_many_dft_c2r(3, n, 2, 0, 0, in, out, MPI_COMM_SELF, effort));
  expect(fftw_import_wisdom_from_string(before) != 0, "plans do not turn FFTW's threads on");
  fftw_free(in);
  fftw_free(out);
  std::free(before);
}

/// Planning from wisdom under a time limit must not change the arrays. Only FFTW supports this
/// transform.
void plan_again_in_a_hurry() {
  std::vector<double> x(256);
  const auto plan = [&] {
    std::fill(x.begin(), x.end(), 1.0);
    return fftw_mpi_plan_r2r_2d(8, 8, x.data(), x.data(), MPI_COMM_WORLD, FFTW_REDFT10,
                                FFTW_REDFT10, FFTW_MEASURE);
  };
  fftw_destroy_plan(plan());
  fftw_set_timelimit(30);
  fftw_destroy_plan(plan());
  expect(std::count(x.begin(), x.end(), 1.0) == 256, "a limit does not measure what is known");
  fftw_set_timelimit(FFTW_NO_TIMELIMIT);
}

/// Forgetting wisdom in one precision must keep the wisdom in the other one.
void other_precision() {
  fftwf_forget_wisdom();
  plan_again("what is double is known after single precision forgets");
  transpose(true, "so is a double transposition");
  fftwf_cleanup();
  plan_again("what is double is known after single precision is cleaned up");
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
  // Earlier versions of the drop-in wrote this format.
  std::string unmarked(text);
  if (const auto blank = unmarked.find("\n\n)"); blank != unmarked.npos) unmarked.erase(blank, 1);
  forget();
  expect(fftw_import_wisdom_from_string(unmarked.c_str()) != 0, "an older string is understood");
  plan_again("what an older string has brought back is not measured again");
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

/// Importing wisdom by characters must stop after the last character of the text of its precision.
void by_characters_of_both_precisions() {
  Reader reader;
  fftw_export_wisdom(write_char, &reader.text);
  fftwf_export_wisdom(write_char, &reader.text);
  fftw_export_wisdom(write_char, &reader.text);
  expect(fftw_import_wisdom(read_char, &reader) != 0, "the first of three texts is understood");
  expect(fftwf_import_wisdom(read_char, &reader) != 0, "the second of three texts is understood");
  expect(fftw_import_wisdom(read_char, &reader) != 0, "the third of three texts is understood");
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

/// Gathers the wisdom of all ranks on rank 0 and broadcasts it.
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
  by_characters_of_both_precisions();
  expect_no_threads();
  measure();
  expect(is_known(), "what has been measured is known");
  plan_again("what has been measured is not measured again");
  transpose(false, "a transposition that is not known");
  transpose(true, "a transposition is not measured again");
  plan_again_in_a_hurry();
  other_precision();
  by_strings();
  by_characters();
  by_characters_of_both_precisions();
  by_files();
  by_messages();
  estimates();
}

/// Two sizes: each library is faster at one of them.
constexpr std::ptrdiff_t small = 8;
constexpr std::ptrdiff_t large = 32;

void write(const std::string &file) {
  measure(small);
  measure(large);
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
  if (argc > 3 && std::string(argv[3]) == "measured") {
    expect(is_known(), "the file brings wisdom back");
    for (const std::ptrdiff_t n : {small, large})
      plan_again("what a file has brought back is not measured again", n);
  }
  int all = dropin::failures;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
