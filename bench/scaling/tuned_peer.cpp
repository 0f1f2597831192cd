// Searches the settings of a library by coordinate descent: changes one setting at a time and keeps
// the fastest value.
#include "scaling/tuned_peer.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/mpi.h"
#include "scaling/data.h"
#include "scaling/rounds.h"

namespace hybridfft::bench {

double TunedPeer::seconds_with(const Values &values, Effort effort) {
  plan_with(values, effort);
  double fastest = 0;
  for (int execution = 0; execution < 2; ++execution) {
    // Restores the input: repeated transforms would reach infinities or denormal numbers, which
    // take longer.
    fill_input(*this);
    const double seconds = slowest_seconds([this] { execute(); }, comm());
    fastest = execution == 0 ? seconds : std::min(fastest, seconds);
  }
  return fastest;
}

void TunedPeer::plan(Effort effort) {
  const Values counts = settings();
  if (std::find(counts.begin(), counts.end(), 0) != counts.end())
    throw std::runtime_error(std::string(library()) + " has no process grid of " +
                             std::to_string(mpi::size(comm())) + " ranks for " +
                             to_string(problem()));
  best_.assign(counts.size(), 0);
  Values last = best_;
  double least = seconds_with(best_, effort);
  for (std::size_t s = 0; s < counts.size(); ++s)
    for (int value = 1; value < counts[s]; ++value) {
      last = best_;
      // Changes one setting of the best combination found so far.
      last[s] = value;
      const double seconds = seconds_with(last, effort);
      if (seconds >= least) continue;
      least = seconds;
      best_ = last;
    }
  if (best_ != last) plan_with(best_, effort);
}

std::string TunedPeer::describe() const {
  return std::string(library()) + " " + in_words(best_) + ": " + input().layout().describe() +
         " to " + output().layout().describe();
}

LayoutView TunedPeer::gathered(const std::vector<std::ptrdiff_t> &extents, const IndexBox &mine,
                               const std::vector<int> &order) const {
  std::array<long long, 6> box{};
  for (std::size_t a = 0; a < 3; ++a) {
    box[a] = mine.start[a];
    box[3 + a] = mine.count[a];
  }
  const auto ranks = static_cast<std::size_t>(mpi::size(comm()));
  std::vector<long long> all(ranks * box.size());
  mpi::check(MPI_Allgather(box.data(), 6, MPI_LONG_LONG, all.data(), 6, MPI_LONG_LONG, comm()),
             "MPI_Allgather");
  std::vector<IndexBox> boxes;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(6 * r);
    boxes.push_back({{at, at + 3}, {at + 3, at + 6}});
  }
  return {Layout::boxes(extents, std::move(boxes), {order, {}, 1, Fields::interleaved}),
          mpi::rank(comm())};
}

void TunedPeer::make_arrays_of(const LayoutView &in, const LayoutView &out, std::size_t min_bytes) {
  const Problem &p = problem();
  const std::size_t real = p.single ? sizeof(float) : sizeof(double);
  const auto bytes = [real](const LayoutView &view, bool real_side) {
    return static_cast<std::size_t>(view.size()) * (real_side ? real : 2 * real);
  };
  make_arrays(
      in, out,
      std::max({min_bytes, bytes(in, p.kind == Kind::r2c), bytes(out, p.kind == Kind::c2r)}));
}

std::string refuses_other_than_one_field_in_3d(const Problem &p) {
  if (p.extents.size() != 3) return "it transforms three dimensions";
  if (!p.kinds.empty()) return "this benchmark plans its Fourier transforms alone";
  if (p.howmany != 1) return "it transforms one field";
  if (p.block_in != HFFT_DEFAULT_BLOCK || p.block_out != HFFT_DEFAULT_BLOCK)
    return "blocks are its own";
  return "";
}

} // namespace hybridfft::bench
