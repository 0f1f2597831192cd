#include "plan/candidates.h"

#include <algorithm>

#include "base/environment.h"

namespace hybridfft::plan {

namespace {

using local::Kernel;
using local::TileOrder;
using simd::Store;

template <class T> Property values(T Choice::*member, const std::vector<T> &list) {
  Property property;
  for (const T &value : list)
    property.emplace_back([member, value](Choice &c) { c.*member = value; });
  return property;
}

bool all_threads_prescribed() {
  return word_of_environment("HFFT_THREADS", {"all", "fewer"},
                             "; the number of threads is OMP_NUM_THREADS, for the launcher "
                             "HFFT_THREADS_PER_RANK") == "all";
}

} // namespace

Prescriptions Prescriptions::read() {
  return {exchange::forced_algorithm(), all_threads_prescribed()};
}

Candidates::Candidates(const Problem &problem, std::size_t real_bytes, const Machine &machine,
                       int ranks, const Prescriptions &prescriptions)
    : problem_(problem), machine_(machine), ranks_(ranks), prescriptions_(prescriptions),
      model_(problem, real_bytes, machine, ranks) {}

/// Any choice; for deterministic problems all of its arithmetic.
Choice Candidates::start() const {
  Choice c;
  c.planes_last = problem_.deterministic ? problem_.spectrum_in() : problem_.kind == Kind::c2r;
  c.algorithm = &exchange::algorithms().front();
  c.tile_bytes = machine_.small_tile;
  if (problem_.deterministic) {
    // Our kernels take whole planes, complex ones from the last axis to the first. FFTW's take one
    // line at a time: threads share the lines then.
    const bool backward = problem_.kind == Kind::c2c && problem_.sign > 0;
    c.split_planes = problem_.extents.size() > 2 && (backward || !model_.simd_planes(c));
    c.store = Store::cached; // where streamed, the address decides on the code that runs
  }
  if (problem_.pruned()) {
    c.planes_last = problem_.spectrum_in();
    if (!admits(problem_, ranks_, canonical(c))) c.split_planes = true;
  }
  return c;
}

std::vector<Property> Candidates::properties(bool wide) const {
  std::vector<Property> list;
  Property algorithms;
  for (const exchange::Algorithm &a : exchange::algorithms())
    algorithms.emplace_back([&a](Choice &c) { c.algorithm = &a; });
  list.push_back(std::move(algorithms));
  list.push_back(values(&Choice::threads, {0, 1}));
  if (wide && machine_.threads > 3)
    list.back().emplace_back(
        [half = static_cast<int>(machine_.threads / 2)](Choice &c) { c.threads = half; });
  std::vector<std::ptrdiff_t> tiles{machine_.small_tile, machine_.large_tile};
  if (wide) tiles.insert(tiles.end(), {machine_.small_tile / 2, machine_.large_tile * 2});
  const Property tile = values(&Choice::tile_bytes, tiles);
  if (problem_.deterministic) return list;
  list.push_back(values(&Choice::plane_kernel, {Kernel::simd, Kernel::fftw}));
  list.push_back(values(&Choice::split_planes, {false, true}));
  list.push_back(values(&Choice::store, {Store::cached, Store::streamed}));
  list.push_back(values(&Choice::column_kernel, {Kernel::simd, Kernel::fftw}));
  list.push_back(values(&Choice::planes_last, {false, true}));
  list.push_back(values(&Choice::order, {TileOrder::interleaved, TileOrder::lines}));
  list.push_back(tile);
  list.push_back(values(&Choice::whole, {false, true}));
  return list;
}

Choice Candidates::canonical(Choice c) const {
  if (ranks_ == 1) c.algorithm = nullptr;
  if (c.threads >= machine_.threads) c.threads = 0;
  if (machine_.threads == 1) c.threads = 0;
  if (c.whole) {
    Choice whole = start();
    whole.whole = true;
    whole.algorithm = c.algorithm;
    whole.threads = c.threads;
    whole.plane_kernel = whole.column_kernel = Kernel::fftw;
    return whole;
  }
  const bool any_columns =
      model_.simd_columns(c) || (c.split_planes && model_.simd_columns_of_planes(c));
  if (!model_.simd_planes(c)) c.plane_kernel = Kernel::fftw;
  if (!any_columns) c.column_kernel = Kernel::fftw;
  // What only FFTW's kernels, or only ours, depend on.
  if (c.plane_kernel == Kernel::fftw && c.column_kernel == Kernel::fftw) c.store = Store::cached;
  if (!fftw_columns(c)) c.order = TileOrder::interleaved;
  if (!uses_fftw(c)) c.tile_bytes = machine_.small_tile;
  return c;
}

bool Candidates::fftw_columns(const Choice &c) const {
  return c.column_kernel == Kernel::fftw || !model_.simd_columns(c) ||
         (c.split_planes && !model_.simd_columns_of_planes(c));
}

bool Candidates::uses_fftw(const Choice &c) const {
  return c.whole || c.plane_kernel == Kernel::fftw || fftw_columns(c);
}

bool Candidates::admit(const Choice &c) const {
  if (!admits(problem_, ranks_, c)) return false;
  if (ranks_ > 1 && c.algorithm == nullptr) return false;
  if (prescriptions_.algorithm != nullptr && ranks_ > 1 && c.algorithm != prescriptions_.algorithm)
    return false;
  const bool fewer = c.threads > 0 && c.threads < machine_.threads;
  if (prescriptions_.all_threads && fewer) return false;
  if (!problem_.deterministic) return true;
  const Choice only = canonical(start());
  return !c.whole && c.planes_last == only.planes_last && c.split_planes == only.split_planes &&
         c.plane_kernel == only.plane_kernel && c.column_kernel == only.column_kernel &&
         c.store == only.store;
}

Choice Candidates::best_by_model(const exchange::Algorithm *algorithm) const {
  Choice best = start();
  best.algorithm = algorithm;
  best = canonical(best);
  double least = model_.seconds(best);
  for (const Property &property : properties(false))
    for (const auto &set : property) {
      Choice c = best;
      set(c);
      c.algorithm = algorithm;
      c = canonical(c);
      if (!admit(c)) continue;
      const double seconds = model_.seconds(c);
      if (seconds >= least) continue;
      least = seconds;
      best = c;
    }
  return best;
}

std::vector<Choice> Candidates::best_by_algorithm() const {
  std::vector<Choice> list;
  for (const exchange::Algorithm &a : exchange::algorithms()) {
    if (prescriptions_.algorithm != nullptr && ranks_ > 1 && &a != prescriptions_.algorithm)
      continue;
    list.push_back(best_by_model(&a));
    if (ranks_ == 1) break;
  }
  std::stable_sort(list.begin(), list.end(), [this](const Choice &a, const Choice &b) {
    return model_.seconds(a) < model_.seconds(b);
  });
  return list;
}

void Candidates::for_all(const std::function<void(const Choice &)> &visit) const {
  const std::vector<Property> list = properties(false);
  const std::function<void(std::size_t, const Choice &)> vary = [&](std::size_t i,
                                                                    const Choice &choice) {
    if (i == list.size()) return visit(choice);
    for (const auto &set : list[i]) {
      Choice c = choice;
      set(c);
      vary(i + 1, c);
    }
  };
  vary(0, start());
}

} // namespace hybridfft::plan
