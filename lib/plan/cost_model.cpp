#include "plan/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/machine_costs.h"
#include "plan/cells.h"
#include "plan/path_lowering.h"
#include "plan/rewrites/fuse_planes.h"
#include "plan/step.h"

namespace hybridfft::plan {

namespace {

/// Large prime factors: the work of FFTW's generic code and of our convolutions, in multiples.
constexpr double fftw_primes = 3.3;
constexpr double simd_primes = 5;

/// FFTW times its transpositions dozens of times.
constexpr double long_exchange_seconds = 5e-3;

/// So slightly worse that it only decides between equals.
constexpr double second_choice = 1.02;

/// To nine digits and with the same bits on all processors, unlike that of <cmath>, which takes
/// other instructions where it finds them: ranks whose costs differ in the last bit would make
/// different choices.
double log2_of(double x) {
  constexpr double two_by_ln2 = 2.885390081777927;
  int exponent = 0;
  const double fraction = 2 * std::frexp(x, &exponent); // 1 to 2
  const double z = (fraction - 1) / (fraction + 1);
  double series = 0;
  for (int k = 17; k > 0; k -= 2)
    series = series * z * z + 1.0 / k;
  return exponent - 1 + two_by_ln2 * z * series;
}

} // namespace

CostModel::CostModel(const Problem &p, const Machine &machine)
    : problem_(p), machine_(machine), ranks_(p.in.ranks()), extents_(p.extents()),
      real_(p.kind != Kind::c2c) {
  for (const int axis : p.axes)
    simd_on_path_ = simd_on_path_ || simd_applies(machine.isa, p.real_bytes,
                                                  extents_[static_cast<std::size_t>(axis)]);
  if (!p.slabs) return;
  back_ = p.slabs->back();
  slow_ = p.slabs->transposed_in ? 1 : 0;
  middle_ = 1 - slow_;
  const auto n = p.complex_extents();
  slow_points_ = static_cast<double>(n[slow_]);
  middle_points_ = static_cast<double>(n[middle_]);
  // Blocks are those of the arrays, which of pruned transforms have fewer points than the grid.
  const auto share = [this](double points, std::ptrdiff_t extent, std::ptrdiff_t block) {
    return points * static_cast<double>(BlockDistribution(extent, ranks_, block).count(0)) /
           static_cast<double>(extent);
  };
  rows_ = share(slow_points_, p.input_extents()[slow_], p.slabs->iblock);
  columns_ = back_ ? share(middle_points_, n[middle_], 0)
                   : share(middle_points_, p.output_extents()[middle_], p.slabs->oblock);
  vec_ = static_cast<double>(
      std::accumulate(n.begin() + 2, n.end(), p.howmany(), std::multiplies<>()));
  for (std::size_t axis = 0; axis < extents_.size() && p.pruned(); ++axis) {
    const KeptModes modes = p.kept_modes(static_cast<int>(axis));
    (axis < 2 ? kept_[axis] : rest_kept_) *=
        static_cast<double>(modes.kept()) / static_cast<double>(modes.bins());
  }
  if (p.axes.empty()) { // copies, which stream as our kernels do
    simd_ = {true, true};
    simd_rest_ = simd_planes_ = true;
    return;
  }
  for (std::size_t axis = 0; axis < 2; ++axis)
    simd_[axis] = simd_applies(machine.isa, p.real_bytes, extents_[axis]);
  simd_rest_ = (p.howmany() == 1 || p.kind == Kind::c2c) && extents_.size() == 3 &&
               simd_applies(machine.isa, p.real_bytes, extents_.back());
  const bool lines_2d = extents_.size() == 2 && (p.howmany() == 1 || p.kind == Kind::c2c);
  simd_planes_ = lines_2d || (simd_rest_ && p.howmany() == 1);
}

/// The first of the axes that planes have: planes last without a way back, the two first axes trade
/// places.
std::size_t CostModel::plane_axis(const Choice &choice) const {
  return choice.planes_last && !back_ ? slow_ : middle_;
}

bool CostModel::simd_planes(const Choice &choice) const {
  if (choice.path) return simd_on_path_;
  if (choice.split_planes) return simd_rest_;
  return simd_[plane_axis(choice)] && simd_planes_;
}

bool CostModel::simd_columns(const Choice &choice) const {
  return choice.path ? simd_on_path_ : simd_[1 - plane_axis(choice)];
}

double CostModel::seconds(const Choice &choice) const {
  if (choice.path) return path(choice);
  if (choice.whole) return whole(choice);
  const double between = columns_ * slow_points_ * vec_ * kept(choice);
  double seconds = planes(choice) + columns(choice);
  if (ranks_ > 1) {
    seconds += exchange(rows_ * middle_points_ * vec_ * kept(choice), choice.algorithm);
    if (back_) seconds += exchange(between, choice.algorithm);
    seconds += gathering(between, choice);
  }
  // An exchange that leaves the final order copies more than a pass does.
  if (problem_.axes.empty() && choice.planes_last) seconds *= second_choice;
  return seconds;
}

bool CostModel::in_cache(double elements, const Choice &choice) const {
  return 4 * elements * static_cast<double>(problem_.real_bytes) <=
         4 * static_cast<double>(machine_.large_tile) * threads(choice);
}

/// Lines of the caches of other ranks are fetched one by one where columns gather them; planes are
/// read one line after another.
double CostModel::gathering(double elements, const Choice &choice) const {
  const bool from_others = choice.algorithm != nullptr && choice.algorithm->node_memory;
  if (!from_others || choice.planes_last || !in_cache(elements, choice)) return 0;
  return elements * 2 * static_cast<double>(problem_.real_bytes) * (ranks_ - 1) / ranks_ /
         (rates().cache_bandwidth * threads(choice));
}

bool CostModel::long_to_measure(const Choice &choice) const {
  if (ranks_ == 1 || choice.path || choice.algorithm == nullptr || !choice.algorithm->fftw)
    return false;
  return machine_.several_nodes(ranks_) || exchange(rows_ * middle_points_ * vec_ * kept(choice),
                                                    choice.algorithm) > long_exchange_seconds;
}

int CostModel::threads(const Choice &choice) const {
  const auto given = static_cast<int>(machine_.threads);
  return choice.threads > 0 ? std::min(choice.threads, given) : given;
}

double CostModel::flops(double elements, std::ptrdiff_t length, bool real, bool simd) const {
  if (problem_.axes.empty()) return 0;
  const double primes = !local::has_large_prime(length) ? 1 : simd ? simd_primes : fftw_primes;
  return (real ? 2.5 : 5) * elements * primes *
         log2_of(static_cast<double>(std::max<std::ptrdiff_t>(length, 2)));
}

double CostModel::planes(const Choice &choice) const {
  const double elements = rows_ * middle_points_ * vec_;
  const bool simd = choice.plane_kernel == local::Kernel::simd && simd_planes(choice);
  double along_rest = 0;
  for (std::size_t i = 2; i < extents_.size(); ++i)
    along_rest += flops(elements, extents_[i], real_, simd);
  const bool middle_real = real_ && extents_.size() == 2;
  if (choice.split_planes) {
    const bool middle_simd =
        choice.column_kernel == local::Kernel::simd && simd_columns_of_planes(choice);
    const double left = elements * rest_kept_;
    const double along_middle = flops(left, extents_[middle_], middle_real, middle_simd);
    return sweep({elements, along_rest, simd, rows_ * middle_points_, 1}, choice) +
           sweep({left, along_middle, middle_simd, rows_ * vec_ * rest_kept_, 1}, choice);
  }
  const double along_middle = flops(elements * rest_kept_, extents_[middle_], middle_real, simd);
  // A plane beyond the second-level cache is read and written twice.
  const double plane = middle_points_ * vec_ * 2 * static_cast<double>(problem_.real_bytes);
  const double extra = plane > 4 * static_cast<double>(machine_.large_tile) ? 2 : 1;
  return sweep({elements, along_rest + along_middle, simd, rows_, extra}, choice);
}

double CostModel::columns(const Choice &choice) const {
  const double elements = columns_ * slow_points_ * vec_ * kept(choice);
  const bool simd = choice.column_kernel == local::Kernel::simd && simd_columns(choice);
  return sweep({elements, flops(elements, extents_[slow_], false, simd), simd,
                columns_ * vec_ * rest_kept_, 1},
               choice);
}

double CostModel::sweep(const Sweep &s, const Choice &choice) const {
  const int team = threads(choice);
  const double bytes = s.elements * 2 * static_cast<double>(problem_.real_bytes);
  const double memory = memory_bandwidth(
      rates(), {static_cast<double>(team), static_cast<double>(machine_.ranks_per_node)});
  const bool streamed = s.simd && choice.store == simd::Store::streamed;
  double moving = 0;
  double fetching = 0;
  if (in_cache(s.elements, choice)) {
    moving = 2 * bytes / (rates().cache_bandwidth * team);
    // Results that could have stayed in the caches are waited for when they are read again.
    if (streamed) fetching = bytes / memory;
  } else { // through the caches, a line is read before it is written
    moving = bytes * s.extra_traffic * (streamed ? 2 : 3) / memory;
  }
  double rate = s.simd ? rates().simd_rate : rates().fftw_rate;
  rate *= static_cast<double>(sizeof(float)) / static_cast<double>(problem_.real_bytes);
  // The thread with the most units is waited for.
  const double rounds = std::ceil(std::max(s.units, 1.0) / team) * team / std::max(s.units, 1.0);
  double computing = s.flops / (rate * team) * rounds;
  if (!s.simd) {
    if (choice.order == local::TileOrder::lines) computing *= second_choice;
    if (choice.tile_bytes > machine_.small_tile) computing *= second_choice;
  }
  return std::max(moving * rounds, computing) + fetching + rates().call_seconds +
         (team > 1 ? rates().region_seconds : 0);
}

double CostModel::exchange(double elements, const exchange::Algorithm *algorithm) const {
  const double far = std::max(ranks_ - static_cast<double>(machine_.ranks_per_node), 0.0);
  return exchange(elements, algorithm, ranks_ - 1 - far, far, far / ranks_);
}

double CostModel::exchange(double elements, const exchange::Algorithm *algorithm, double near,
                           double far, double far_part) const {
  const exchange::ExchangeCost cost =
      algorithm != nullptr ? algorithm->cost : exchange::ExchangeCost{};
  const double bytes = elements * 2 * static_cast<double>(problem_.real_bytes);
  const auto per_node = static_cast<double>(machine_.ranks_per_node);
  const NetworkLoad load{bytes * far_part * (1 - cost.hidden), cost.messages * near,
                         cost.messages * far, cost.under_way};
  return cost.copies * bytes / memory_bandwidth(rates(), {1, per_node}) +
         network_seconds(rates(), per_node, load);
}

double CostModel::path(const Choice &choice) const {
  double most = 0;
  for (const std::vector<Work> &rank : works(choice)) {
    double seconds = 0;
    for (const Work &w : rank)
      seconds += work_seconds(w, choice);
    most = std::max(most, seconds);
  }
  return choice.by_field ? most * static_cast<double>(problem_.howmany()) : most;
}

double CostModel::work_seconds(const Work &w, const Choice &choice) const {
  if (w.kind == StepKind::exchange) {
    const exchange::Algorithm *algorithm = choice.algorithm;
    for (const exchange::Algorithm *a : exchange::algorithms_by_place()) {
      if (choice.messages == Messages::shared && a->node_memory) algorithm = a;
      if (choice.messages == Messages::chunks && algorithm == nullptr && a->chunked) algorithm = a;
    }
    return exchange(w.elements, algorithm, w.units * (1 - w.far), w.units * w.far, w.far);
  }
  const local::Kernel kernel =
      w.kind == StepKind::columns ? choice.column_kernel : choice.plane_kernel;
  return sweep({w.elements, w.flops, w.simd && kernel == local::Kernel::simd, w.units, 1}, choice);
}

const std::vector<std::vector<CostModel::Work>> &CostModel::works(const Choice &choice) const {
  const auto [known, added] =
      works_.try_emplace({choice.path.get(), choice.by_field, choice.messages == Messages::chunks,
                          choice.plane_kernel, threads(choice)});
  if (!added) return known->second;
  std::vector<int> samples{0};
  for (const int r : {std::min(ranks_ / 3 + 1, ranks_ - 1), ranks_ - 1}) // as those of paths
    if (r != samples.back()) samples.push_back(r);
  for (const int r : samples)
    known->second.push_back(works_of(choice, r));
  return known->second;
}

std::vector<CostModel::Work> CostModel::works_of(const Choice &choice, int rank) const {
  Problem one = problem_;
  one.isa = machine_.isa;
  one.threads = threads(choice);
  if (choice.by_field) {
    one.in = one.in.of_one_field();
    one.out = one.out.of_one_field();
  }
  Steps steps = lower_path(one, *choice.path, rank, choice.plane_kernel);
  // Passes beside messages in chunks stay apart; whether there are any, all ranks find out
  // together.
  if (choice.messages != Messages::chunks)
    fuse_planes(steps, one, choice.path->order, choice.plane_kernel);
  const std::vector<profile::Stage> stages = stages_of(steps, problem_.real_bytes);
  std::vector<Work> works;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step &s = steps[k];
    if (s.kind == StepKind::exchange) {
      works.push_back(exchange_of(s, rank));
      continue;
    }
    bool simd = true;
    for (const std::ptrdiff_t n : s.transform.extents)
      simd = simd && simd_applies(machine_.isa, problem_.real_bytes, n);
    const double rows = static_cast<double>(std::max<std::ptrdiff_t>(s.source.rows, 1)) *
                        static_cast<double>(std::max<std::ptrdiff_t>(s.source.vec, 1));
    works.push_back({s.kind, stages[k].bytes / 4 / static_cast<double>(problem_.real_bytes),
                     stages[k].flops, simd,
                     s.kind == StepKind::copy ? static_cast<double>(machine_.threads) : rows, 0});
  }
  return works;
}

/// Ranks of a node are taken to be neighbours.
CostModel::Work CostModel::exchange_of(const Step &step, int rank) const {
  double bytes = 0;
  double far = 0;
  double messages = 0;
  for (const exchange::RankBytes &b : step.sent) {
    if (b.rank == rank) continue;
    const auto count = static_cast<double>(b.count);
    bytes += count;
    messages += 1;
    if (b.rank / machine_.ranks_per_node != rank / machine_.ranks_per_node) far += count;
  }
  return {StepKind::exchange,
          bytes / 2 / static_cast<double>(problem_.real_bytes),
          0,
          false,
          messages,
          bytes > 0 ? far / bytes : 0};
}

double CostModel::whole(const Choice &choice) const {
  const double elements = slow_points_ * middle_points_ * vec_;
  double all = 0;
  for (std::size_t i = 0; i < extents_.size(); ++i)
    all += flops(elements, extents_[i], real_ && i + 1 == extents_.size(), false);
  return sweep({elements, all, false, slow_points_, 3}, choice) + 2 * rates().call_seconds;
}

} // namespace hybridfft::plan
