#include "hybridfft/trace.hpp"

#include "base/agreement.h"
#include "base/error.h"
#include "base/mpi.h"
#include "exchange/communicator.h"
#include "profile/trace.h"

namespace hybridfft {

struct TracedStages::Impl {
  std::shared_ptr<exchange::Communicator> comm;
  profile::Trace *trace = nullptr;
  std::vector<int> labels;
};

TracedStages::TracedStages(MPI_Comm comm, const std::vector<std::string> &stages, int rows)
    : impl_(std::make_unique<Impl>()) {
  mpi::require_running();
  impl_->comm = exchange::acquire(comm);
  std::int64_t traced = 0;
  Agreement agreement(impl_->comm->get());
  agreement.reach([&] {
    if (rows < 1)
      throw Failure(HFFT_ERROR_ARGUMENT,
                    "traced stages in " + std::to_string(rows) + " rows, expected at least 1");
    traced = profile::Trace::wanted();
    agreement.first(traced);
  });
  impl_->trace = profile::Trace::join(impl_->comm->get(), rows, traced);
  if (impl_->trace == nullptr) return;
  mpi::all_or_none(impl_->comm->get(), [&] {
    for (const std::string &stage : stages)
      impl_->labels.push_back(impl_->trace->label(stage, ""));
  });
}

TracedStages::~TracedStages() = default;
TracedStages::TracedStages(TracedStages &&) noexcept = default;
TracedStages &TracedStages::operator=(TracedStages &&) noexcept = default;

bool TracedStages::active() const { return impl_->trace != nullptr; }

void TracedStages::add(std::size_t stage, int row, Time begin, Time end) noexcept {
  if (active()) impl_->trace->add(impl_->labels[stage], row, begin, end);
}

} // namespace hybridfft
