// The cost model: estimates the seconds of a choice from the steps of some ranks and the rates of
// the machine. It orders candidates before they are timed; HFFT_ESTIMATE uses it alone.
#include "plan/candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/machine_parameters.h"
#include "local/simd_passes.h"
#include "local/twiddles.h"
#include "plan/lowering.h"

namespace hybridfft::plan {

namespace {

/// Factors of work for lengths with large prime factors: for FFTW's generic code, and for
/// convolutions with the library's own kernels.
constexpr double fftw_primes = 3.3;
constexpr double simd_primes = 5;

/// Factor on the cost of the less preferred of two otherwise equal choices. It breaks ties, and is
/// smaller than the error of the model.
constexpr double tie_break = 1.02;

/// Returns the binary logarithm to nine digits, with the same bits on all processors. The logarithm
/// of <cmath> uses different instructions on different processors. Costs that differ in the last
/// bit between ranks would lead to different choices.
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

/// Returns the first transformed axis of the stage with planes: one of the axes 0 and 1.
int leading_axis(const PathStage &planes) {
  return *std::min_element(planes.axes.begin(), planes.axes.end());
}

} // namespace

CostModel::CostModel(const Problem &p, const Machine &machine)
    : problem_(p), machine_(machine), ranks_(p.in.ranks()) {}

bool CostModel::applies(int axis) const {
  const std::ptrdiff_t n = problem_.grid_side().extent(axis);
  return local::has_simd_lines(machine_.isa, problem_.real_bytes, n, problem_.line_kind(axis));
}

/// The library's own kernels transform several fields only as complex lines. Planes of several
/// fields need FFTW.
bool CostModel::simd_planes(const Choice &choice) const {
  const PathStage *planes = planes_of(choice.path->path);
  if (planes == nullptr) return simd_columns(choice);
  const bool alone = problem_.howmany() == 1;
  if (!alone && problem_.kind != Kind::c2c) return false;
  if (problem_.dimensions() == 2) return applies(leading_axis(*planes));
  const bool lines = problem_.dimensions() == 3 && applies(2);
  return lines && (choice.passes == Passes::split || (alone && applies(leading_axis(*planes))));
}

bool CostModel::simd_columns(const Choice &choice) const {
  for (const PathStage &stage : choice.path->path)
    for (const int axis : stage.axes)
      if (!stage.planes && applies(axis)) return true;
  return false;
}

bool CostModel::simd_columns_of_planes(const Choice &choice) const {
  return applies(leading_axis(*planes_of(choice.path->path)));
}

double CostModel::seconds(const Choice &choice) const {
  double most = 0;
  for (const Works &rank : works(choice)) {
    // Sum by kind of step, so that equal steps in another order have exactly the same cost.
    std::array<double, profile::stage_kinds> sums{};
    for (const Work &w : rank)
      sums[static_cast<std::size_t>(w.kind)] += seconds(w, choice);
    most = std::max(most, std::accumulate(sums.begin(), sums.end(), 0.0));
  }
  return choice.by_field ? most * static_cast<double>(problem_.howmany()) : most;
}

double CostModel::seconds(const Work &w, const Choice &choice) const {
  if (w.kind == StepKind::exchange) return exchange(w, choice);
  // FFTW's plan of the complete array calls several kernels.
  const double calls = w.kind == StepKind::whole ? 2 * rates().call_seconds : 0;
  return pass(w, choice) + gathering(w, choice) + calls;
}

double CostModel::pass(const Work &w, const Choice &choice) const {
  const local::Kernel kernel =
      w.kind == StepKind::columns ? choice.column_kernel : choice.plane_kernel;
  const bool simd = w.simd && (kernel == local::Kernel::simd ||
                               w.kind == StepKind::copy); // copies use streamed stores, too
  const int team = threads(choice);
  const double memory = memory_bandwidth(
      rates(), {static_cast<double>(team), static_cast<double>(machine_.ranks_per_node)});
  const bool streamed = simd && choice.store == simd::Store::streamed;
  double moving = 0;
  double fetching = 0;
  if (in_cache(w.elements, choice)) {
    moving = 2 * bytes(w.elements) / (rates().cache_bandwidth * team);
    // The next step has to read streamed results from memory.
    if (streamed) fetching = bytes(w.elements) / memory;
  } else { // cached stores read a cache line before they write it
    moving = bytes(w.elements) * w.traffic * (streamed ? 2 : 3) / memory;
  }
  double rate = simd ? rates().simd_rate : rates().fftw_rate;
  rate *= static_cast<double>(sizeof(float)) / static_cast<double>(problem_.real_bytes);
  // The pass takes as long as the thread with the most units.
  const double units = std::max(w.units, 1.0);
  const double rounds = std::ceil(units / team) * team / units;
  double computing = w.flops[simd ? 1 : 0] / (rate * team) * rounds;
  if (!simd) {
    if (choice.order == local::TileOrder::lines) computing *= tie_break;
    if (choice.tile_bytes > machine_.small_tile) computing *= tie_break;
  }
  return std::max(moving * rounds, computing) + fetching + rates().call_seconds +
         (team > 1 ? rates().region_seconds : 0);
}

/// Returns the additional seconds of a pass that reads columns line by line from other ranks'
/// caches. Planes read contiguous lines and have no additional cost.
double CostModel::gathering(const Work &w, const Choice &choice) const {
  const exchange::Algorithm *a = algorithm(choice);
  if (!w.gathers || a == nullptr || !a->node_memory || !in_cache(w.elements, choice)) return 0;
  return bytes(w.elements) * (ranks_ - 1) / ranks_ / (rates().cache_bandwidth * threads(choice));
}

/// Returns the algorithm of a choice's exchanges.
const exchange::Algorithm *CostModel::algorithm(const Choice &choice) const {
  for (const exchange::Algorithm &a : exchange::algorithms()) {
    if (choice.messages == MessageForm::shared && a.node_memory) return &a;
    if (choice.messages == MessageForm::chunks && choice.algorithm == nullptr && a.chunked)
      return &a;
  }
  return choice.algorithm;
}

double CostModel::exchange(const Work &w, const Choice &choice) const {
  const exchange::Algorithm *a = algorithm(choice);
  const exchange::ExchangeCost cost = a != nullptr ? a->cost : exchange::ExchangeCost{};
  const auto per_node = static_cast<double>(machine_.ranks_per_node);
  const NetworkLoad load{bytes(w.elements) * w.far * (1 - cost.hidden),
                         cost.messages * w.units * (1 - w.far), cost.messages * w.units * w.far,
                         cost.in_flight};
  double reordering = 0;
  if (w.reordered > 0) { // a pass would reorder slightly faster than the copy assumed here
    Work copy;
    copy.elements = w.reordered;
    reordering = tie_break * pass(copy, choice);
  }
  return reordering + bytes(cost.copies * w.copied) / memory_bandwidth(rates(), {1, per_node}) +
         network_seconds(rates(), per_node, load);
}

bool CostModel::in_cache(double elements, const Choice &choice) const {
  return 2 * bytes(elements) <= 4 * static_cast<double>(machine_.large_tile) * threads(choice);
}

int CostModel::threads(const Choice &choice) const {
  const auto given = static_cast<int>(machine_.threads);
  return choice.threads > 0 ? std::min(choice.threads, given) : given;
}

const std::vector<CostModel::Works> &CostModel::works(const Choice &choice) const {
  Choice same;
  same.path = choice.path;
  same.passes = choice.passes;
  same.by_field = choice.by_field;
  if (choice.messages == MessageForm::chunks) same.messages = MessageForm::chunks;
  const bool between_slabs = planes_of(choice.path->path) != nullptr;
  if (!between_slabs) {
    same.plane_kernel = choice.plane_kernel;
    same.threads = threads(choice);
  } else if (choice.algorithm != nullptr &&
             (choice.algorithm->node_memory || choice.algorithm->in_place)) {
    same.algorithm = choice.algorithm;
  }
  for (const auto &[known, works] : works_)
    if (known == same) return works;
  std::vector<Works> list;
  std::vector<int> samples{0}; // between slabs rank 0 has the most work
  if (!between_slabs)
    for (const int r : {std::min(ranks_ / 3 + 1, ranks_ - 1), ranks_ - 1})
      if (r != samples.back()) samples.push_back(r);
  for (const int r : samples)
    list.push_back(works_of(choice, r));
  return works_.emplace_back(std::move(same), std::move(list)).second;
}

Steps CostModel::steps_of(const Choice &choice, int rank) const {
  Problem one = problem_;
  one.isa = machine_.isa;
  one.threads = threads(choice);
  Steps steps = lower_path(one, choice, rank);
  if (planes_of(choice.path->path)) outline_slab_exchanges(steps, one, choice, rank);
  // Passes before and after chunked messages stay separate: only all ranks together can determine
  // the number of chunks.
  if (choice.messages != MessageForm::chunks) fuse_planes(steps, one, choice);
  return steps;
}

CostModel::Works CostModel::works_of(const Choice &choice, int rank) const {
  Works works;
  for (const Step &s : steps_of(choice, rank)) {
    Work w = s.is_exchange() ? exchange_of(s, rank) : pass_of(s);
    w.gathers =
        s.kind != StepKind::planes && !works.empty() && works.back().kind == StepKind::exchange;
    works.push_back(w);
  }
  return works;
}

CostModel::Work CostModel::pass_of(const Step &s) const {
  Work w;
  w.kind = s.kind;
  w.elements = static_cast<double>(s.reads + s.writes) / 4;
  w.simd = simd(s);
  w.flops = flops(s);
  const auto rows = static_cast<double>(s.source.rows);
  switch (s.kind) {
  case StepKind::copy:
    w.units = static_cast<double>(machine_.threads);
    break;
  case StepKind::whole: // several passes over memory, parallel along the first axis
    w.units = static_cast<double>(s.source.columns);
    w.traffic = 3;
    break;
  default:
    w.units = rows * static_cast<double>(s.source.vec);
  }
  if (s.kind == StepKind::planes && s.transform.extents.size() > 1) {
    w.units = rows;
    // A plane larger than the second-level cache is read and written twice.
    const bool fits =
        bytes(w.elements / std::max(rows, 1.0)) <= 4 * static_cast<double>(machine_.large_tile);
    if (!fits) w.traffic = 2;
  }
  return w;
}

/// The model assumes that the ranks of a node have consecutive numbers.
CostModel::Work CostModel::exchange_of(const Step &step, int rank) const {
  double sent = 0;
  double own = 0;
  double far = 0;
  double messages = 0;
  for (const exchange::RankBytes &b : step.blocks.sent) {
    const auto count = static_cast<double>(b.count);
    if (b.rank == rank) {
      own = count;
      continue;
    }
    sent += count;
    messages += 1;
    if (b.rank / machine_.ranks_per_node != rank / machine_.ranks_per_node) far += count;
  }
  Work w;
  w.kind = StepKind::exchange;
  w.elements = sent / bytes(1);
  w.units = messages;
  if (sent > 0) w.far = far / sent;
  // A transposition also copies the rank's own block. Messages between boxes do not move it.
  const bool transposition = !step.source.pieces.empty();
  w.copied = (sent + (transposition ? own : 0)) / bytes(1);
  if (step.reorders)
    w.reordered =
        static_cast<double>(std::max(step.source.elements(), step.destination.elements()));
  return w;
}

/// True if the library's own kernels support a pass; they always support copies.
bool CostModel::simd(const Step &s) const {
  const local::PlaneTransform &t = s.transform;
  if (s.kind == StepKind::copy) return true;
  if (s.kind == StepKind::whole || t.extents.size() > 2) return false;
  if (t.howmany > 1 && (t.extents.size() > 1 || t.kind != Kind::c2c)) return false;
  return std::all_of(t.extents.begin(), t.extents.end(), [&](std::ptrdiff_t n) {
    return local::has_simd_lines(machine_.isa, problem_.real_bytes, n, t.line);
  });
}

/// Returns the flops for FFTW's kernels and for the library's own: 5 n log2 n for a complex line,
/// half of it for a real line. For lengths with large prime factors the flops are multiplied by
/// fftw_primes or simd_primes.
std::array<double, 2> CostModel::flops(const Step &s) const {
  std::array<double, 2> flops{};
  if (!s.is_fft()) return flops;
  const local::PlaneTransform &t = s.transform;
  double points =
      static_cast<double>(s.source.rows * (s.kind == StepKind::columns ? s.source.vec : t.howmany));
  for (const std::ptrdiff_t n : t.extents)
    points *= static_cast<double>(n);
  for (const std::ptrdiff_t n : t.extents) {
    const double each = (s.is_of_reals() ? 2.5 : 5) * points * log2_of(static_cast<double>(n));
    const bool large_prime = local::has_large_prime(n);
    flops[0] += each * (large_prime ? fftw_primes : 1);
    flops[1] += each * (large_prime ? simd_primes : 1);
  }
  return flops;
}

} // namespace hybridfft::plan
