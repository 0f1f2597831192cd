/// Replaces messages of blocks by a transposition in rows or columns of a process grid. It is
/// applied if the choice has an algorithm, for example MPI_Alltoallv or shared memory, on grids of
/// pencils.
#include "plan/lowering.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/mpi.h"

namespace hybridfft::plan {

namespace {

/// Returns the axis distributed over a dimension of a grid. Returns nothing if the grid lacks this
/// dimension, or if the axis is distributed over another dimension, too.
std::optional<int> axis_of(const GridCuts &cuts, const GridDimension &g) {
  const auto at = std::find(cuts.grid.begin(), cuts.grid.end(), g);
  if (at == cuts.grid.end()) return std::nullopt;
  const int axis = cuts.axes[static_cast<std::size_t>(at - cuts.grid.begin())];
  if (std::count(cuts.axes.begin(), cuts.axes.end(), axis) != 1) return std::nullopt;
  return axis;
}

bool cuts_axis(const GridCuts &cuts, int axis) {
  return std::find(cuts.axes.begin(), cuts.axes.end(), axis) != cuts.axes.end();
}

/// Returns the order after `first` has moved directly before `second`.
AxisOrder neighbours(AxisOrder order, int first, int second) {
  order.erase(std::find(order.begin(), order.end(), first));
  order.insert(std::find(order.begin(), order.end(), second), first);
  return order;
}

/// True if both axes are slower in memory than all other axes with more than one point.
bool leads(const AxisOrder &order, const IndexBox &box, int a, int b) {
  int found = 0;
  for (const int axis : order) {
    if (axis == a || axis == b)
      ++found;
    else if (found < 2 && box.count[static_cast<std::size_t>(axis)] > 1)
      return false;
  }
  return true;
}

bool transforms(const Step &s, int axis) { return s.is_fft() && s.axis == axis && s.cells.empty(); }

bool is_of_planes(const Step &s) {
  return s.kind == StepKind::planes && s.transform.extents.size() > 1;
}

/// Returns the matrix that an FFT reads (`source`) or writes when its axes have the order `turned`.
/// Returns nothing if the FFT's kernel does not support such a matrix: planes need a matrix without
/// gaps, and kernels for real lines cannot reorder rows.
std::optional<SplitRows> matrix_of(const Step &s, bool source, const AxisOrder &order,
                                   const AxisOrder &turned) {
  const SplitRows &m = source ? s.source : s.destination;
  if (is_of_planes(s) && (order != turned || !m.is_tight())) return std::nullopt;
  if (s.kind == StepKind::planes && s.transform.kind == (source ? Kind::r2c : Kind::c2r))
    return order == turned ? std::optional(m) : std::nullopt;
  return as_columns(source ? s.from : s.to, turned, s.axis);
}

/// Changes the kind of an FFT to lines (planes) or columns, as its matrices require. Lines need a
/// matrix without gaps.
void set_kind(Step &s) {
  if (is_of_planes(s) || (s.transform.kind != Kind::c2c && s.kind == StepKind::planes)) return;
  s.kind = s.may_be_lines() ? StepKind::planes : StepKind::columns;
}

/// True if the FFTs before and after the exchange at `k` can write and read the matrix.
bool admits_transposition(const Steps &steps, std::size_t k, const AxisOrder &order,
                          const GroupTransposition &g) {
  const Step &exchange = steps[k];
  if (exchange.from.real || !leads(order, exchange.from.box, g.whole, g.cut) ||
      !leads(order, exchange.to.box, g.whole, g.cut))
    return false;
  if (!exchange.from.empty()) {
    // The step before must read boxes. After another transposition it does not.
    if (k == 0 || steps[k - 1].from.boxes.empty() || !transforms(steps[k - 1], g.cut)) return false;
    if (!matrix_of(steps[k - 1], true, order, neighbours(order, g.whole, g.cut))) return false;
  }
  return exchange.to.empty() ||
         (k + 1 < steps.size() && transforms(steps[k + 1], g.whole) &&
          matrix_of(steps[k + 1], false, order, neighbours(order, g.cut, g.whole)));
}

/// Connects both FFTs with the matrix, and sets the exchange.
void use_transposition(Steps &steps, std::size_t k, const AxisOrder &order,
                       const GroupTransposition &g,
                       std::shared_ptr<exchange::Exchange> transposition) {
  Step &exchange = steps[k];
  const std::ptrdiff_t elements =
      std::max({exchange.from.elements, exchange.to.elements, transposition->send().elements(),
                transposition->receive().elements()});
  if (!exchange.from.empty()) {
    Step &writer = steps[k - 1];
    const AxisOrder turned = neighbours(order, g.whole, g.cut);
    writer.source = *matrix_of(writer, true, order, turned);
    writer.reorders = writer.reorders || turned != order;
    writer.destination = transposition->send();
    writer.to.boxes.clear();
    writer.to.elements = elements;
    set_kind(writer);
  }
  if (!exchange.to.empty()) {
    Step &reader = steps[k + 1];
    const AxisOrder turned = neighbours(order, g.cut, g.whole);
    reader.destination = *matrix_of(reader, false, order, turned);
    reader.reorders = turned != order;
    reader.source = transposition->receive();
    reader.from.boxes.clear();
    set_kind(reader);
  }
  exchange.from.elements = exchange.to.elements = elements;
  exchange.exchange = std::move(transposition);
}

/// Returns the exchange of a group; nullptr, on all ranks, if any group has none. A window serves
/// only one exchange of a plan, because the FFT after the exchange would overwrite data that other
/// ranks still read. Plans have at most two windows.
std::shared_ptr<exchange::Exchange>
make_exchange(const GroupTransposition &g, const exchange::Algorithm &algorithm,
              const exchange::ExchangeOptions &options,
              const std::vector<GridDimension> &with_window,
              const std::shared_ptr<exchange::Communicator> &comm) {
  const auto group = comm->group(g.group.ranks, g.group.stride);
  // Declared outside of the agreement, because freeing an exchange is collective.
  std::unique_ptr<exchange::Exchange> owned;
  std::shared_ptr<exchange::Exchange> made;
  // If the exchange fails, it fails on all ranks of a group. All groups then agree on the failure.
  const bool all = mpi::everywhere(comm->get(), [&] {
    owned = algorithm.make(g.matrix, group, options);
    made = std::move(owned);
    const bool taken =
        std::count(with_window.begin(), with_window.end(), g.group) > 0 || with_window.size() > 1;
    return made && !(made->window() != nullptr && taken);
  });
  return all ? made : nullptr;
}

/// Inserts a copy before the exchange at `k` if no pass precedes it, and a copy after the exchange
/// if no pass follows. The exchange then uses the plan's own buffers only. On a rank without data
/// the copies are empty. Returns the new index of the exchange.
std::size_t surround(Steps &steps, std::size_t k) {
  const auto insert = [&](std::size_t where, const Storage &nothing) {
    steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(where), copy_of(nothing));
  };
  if (k + 1 == steps.size() || steps[k + 1].is_exchange()) insert(k + 1, Storage(steps[k].to));
  if (k > 0 && !steps[k - 1].is_exchange()) return k;
  insert(k, Storage(steps[k].from));
  return k + 1;
}

} // namespace

std::optional<GroupTransposition> group_transposition(const Problem &problem,
                                                      const Distribution &before,
                                                      const PathStage &after, int rank) {
  if (problem.four_step)
    return std::nullopt; // the twiddles are computed for the memory order of the path
  const Extents &n = after.extents;
  const auto from = before.cuts(n);
  const auto to = after.distribution->cuts(n);
  if (!from || !to || from->grid.size() != to->grid.size()) return std::nullopt;
  std::optional<GroupTransposition> found;
  for (const GridDimension &g : from->grid) {
    const auto old_axis = axis_of(*from, g);
    const auto new_axis = axis_of(*to, g);
    if (old_axis && old_axis == new_axis) continue;
    if (found || !old_axis || !new_axis || cuts_axis(*from, *new_axis) || cuts_axis(*to, *old_axis))
      return std::nullopt;
    found = GroupTransposition{*old_axis, *new_axis, g, {}};
  }
  if (!found) return found;
  const auto whole = static_cast<std::size_t>(found->whole);
  const auto cut = static_cast<std::size_t>(found->cut);
  std::ptrdiff_t vec = problem.howmany();
  const IndexBox box = before.box(rank, n);
  for (std::size_t a = 0; a < n.size(); ++a)
    if (a != whole && a != cut) vec *= box.count[a];
  found->matrix = {BlockDistribution(n[whole], found->group.ranks),
                   BlockDistribution(n[cut], found->group.ranks), vec, problem.real_bytes};
  return found;
}

int transpose_in_groups(Steps &steps, const Problem &problem, const OrderedPath &path,
                        const exchange::Algorithm &algorithm,
                        const std::shared_ptr<exchange::Communicator> &comm) {
  int transposed = 0;
  std::vector<GridDimension> with_window;
  std::size_t k = 0;
  for (std::size_t stage = 1; stage < path.path.size(); ++stage, ++k) {
    while (!steps[k].is_exchange())
      ++k;
    std::optional<GroupTransposition> g;
    if (!mpi::everywhere(comm->get(), [&] {
          g = group_transposition(problem, *path.path[stage - 1].distribution, path.path[stage],
                                  comm->rank());
          return g && admits_transposition(steps, k, path.order, *g);
        }))
      continue;
    exchange::ExchangeOptions options;
    options.tag = transposed > 0 ? 1 : 0;
    options.wire = problem.wire;
    options.threads = problem.threads;
    options.pages = problem.pages;
    options.all = comm;
    auto made = make_exchange(*g, algorithm, options, with_window, comm);
    if (!made) continue;
    ++transposed;
    mpi::all_or_none(comm->get(), [&] {
      const bool windowed = made->window() != nullptr;
      // FFTW uses both buffers as scratch, and the user's arrays may be too small.
      if (windowed || algorithm.fftw) k = surround(steps, k);
      use_transposition(steps, k, path.order, *g,
                        made); // `made` is freed after the agreement, because freeing is collective
      if (!windowed) return;
      steps[k].window = static_cast<int>(with_window.size());
      with_window.push_back(g->group);
    });
  }
  return transposed;
}

} // namespace hybridfft::plan
