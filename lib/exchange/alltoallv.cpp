#include "exchange/alltoallv.h"

#include <algorithm>
#include <climits>
#include <numeric>
#include <vector>

#include "base/mpi.h"
#include "exchange/block_order.h"
#include "exchange/datatype.h"

namespace hybridfft::exchange {

namespace {

std::vector<std::ptrdiff_t> offsets(const std::vector<std::ptrdiff_t> &counts) {
  std::vector<std::ptrdiff_t> sums(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), sums.begin(), std::ptrdiff_t{0});
  return sums;
}

std::vector<int> as_int(const std::vector<std::ptrdiff_t> &values) {
  std::vector<int> result;
  for (const std::ptrdiff_t v : values)
    result.push_back(static_cast<int>(v));
  return result;
}

/// MPI's int counts and displacements in units of one point.
class Alltoallv final : public Exchange {
public:
  Alltoallv(const Transposition &t, std::shared_ptr<Communicator> comm)
      : Exchange(by_destination(t, comm->rank()), by_source(t, comm->rank())),
        comm_(std::move(comm)),
        point_(1, t.vec * static_cast<std::ptrdiff_t>(t.element_bytes()), 0, INT_MAX) {
    const auto sent = send_counts(t, comm_->rank());
    const auto received = receive_counts(t, comm_->rank());
    send_counts_ = as_int(sent);
    send_offsets_ = as_int(offsets(sent));
    receive_counts_ = as_int(received);
    receive_offsets_ = as_int(offsets(received));
  }

  void execute(std::byte *send, std::byte *receive) override {
    mpi::check(MPI_Alltoallv(send, send_counts_.data(), send_offsets_.data(), point_.get(), receive,
                             receive_counts_.data(), receive_offsets_.data(), point_.get(),
                             comm_->get()),
               "MPI_Alltoallv");
  }

  std::string describe() const override { return "alltoallv"; }

private:
  std::shared_ptr<Communicator> comm_;
  Datatype point_;
  std::vector<int> send_counts_, send_offsets_, receive_counts_, receive_offsets_;
};

/// The same for counts or displacements beyond int: one datatype per peer says where its block
/// lies, in 64 bits.
class LargeAlltoall final : public Exchange {
public:
  LargeAlltoall(const Transposition &t, std::shared_ptr<Communicator> comm, std::ptrdiff_t limit)
      : Exchange(by_destination(t, comm->rank()), by_source(t, comm->rank())),
        comm_(std::move(comm)) {
    make_types(t, send_counts(t, comm_->rank()), limit, sent_);
    make_types(t, receive_counts(t, comm_->rank()), limit, received_);
    zeros_.resize(static_cast<std::size_t>(comm_->size()), 0);
  }

  void execute(std::byte *send, std::byte *receive) override {
    mpi::check(MPI_Alltoallw(send, sent_.counts.data(), zeros_.data(), sent_.types.data(), receive,
                             received_.counts.data(), zeros_.data(), received_.types.data(),
                             comm_->get()),
               "MPI_Alltoallw");
  }

  std::string describe() const override { return "alltoallv (64-bit datatypes)"; }

private:
  struct Side {
    std::vector<Datatype> owned;
    std::vector<MPI_Datatype> types;
    std::vector<int> counts;
  };

  static void make_types(const Transposition &t, const std::vector<std::ptrdiff_t> &counts,
                         std::ptrdiff_t limit, Side &side) {
    const std::ptrdiff_t point = t.vec * static_cast<std::ptrdiff_t>(t.element_bytes());
    const auto starts = offsets(counts);
    for (std::size_t q = 0; q < counts.size(); ++q) {
      side.owned.emplace_back(counts[q], point, starts[q] * point, limit);
      side.types.push_back(side.owned.back().get());
      side.counts.push_back(counts[q] > 0 ? 1 : 0);
    }
  }

  std::shared_ptr<Communicator> comm_;
  Side sent_, received_;
  std::vector<int> zeros_;
};

} // namespace

std::unique_ptr<Exchange> make_alltoallv_with_limit(const Transposition &t,
                                                    const std::shared_ptr<Communicator> &comm,
                                                    std::ptrdiff_t limit) {
  // The largest buffer of any rank decides, so that all ranks take the same road.
  const std::ptrdiff_t points =
      std::max(t.rows.count(0) * t.columns.n(), t.columns.count(0) * t.rows.n());
  if (points <= limit && t.vec * static_cast<std::ptrdiff_t>(t.element_bytes()) <= limit)
    return std::make_unique<Alltoallv>(t, comm);
  return std::make_unique<LargeAlltoall>(t, comm, limit);
}

std::unique_ptr<Exchange> make_alltoallv(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &) {
  return make_alltoallv_with_limit(t, comm, INT_MAX);
}

} // namespace hybridfft::exchange
