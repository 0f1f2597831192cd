#include "plan/candidates.h"

#include <algorithm>

#include "base/fftw.h"
#include "plan/arguments.h"
#include "plan/lowering.h"

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

/// Bytes of a thread's tile in a copy between slabs.
constexpr std::ptrdiff_t copied_tile = std::ptrdiff_t{64} << 10;

/// Ratio of costs below which a choice counts as cheaper. Rounding errors thus never replace the
/// default.
constexpr double cheaper = 1 - 1e-9;

/// Size of a rank's array in bytes from which an in-place plan avoids a second array. A second
/// array would be faster, but users of in-place transforms may lack the memory.
constexpr double large_array = 16 << 20;

/// Smallest message in bytes for transforms field by field. Smaller fields share messages.
constexpr double min_message = 32 << 10;

/// Returns the size in bytes of rank 0's part of the complex array.
double bytes_of_rank(const Problem &p) {
  return static_cast<double>(p.complex_side().box(0).points()) * 2 *
         static_cast<double>(p.real_bytes);
}

/// True if all exchanges can work in place, within the user's array.
bool may_swap(const Problem &p, const Path &path) {
  for (std::size_t stage = 1; stage < path.size(); ++stage)
    if (!exchange::has_equal_blocks(slab_transposition(p, path, stage))) return false;
  return p.in_place && !p.pruned();
}

} // namespace

bool admits_fields(const Problem &p) {
  return p.howmany() > 1 && !p.in_place && p.in.fields() == Fields::separate &&
         p.out.fields() == Fields::separate;
}

bool admits(const Problem &p, int ranks, const Choice &choice) {
  const exchange::Algorithm *a = choice.algorithm;
  // Without an algorithm the exchange sends messages of blocks. Background executions need messages
  // that make progress during other work.
  if (planes_of(choice.path->path) == nullptr)
    return a == nullptr || (!a->in_place && (a->chunked || !p.needs_chunked()));
  if (a == nullptr ? ranks > 1 : a->in_place && !may_swap(p, choice.path->path)) return false;
  // Users call a redistribution instead of FFTW's transposition, so FFTW's own exchange is
  // excluded.
  if (p.axes.empty()) return choice.passes == Passes::fused && !(a != nullptr && a->fftw);
  if (choice.passes == Passes::whole)
    return ranks == 1 && !p.pruned() && p.scale == 1 && p.in.axes().front().axis == 0 &&
           p.out.axes().front().axis == 0 &&
           (p.kind != Kind::c2r || p.in_place || p.may_destroy_input);
  if (choice.passes == Passes::split) return p.dimensions() > 2;
  return !p.pruned() || p.dimensions() == 2 ||
         (p.kind != Kind::c2c && p.howmany() == 1 && choice.plane_kernel == local::Kernel::simd);
}

Candidates::Candidates(const Problem &problem, const Machine &machine)
    : problem_(problem), machine_(machine), ranks_(problem.in.ranks()), model_(problem, machine) {
  for (OrderedPath &path : slab_paths(problem))
    paths_.push_back(std::make_shared<const OrderedPath>(std::move(path)));
  better_orders_ = paths_.size();
  between_slabs_ = !paths_.empty();
  if (paths_.empty()) add_paths();
  in_place_alone_ = spares_memory();
}

/// True if the plan of a large in-place transform should not allocate a second array. False for
/// efforts above HFFT_MEASURE, and if HFFT_EXCHANGE names an exchange.
bool Candidates::spares_memory() const {
  if (!problem_.in_place || ranks_ == 1 || problem_.needs_chunked() ||
      machine_.overrides.algorithm != nullptr ||
      (problem_.effort != FFTW_ESTIMATE && problem_.effort != FFTW_MEASURE) ||
      bytes_of_rank(problem_) < large_array)
    return false;
  Choice c = start();
  return std::any_of(exchange::algorithms().begin(), exchange::algorithms().end(),
                     [&](const exchange::Algorithm &a) {
                       c.algorithm = &a;
                       return a.in_place && admits(problem_, ranks_, c);
                     });
}

/// Adds the candidate paths, the likeliest first. All efforts use the same order: measuring starts
/// from the path of HFFT_ESTIMATE and leaves it only for a clearly better one.
void Candidates::add_paths() {
  // Nonblocking plans and reduced precision on the wire need a chunked exchange. Ignore
  // HFFT_EXCHANGE if it names an exchange that is not chunked.
  const exchange::Algorithm *&a = machine_.overrides.algorithm;
  if (a != nullptr && problem_.needs_chunked() && !a->chunked) a = nullptr;
  std::vector<Path> paths{find_path(problem_, on_one_node() ? shared_prices : PathPrices{})};
  if (problem_.effort != FFTW_ESTIMATE)
    for (Path &path : find_paths(problem_))
      if (describe(path) != describe(paths.front())) paths.push_back(std::move(path));
  std::vector<std::shared_ptr<const OrderedPath>> others;
  for (const Path &path : paths) {
    std::vector<Choice> orders;
    for (AxisOrder &order : working_orders(problem_))
      orders.push_back(along({path, std::move(order)}));
    const bool second = orders.size() > 1 && model_.seconds(orders[1]) < model_.seconds(orders[0]);
    paths_.push_back(orders[second ? 1 : 0].path);
    if (orders.size() > 1) others.push_back(orders[second ? 0 : 1].path);
  }
  better_orders_ = paths_.size();
  // If all ranks share memory, paths with fewer copies are probably faster. The first path stays
  // first.
  if (on_one_node())
    std::stable_sort(paths_.begin() + 1, paths_.end(), [this](const auto &a, const auto &b) {
      Choice one, other;
      one.path = a;
      other.path = b;
      one.messages = other.messages = MessageForm::shared;
      return model_.seconds(one) < model_.seconds(other);
    });
  paths_.insert(paths_.end(), others.begin(), others.end());
}

/// True if all exchanges of a path are transpositions in rows or columns of a grid.
bool Candidates::has_transpositions_only(const Path &path) const {
  for (std::size_t i = 1; i < path.size(); ++i)
    if (!group_transposition(problem_, *path[i - 1].distribution, path[i], 0)) return false;
  return true;
}

/// Returns the default choice along a path. Small problems get one thread, because more threads
/// would cost time. Fields with large messages are transformed one after another, so that messages
/// overlap with work. Ranks with shared memory need no messages.
Choice Candidates::start_on_path() const {
  Choice c;
  c.path = paths_.front();
  c.store = Store::cached;
  c.tile_bytes = machine_.small_tile;
  const exchange::Algorithm *shared = nullptr;
  for (const exchange::Algorithm &a : exchange::algorithms())
    if (a.node_memory) shared = &a;
  c.algorithm = machine_.overrides.algorithm;
  if (c.algorithm == nullptr && on_one_node() && !problem_.needs_chunked()) c.algorithm = shared;
  c.by_field =
      admits_fields(problem_) && ranks_ > 1 && bytes_of_rank(problem_) > min_message * ranks_;
  if (on_one_node() && !c.by_field && c.algorithm == shared && !problem_.needs_chunked() &&
      !has_transpositions_only(c.path->path))
    c.messages = MessageForm::shared;
  Choice alone = c;
  alone.threads = 1;
  if (!machine_.overrides.all_threads && model_.seconds(alone) < model_.seconds(c)) c = alone;
  if (problem_.deterministic) return c;
  Choice streamed = c;
  streamed.store = Store::streamed;
  return model_.seconds(streamed) < model_.seconds(c) ? streamed : c;
}

/// Returns the default choice. For deterministic problems it fixes every property that affects
/// rounding.
Choice Candidates::start() const {
  if (!between_slabs_) return start_on_path();
  Choice c;
  c.path = paths_.front();
  c.algorithm = &exchange::algorithms().front();
  c.tile_bytes = machine_.small_tile;
  if (problem_.axes.empty()) {
    c.tile_bytes = copied_tile;
    return c;
  }
  if (problem_.deterministic) {
    // In complete planes, the library's kernels transform complex data from the last axis to the
    // first. Backward transforms need the opposite order, so their planes are split. In
    // deterministic plans FFTW transforms single lines; splitting the planes lets threads share the
    // lines.
    const bool backward = problem_.kind == Kind::c2c && problem_.sign > 0;
    if (problem_.dimensions() > 2 && (backward || !model_.simd_planes(c))) c.passes = Passes::split;
    c.store = Store::cached; // with streamed stores the instructions depend on addresses
  }
  if (problem_.pruned() && !admits(problem_, ranks_, canonical(c))) c.passes = Passes::split;
  return c;
}

/// Returns the values of the property `algorithm`. Between layouts other than slabs, FFTW's
/// transpositions and MPI datatypes are included only if `wide`, or if HFFT_EXCHANGE names them:
/// FFTW's transpositions need a communicator per plan, and datatypes have never been faster.
Property Candidates::algorithms(bool wide) const {
  Property list{[](Choice &c) { c.algorithm = nullptr; }};
  for (const exchange::Algorithm &a : exchange::algorithms()) {
    const bool rare = !between_slabs_ && (a.seldom_best || a.fftw);
    if (wide || !rare || &a == machine_.overrides.algorithm)
      list.emplace_back([&a](Choice &c) { c.algorithm = &a; });
  }
  return list;
}

Property Candidates::paths(std::size_t number) const {
  Property list;
  for (std::size_t i = 0; i < number; ++i)
    list.emplace_back([path = paths_[i]](Choice &c) { c.path = path; });
  return list;
}

/// Returns the properties of data movement.
std::vector<Property> Candidates::moving_properties(bool wide) const {
  std::vector<Property> list{paths(wide ? paths_.size() : better_orders_)};
  if (admits_fields(problem_)) list.push_back(values(&Choice::by_field, {false, true}));
  list.push_back(algorithms(wide));
  list.push_back(
      values(&Choice::messages, {MessageForm::whole, MessageForm::chunks, MessageForm::shared}));
  return list;
}

/// Returns the properties that change arithmetic and caches only.
std::vector<Property> Candidates::kernel_properties(bool wide) const {
  std::vector<Property> list;
  if (copies_only()) return {values(&Choice::store, {Store::cached, Store::streamed})};
  list.push_back(values(&Choice::plane_kernel, {Kernel::simd, Kernel::fftw}));
  list.push_back(values(&Choice::passes, {Passes::fused, Passes::split}));
  list.push_back(values(&Choice::store, {Store::cached, Store::streamed}));
  list.push_back(values(&Choice::column_kernel, {Kernel::simd, Kernel::fftw}));
  list.push_back(values(&Choice::order, {TileOrder::interleaved, TileOrder::lines}));
  std::vector<std::ptrdiff_t> tiles{machine_.small_tile, machine_.large_tile};
  if (wide) tiles.insert(tiles.end(), {machine_.small_tile / 2, machine_.large_tile * 2});
  list.push_back(values(&Choice::tile_bytes, tiles));
  list.push_back({[](Choice &) {}, [](Choice &c) { c.passes = Passes::whole; }});
  return list;
}

std::vector<Property> Candidates::properties(bool wide) const {
  std::vector<Property> list = moving_properties(wide);
  list.push_back(values(&Choice::threads, {0, 1}));
  if (wide && machine_.threads > 3)
    list.back().emplace_back(
        [half = static_cast<int>(machine_.threads / 2)](Choice &c) { c.threads = half; });
  if (problem_.deterministic) return list;
  for (Property &p : kernel_properties(wide))
    list.push_back(std::move(p));
  return list;
}

Choice Candidates::canonical(Choice c) const {
  if (ranks_ == 1) c.algorithm = nullptr;
  if (c.threads >= machine_.threads) c.threads = 0;
  if (machine_.threads == 1) c.threads = 0;
  if (!between_slabs_) c.passes = Passes::fused;
  // Transpositions and transforms field by field do not use MessageForm, and one rank has no
  // messages.
  if (between_slabs_ || ranks_ == 1 || c.by_field) c.messages = MessageForm::whole;
  if (c.by_field || c.messages == MessageForm::shared) c.algorithm = nullptr;
  if (copies_only()) return c;
  if (c.passes == Passes::whole) {
    Choice whole = start();
    whole.passes = c.passes;
    whole.algorithm = c.algorithm;
    whole.threads = c.threads;
    whole.plane_kernel = whole.column_kernel = Kernel::fftw;
    return whole;
  }
  const bool any_columns =
      model_.simd_columns(c) || (c.passes == Passes::split && model_.simd_columns_of_planes(c));
  if (!model_.simd_planes(c)) c.plane_kernel = Kernel::fftw;
  if (!any_columns) c.column_kernel = Kernel::fftw;
  // If the choice does not use FFTW's kernels, or does not use the library's own, set the
  // properties of the unused kernels to fixed values.
  if (c.plane_kernel == Kernel::fftw && c.column_kernel == Kernel::fftw) c.store = Store::cached;
  if (!fftw_columns(c)) c.order = TileOrder::interleaved;
  if (!uses_fftw(c)) c.tile_bytes = machine_.small_tile;
  return c;
}

bool Candidates::fftw_columns(const Choice &c) const {
  return c.column_kernel == Kernel::fftw || !model_.simd_columns(c) ||
         (c.passes == Passes::split && !model_.simd_columns_of_planes(c));
}

bool Candidates::uses_fftw(const Choice &c) const {
  if (copies_only()) return false;
  return c.passes == Passes::whole || c.plane_kernel == Kernel::fftw || fftw_columns(c);
}

bool Candidates::admit(const Choice &c) const {
  if (machine_.overrides.algorithm != nullptr && ranks_ > 1 &&
      !uses(c, *machine_.overrides.algorithm))
    return false;
  return admit_any_exchange(c);
}

bool Candidates::admit_any_exchange(const Choice &c) const {
  if (!admits(problem_, ranks_, c)) return false;
  if (in_place_alone_ && !c.algorithm->in_place) return false;
  if (c.by_field && !admits_fields(problem_)) return false;
  if (c.messages == MessageForm::shared &&
      (problem_.needs_chunked() || machine_.ranks_per_node != ranks_))
    return false;
  const bool fewer = c.threads > 0 && c.threads < machine_.threads;
  if (machine_.overrides.all_threads && fewer) return false;
  return !problem_.deterministic || admit_deterministic(c);
}

/// True if a choice uses an algorithm. Blocks in shared memory count as the shared-memory
/// algorithm, although its entry in exchange::algorithms() makes transpositions only.
bool Candidates::uses(const Choice &c, const exchange::Algorithm &a) {
  return c.algorithm == &a || (c.messages == MessageForm::shared && a.node_memory);
}

bool Candidates::admit_deterministic(const Choice &c) const {
  const Choice only = canonical(start());
  return c.passes == only.passes && c.plane_kernel == only.plane_kernel &&
         c.column_kernel == only.column_kernel && c.store == only.store;
}

Choice Candidates::best_by_model(const exchange::Algorithm *algorithm) const {
  Choice best = start();
  best.algorithm = algorithm;
  best = canonical(best);
  double least = model_.seconds(best);
  std::vector<Property> list = properties(false);
  // The best path depends on the kernels, so paths come after them. FFTW's plan of the complete
  // array stays last.
  std::rotate(list.begin(), list.begin() + 1, list.end() - 1);
  for (const Property &property : list)
    for (const auto &set : property) {
      Choice c = best;
      set(c);
      c.algorithm = algorithm;
      c = canonical(c);
      if (!admit(c)) continue;
      const double seconds = model_.seconds(c);
      if (seconds >= cheaper * least) continue;
      least = seconds;
      best = c;
    }
  return best;
}

std::vector<Choice> Candidates::first() const {
  std::vector<Choice> list;
  if (!between_slabs_) {
    list.push_back(canonical(start()));
    Choice blocks = list.front();
    blocks.algorithm = nullptr;
    blocks.messages = MessageForm::shared;
    if (admit(blocks) && canonical(blocks) == blocks) list.push_back(blocks);
    blocks.messages = MessageForm::whole;
    list.push_back(blocks);
    return list;
  }
  for (const exchange::Algorithm &a : exchange::algorithms()) {
    Choice best = best_by_model(&a);
    if (admit(best)) list.push_back(std::move(best));
    if (ranks_ == 1) break;
  }
  // FFTW has no plan for some in-place transforms of the complete array, for example of several
  // fields that each have a single real number. So add the default choice.
  if (!list.empty() && list.front().passes == Passes::whole)
    if (Choice in_passes = canonical(start()); admit(in_passes))
      list.push_back(std::move(in_passes));
  std::stable_sort(list.begin(), list.end(), [this](const Choice &a, const Choice &b) {
    return model_.seconds(a) < model_.seconds(b);
  });
  return list;
}

void Candidates::for_all(const std::function<void(const Choice &)> &visit) const {
  const std::vector<Property> list = between_slabs_ ? properties(false) : moving_properties(true);
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
