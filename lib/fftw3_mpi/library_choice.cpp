#include "fftw3_mpi/library_choice.h"

#include <functional>
#include <utility>

#include "base/mpi.h"
#include "plan/create.h"
#include "wisdom/store.h"

namespace hybridfft::fftw3_mpi {

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

} // namespace hybridfft::fftw3_mpi
