#include "fftw3_mpi/library_choice.h"

#include <fftw3-mpi.h>
#include <fftw3.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "base/agreement.h"
#include "base/mpi.h"
#include "plan/create.h"
#include "wisdom/store.h"

namespace hybridfft::fftw3_mpi {

namespace {

std::string kind_word(const plan::Arguments &a) {
  if (a.kind == plan::Kind::r2c) return "r2c ";
  if (a.kind == plan::Kind::c2r) return "c2r ";
  if (a.kind == plan::Kind::r2r) {
    std::string words = "r2r ";
    for (int i = 0; a.kinds != nullptr && i < a.rank; ++i)
      words += std::string(local::name(static_cast<local::LineKind>(a.kinds[i]))) + " ";
    return words;
  }
  return a.sign == FFTW_FORWARD ? "c2c forward " : "c2c backward ";
}

std::string ranks_word(MPI_Comm comm) {
  return mpi::running() ? ", " + std::to_string(mpi::size(comm)) + " ranks" : "";
}

std::string shape_words(std::ptrdiff_t howmany, std::ptrdiff_t iblock, std::ptrdiff_t oblock) {
  std::string text;
  if (howmany != 1) text += " x " + std::to_string(howmany);
  if (iblock != 0 || oblock != 0)
    text += ", blocks " + std::to_string(iblock) + " and " + std::to_string(oblock);
  return text;
}

std::string order_words(unsigned flags) {
  return std::string((flags & FFTW_MPI_TRANSPOSED_IN) != 0 ? ", transposed in" : "") +
         ((flags & FFTW_MPI_TRANSPOSED_OUT) != 0 ? ", transposed out" : "") +
         ((flags & FFTW_MPI_SCRAMBLED_IN) != 0 ? ", scrambled in" : "") +
         ((flags & FFTW_MPI_SCRAMBLED_OUT) != 0 ? ", scrambled out" : "");
}

} // namespace

const char *precision_text(std::size_t real_bytes) {
  return real_bytes == sizeof(float) ? ", single precision" : ", double precision";
}

std::string problem_text(const plan::Arguments &a, MPI_Comm comm) {
  std::string text = kind_word(a);
  for (int i = 0; i < a.rank && a.n != nullptr; ++i)
    text += (i > 0 ? "x" : "") + std::to_string(a.n[i]);
  // FFTW determines the blocks of 1D complex transforms, so the text omits them.
  const bool line = a.rank == 1 && a.kind == plan::Kind::c2c;
  text += shape_words(a.howmany, line ? 0 : a.iblock, line ? 0 : a.oblock) +
          precision_text(a.real_bytes);
  text += a.in == a.out ? ", in place" : ", out of place";
  return text + order_words(a.flags) + ranks_word(comm);
}

std::string problem_text(const plan::TranspositionArguments &a, MPI_Comm comm) {
  return "transpose " + std::to_string(a.n0) + "x" + std::to_string(a.n1) +
         shape_words(a.howmany, a.block0, a.block1) + precision_text(a.real_bytes) +
         (a.in == a.out ? ", in place" : ", out of place") + order_words(a.flags) +
         ranks_word(comm);
}

namespace {

const std::string of_fftw = "by=fftw";
const std::string of_ours = "by=hybridfft";

} // namespace

LibraryChoice::LibraryChoice(std::shared_ptr<exchange::Communicator> comm,
                             const std::string &problem, int threads, unsigned effort)
    : comm_(std::move(comm)), effort_(effort) {
  const plan::Machine machine = plan::common_machine(*comm_, threads, -1);
  const auto key = [&] { return key_ = plan::library_key(problem, machine, comm_->size()); };
  choice_ = wisdom::recall_choice(*comm_, std::cref(key), effort_);
}

bool LibraryChoice::fftws() const { return choice_ == of_fftw; }

void LibraryChoice::remember(bool fftws, double seconds) const {
  mpi::all_or_none(comm_->get(), [&] {
    if (comm_->rank() != 0) return;
    wisdom::remember(key_, {effort_, seconds, fftws ? of_fftw : of_ours});
  });
}

namespace {

/// Largest time limit in s of earlier plans, for each effort.
using Seconds = std::array<double, 4>;
struct Known {
  std::mutex mutex;
  std::map<std::string, Seconds> problems;
};
template <class Real> Known &known() {
  static auto *instance = new Known; // never destroyed: global destructors may make plans
  return *instance;
}

/// Returns the index of the effort: 0 for FFTW_ESTIMATE to 3 for FFTW_EXHAUSTIVE.
std::size_t level(unsigned flags) {
  if ((flags & FFTW_ESTIMATE) != 0) return 0;
  if ((flags & FFTW_EXHAUSTIVE) != 0) return 3;
  return (flags & FFTW_PATIENT) != 0 ? 2 : 1;
}

double seconds(const Planning &p) { return p.limit < 0 ? infinity : p.limit; }

} // namespace

template <class Real> void note_planned(const Planning &p) {
  const std::lock_guard lock(known<Real>().mutex);
  // Estimates ignore time limits, so an earlier plan of any effort allows every later estimate.
  constexpr Seconds estimated{infinity, -1, -1, -1};
  Seconds &most = known<Real>().problems.emplace(p.problem, estimated).first->second;
  for (std::size_t i = 1; i <= level(p.flags); ++i)
    most[i] = std::max(most[i], seconds(p));
}

template <class Real> bool planned_before(const Planning &p, const exchange::Communicator &comm) {
  int here = 0;
  {
    const std::lock_guard lock(known<Real>().mutex);
    const auto found = known<Real>().problems.find(p.problem);
    here = found != known<Real>().problems.end() && found->second[level(p.flags)] >= seconds(p) ? 1
                                                                                                : 0;
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, comm.get()), "MPI_Allreduce");
  return here != 0;
}

template <class Real> void forget_problems() {
  const std::lock_guard lock(known<Real>().mutex);
  known<Real>().problems.clear();
}

#define HFFT_DEFINE_PLANNED_BEFORE(R)                                                              \
  template void note_planned<R>(const Planning &);                                                 \
  template bool planned_before<R>(const Planning &, const exchange::Communicator &);               \
  template void forget_problems<R>();
HFFT_DEFINE_PLANNED_BEFORE(double)
HFFT_DEFINE_PLANNED_BEFORE(float)

} // namespace hybridfft::fftw3_mpi
