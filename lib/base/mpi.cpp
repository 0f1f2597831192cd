#include "base/mpi.h"

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace hybridfft::mpi {

namespace {

struct Outcome {
  int code = HFFT_SUCCESS;
  std::string reason;
};

Outcome run(const std::function<void()> &step) {
  Outcome outcome;
  run_reporting(step, [&](hfft_error code, const char *reason) { outcome = {code, reason}; });
  return outcome;
}

} // namespace

void check(int code, const char *call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Failure(HFFT_ERROR_MPI, std::string(call) + " failed: " +
                                    std::string(text, static_cast<std::size_t>(length)));
}

bool running() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

int rank(MPI_Comm comm) {
  int value = 0;
  check(MPI_Comm_rank(comm, &value), "MPI_Comm_rank");
  return value;
}

int size(MPI_Comm comm) {
  int value = 0;
  check(MPI_Comm_size(comm, &value), "MPI_Comm_size");
  return value;
}

void all_or_none(MPI_Comm comm, const std::function<void()> &step) {
  const Outcome mine = run(step);
  // Largest code wins, then the lowest rank that has it tells the reason.
  struct {
    int code;
    int rank;
  } local{mine.code, rank(comm)}, worst{};
  check(MPI_Allreduce(&local, &worst, 1, MPI_2INT, MPI_MAXLOC, comm), "MPI_Allreduce");
  if (worst.code == HFFT_SUCCESS) return;
  int length = static_cast<int>(std::min<std::size_t>(mine.reason.size(), 4096));
  check(MPI_Bcast(&length, 1, MPI_INT, worst.rank, comm), "MPI_Bcast");
  std::vector<char> text(
      mine.reason.begin(),
      mine.reason.begin() +
          std::min<std::ptrdiff_t>(length, static_cast<std::ptrdiff_t>(mine.reason.size())));
  text.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(text.data(), length, MPI_CHAR, worst.rank, comm), "MPI_Bcast");
  throw Failure(static_cast<hfft_error>(worst.code), std::string(text.begin(), text.end()));
}

} // namespace hybridfft::mpi
