/// Tests the verifier. It must detect faults that this program inserts between the verifier and the
/// library.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <string>
#include <utility>

#include "support/mpi_test.h"
#include "verifier/verify.h"

namespace {

enum class Fault {
  none,
  swapped_elements,
  rounded_result,
  stale_element,
  changed_input,
  byte_after_output,
  byte_before_output,
  touched_while_planning,
  wrong_start,
  no_plan,
  failing_execution
};

Fault fault = Fault::none;
/// allocated: number of complex elements in each array of the verifier on this rank. used: number
/// of these elements with a result.
std::ptrdiff_t allocated = 0;
std::ptrdiff_t used = 0;

template <class F> F *original(const char *name) {
  return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name));
}

/// store() writes a byte. If its address is in a guard page or a read-only array, store() sets
/// `stopped` instead. In other programs a signal would end the process, so the fault counts as
/// detected.
std::atomic<bool> stopped{false};
sigjmp_buf before_store;
void store(unsigned char *address, unsigned char value) {
  struct sigaction ours {
  }, theirs{};
  ours.sa_handler = [](int) { siglongjmp(before_store, 1); };
  sigaction(SIGSEGV, &ours, &theirs);
  if (sigsetjmp(before_store, 1) == 0)
    *static_cast<volatile unsigned char *>(address) = value;
  else
    stopped = true;
  sigaction(SIGSEGV, &theirs, nullptr);
}

/// Inserts the fault after a correct execution.
void spoil(hfft_complex *in, hfft_complex *out) {
  auto *bytes = reinterpret_cast<unsigned char *>(out);
  switch (fault) {
  case Fault::swapped_elements:
    if (used > 1) std::swap(out[0], out[1]);
    break;
  case Fault::rounded_result: // as if it were computed in single precision
    for (std::ptrdiff_t i = 0; i < used; ++i)
      out[i][0] = static_cast<double>(static_cast<float>(out[i][0]));
    break;
  case Fault::stale_element:
    if (used > 0) out[used - 1][1] += 1e-3;
    break;
  case Fault::changed_input:
    store(reinterpret_cast<unsigned char *>(in) + 6, 0x55);
    break;
  case Fault::byte_after_output:
    store(bytes + static_cast<std::size_t>(allocated) * sizeof(hfft_complex), 0);
    break;
  case Fault::byte_before_output:
    store(bytes - 1, 0);
    break;
  default:
    break;
  }
}

} // namespace

// The linker prefers these functions of the program to those of the library with the same names.
extern "C" {

int hfft_execute_dft(hfft_plan plan, hfft_complex *in, hfft_complex *out) {
  const int code = original<decltype(hfft_execute_dft)>("hfft_execute_dft")(plan, in, out);
  spoil(in, out);
  return fault == Fault::failing_execution ? HFFT_ERROR_MPI : code;
}

hfft_plan hfft_plan_many_dft(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock,
                             ptrdiff_t oblock, hfft_complex *in, hfft_complex *out, MPI_Comm comm,
                             int sign, unsigned flags) {
  if (fault == Fault::no_plan) return nullptr;
  if (fault == Fault::touched_while_planning) store(reinterpret_cast<unsigned char *>(in), 1);
  return original<decltype(hfft_plan_many_dft)>("hfft_plan_many_dft")(
      rnk, n, howmany, iblock, oblock, in, out, comm, sign, flags);
}

ptrdiff_t hfft_local_size_many_transposed(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                                          ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm,
                                          ptrdiff_t *local_n0, ptrdiff_t *local_0_start,
                                          ptrdiff_t *local_n1, ptrdiff_t *local_1_start) {
  allocated =
      original<decltype(hfft_local_size_many_transposed)>("hfft_local_size_many_transposed")(
          rnk, n, howmany, block0, block1, comm, local_n0, local_0_start, local_n1, local_1_start);
  used = *local_n0 * n[1] * n[2];
  if (fault == Fault::wrong_start) ++*local_0_start;
  return allocated;
}

} // extern "C"

namespace hybridfft {
namespace {

/// Expects the problem without a fault to pass. Then inserts the fault on the last rank with data,
/// and expects the check `name` to fail on all ranks, or memory protection to prevent the fault.
void expect_noticed(Fault f, const std::string &name) {
  const verifier::Problem p = verifier::parse("of6x5x4");
  ASSERT_TRUE(verifier::verify(p, test::world()).passed());
  int last = used > 0 ? test::rank_of(test::world()) : 0;
  MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, test::world());
  fault = test::rank_of(test::world()) == last ? f : Fault::none;
  const verifier::Report report = verifier::verify(p, test::world());
  fault = Fault::none;
  int memory = stopped.exchange(false) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_INT, MPI_MAX, test::world());
  if (memory != 0) return;
  EXPECT_FALSE(report.passed());
  const auto found =
      std::find_if(report.checks.begin(), report.checks.end(),
                   [&](const verifier::Check &c) { return c.name == name && !c.passed(); });
  ASSERT_NE(found, report.checks.end()) << "\"" << name << "\" passed\n" << report.failures();
  EXPECT_FALSE(found->detail.empty());
}

TEST(Faults, InResultsAreNoticed) {
  expect_noticed(Fault::swapped_elements, "new arrays");
  expect_noticed(Fault::rounded_result, "new arrays");
  expect_noticed(Fault::stale_element, "new arrays");
  expect_noticed(Fault::stale_element, "linearity");
  expect_noticed(Fault::swapped_elements, "impulse");
  expect_noticed(Fault::swapped_elements, "shift");
}

TEST(Faults, InMemoryAreNoticed) {
  expect_noticed(Fault::byte_after_output, "guards");
  expect_noticed(Fault::byte_before_output, "guards");
  expect_noticed(Fault::changed_input, "input");
  expect_noticed(Fault::touched_while_planning, "estimate");
}

TEST(Faults, InCallsAreNoticed) {
  expect_noticed(Fault::wrong_start, "layout");
  expect_noticed(Fault::wrong_start, "layout view");
  expect_noticed(Fault::failing_execution, "new arrays");
}

TEST(Faults, MissingPlansAreNoticed) {
  // The fault is inserted on all ranks, because a library must fail on all ranks alike.
  fault = Fault::no_plan;
  const verifier::Report report = verifier::verify(verifier::parse("of6x5x4"), test::world());
  fault = Fault::none;
  EXPECT_EQ(report.worst().name, "plan");
  EXPECT_FALSE(report.passed());
}

} // namespace
} // namespace hybridfft
