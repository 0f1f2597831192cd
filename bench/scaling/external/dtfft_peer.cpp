// dtFFT as a peer: transforms between pencils or slabs, with its own choice of the exchange.
#include <dtfft.hpp>

#include <algorithm>

#include "base/mpi.h"
#include "scaling/external/peers.h"
#include "scaling/tuned_peer.h"

namespace hybridfft::bench {

namespace {

/// A peer that chooses its process grid and its exchange itself.
class DtfftPeer final : public TunedPeer {
public:
  using TunedPeer::TunedPeer;

  void execute() override {
    const auto direction = problem().direction == Direction::forward ? dtfft::Execute::FORWARD
                                                                     : dtfft::Execute::BACKWARD;
    plan_->execute(static_cast<void *>(in()), static_cast<void *>(out()), direction, work_.data());
  }

  bool is_countable() const override { return false; }

  std::optional<std::size_t> work_bytes() const override { return work_.bytes(); }

private:
  Values settings() const override { return {1}; }

  void plan_with(const Values &, Effort effort) override {
    const Problem &p = problem();
    const auto half = verifier::complex_extents(p);
    const std::vector<std::int32_t> dims(p.extents.rbegin(), p.extents.rend());
    const auto precision = p.single ? dtfft::Precision::SINGLE : dtfft::Precision::DOUBLE;
    if (p.kind == Kind::c2c)
      plan_ = std::make_unique<dtfft::PlanC2C>(dims, comm(), precision, effort_of(effort),
                                               dtfft::Executor::FFTW3);
    else
      plan_ = std::make_unique<dtfft::PlanR2C>(dims, comm(), precision, effort_of(effort),
                                               dtfft::Executor::FFTW3);
    std::vector<std::int32_t> starts_in(3), counts_in(3), starts_out(3), counts_out(3);
    std::size_t elements = 0;
    const dtfft::Error error =
        plan_->get_local_sizes(starts_in, counts_in, starts_out, counts_out, &elements);
    if (error != dtfft::Error::SUCCESS) throw dtfft::Exception(error, "", __FILE__, __LINE__);
    const LayoutView points = gathered(p.extents, box(starts_in, counts_in, {2, 1, 0}), {0, 1, 2});
    // In dtFFT's pencils along z, z is the fastest axis in memory, followed by x and y.
    const LayoutView spectrum = gathered(half, box(starts_out, counts_out, {0, 2, 1}), {1, 2, 0});
    const bool forward = p.direction == Direction::forward;
    const std::size_t bytes = plan_->get_alloc_bytes();
    make_arrays_of(forward ? points : spectrum, forward ? spectrum : points, bytes);
    mpi::all_or_none(comm(), [&] { work_ = Memory(plan_->get_aux_bytes(), p.threads); });
  }

  /// \param axes for each of dtFFT's axes the number of the same axis in this benchmark
  static IndexBox box(const std::vector<std::int32_t> &starts,
                      const std::vector<std::int32_t> &counts, const std::array<int, 3> &axes) {
    IndexBox box{{0, 0, 0}, {0, 0, 0}};
    for (std::size_t i = 0; i < 3; ++i) {
      box.start[static_cast<std::size_t>(axes[i])] = starts[i];
      box.count[static_cast<std::size_t>(axes[i])] = counts[i];
    }
    return box;
  }

  /// Returns dtFFT's effort for an effort of this library. `measure` becomes PATIENT, because
  /// dtFFT's MEASURE tries only process grids. PATIENT also tries all exchanges.
  static dtfft::Effort effort_of(Effort effort) {
    switch (effort) {
    case Effort::estimate:
      return dtfft::Effort::ESTIMATE;
    case Effort::exhaustive:
      return dtfft::Effort::EXHAUSTIVE;
    case Effort::measure:
    case Effort::patient:
      break;
    }
    return dtfft::Effort::PATIENT;
  }

  std::string in_words(const Values &) const override { return "as it chooses itself"; }
  const char *library() const override { return "dtFFT"; }

  std::unique_ptr<dtfft::Plan> plan_;
  Memory work_;
};

} // namespace

std::unique_ptr<Peer> make_dtfft_peer(const Problem &given, MPI_Comm comm) {
  Problem p = given;
  p.in_place = p.transposed_in = p.transposed_out = false;
  return std::make_unique<DtfftPeer>(p, comm);
}

std::string refuses_dtfft(const Problem &p, int ranks) {
  const std::string reason = refuses_other_than_one_field_in_3d(p);
  if (!reason.empty()) return reason;
  return ranks > p.extents[0] ? "it leaves ranks without data" : "";
}

} // namespace hybridfft::bench
