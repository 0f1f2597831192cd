#include "solvers/kspace/operators/decomposition.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "hybridfft/grid/choice.hpp"
#include "solvers/kspace/base/errors.h"

namespace hybridfft::kspace {

namespace {

using grid::Index;
using grid::Index3;

/// Calls read() and adds the option's name to its errors.
template <class F> auto named(const char *option, const F &read) {
  try {
    return read();
  } catch (const Error &e) {
    if (e.code() != HFFT_ERROR_ARGUMENT) throw;
    throw InputError(std::string(option) + ": " + e.what());
  }
}

void refuse_other_grids(const Parameters &p, const std::string &input) {
  if (const char *flag = p.special_grid_flag())
    throw Unsupported(input + ": dataset " + flag +
                      " is 1, and --basis local is for uniform Cartesian grids, "
                      "expected --basis global");
}

/// Default seconds of a time step per point, used to weigh computation against exchange: ten
/// transforms and the equations on two processor cores of 2026.
constexpr double seconds_per_point = 1e-8;
constexpr double bytes_per_point = 4 * sizeof(float);
constexpr Index usual_overlap = 16;

/// Minimum points of a block along an axis, and the option of the basis that requires them.
struct MinBlock {
  Index points = 0;
  std::string option;
};

MinBlock min_block(const lfb::Basis &along, const lfb::Basis &across) {
  if (across.min_block() > along.min_block())
    return {across.min_block(), "--transverse " + across.name()};
  return {along.min_block(), "--overlap " + along.name()};
}

} // namespace

const grid::Communicator &self() {
  static const grid::Communicator alone(MPI_COMM_SELF);
  return alone;
}

Index3 array_extents(const Extents &n) {
  Index3 extents{{1, 1, 1}};
  for (int axis = 0; axis < dimensions(n); ++axis)
    extents[place(axis, dimensions(n))] = n[static_cast<std::size_t>(axis)];
  return extents;
}

std::string in_users_order(const Index3 &numbers, int dimensions) {
  std::string text = std::to_string(numbers[place(0, dimensions)]);
  for (int axis = 1; axis < dimensions; ++axis)
    text += "x" + std::to_string(numbers[place(axis, dimensions)]);
  return text;
}

Decomposition::Decomposition(const BasisOptions &options, const Parameters &parameters,
                             const std::string &input, const grid::Communicator &comm,
                             std::vector<double> seconds_per_point)
    : n_(parameters.n), dimensions_(parameters.dimensions()),
      named_(!options.overlap.empty() && !options.chosen),
      seconds_per_point_(std::move(seconds_per_point)) {
  refuse_other_grids(parameters, input);
  const Named named_bases = read_bases(options);
  read_grid(options, named_bases, comm);
  coarse_level_ = parameters.absorption == Absorption::power_law && cartesian_->blocks() > 1 &&
                  options.coarse_level.value_or(!named_);
  choose_bases(named_bases);
  choose_periods(options);
}

Decomposition::Named Decomposition::read_bases(const BasisOptions &options) const {
  const auto read = [&](const char *option, const std::string &text) {
    std::vector<lfb::Basis> bases;
    if (text.empty()) return bases;
    for (const std::string &part : for_each_axis(option, text, ',', dimensions_))
      bases.push_back(named(option, [&] { return lfb::Basis::read(part); }));
    return bases;
  };
  return {read("--overlap", options.overlap), read("--transverse", options.transverse)};
}

/// Sizes of blocks for which ranks of unequal speed take equal times. Each block keeps the minimum
/// size of the best default basis, if blocks of equal size would have it.
grid::Shares Decomposition::shares(const Index3 &parts) const {
  const Index3 extents = array_extents(n_);
  Index3 least;
  for (int a = 0; a < 3; ++a)
    least[a] = std::max(min_points_[static_cast<std::size_t>(a)],
                        std::min(extents[a] / parts[a], 2 * usual_overlap));
  return grid::shares_by_speed(extents, parts, seconds_per_point_, least, 2 * usual_overlap);
}

/// Divides the grid into one block per rank at the least predicted cost. Each block must be large
/// enough for the user's bases or for ls:8.
Index3 Decomposition::default_parts(const Named &named, const grid::Communicator &comm) {
  const Index3 extents = array_extents(n_);
  std::array<MinBlock, 3> least;
  std::string needs;
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const lfb::Basis along = named.overlap.empty() ? lfb::Basis::read("ls:8") : named.overlap[a];
    MinBlock &one = least[static_cast<std::size_t>(place(axis, dimensions_))];
    one = min_block(along, named.transverse.empty() ? along : named.transverse[a]);
    min_points_[static_cast<std::size_t>(place(axis, dimensions_))] = one.points;
    needs += (axis > 0 ? ", " : "") + std::to_string(one.points) + " points along " +
             axis_name(axis) + " (" + one.option + ")";
  }
  const auto allowed = [&](const Index3 &parts) {
    bool all = true;
    for (int a = 0; a < 3; ++a)
      all &= parts[a] == 1 || extents[a] / parts[a] >= least[static_cast<std::size_t>(a)].points;
    return all;
  };
  const std::vector<Index3> possible = grid::possible_parts(comm.size(), extents);
  if (std::none_of(possible.begin(), possible.end(), allowed))
    throw InputError("--grid: " + in_users_order(extents, dimensions_) +
                     " points cannot be cut into " + std::to_string(comm.size()) +
                     " blocks, one for each rank, expected fewer ranks: a cut leaves at least " +
                     needs);
  const grid::Network network = grid::measure(comm);
  const auto seconds = [&](const Index3 &parts) {
    if (!allowed(parts)) return std::numeric_limits<double>::infinity();
    double points = 1;
    grid::Widths widths;
    for (int a = 0; a < 3; ++a) {
      const Index block = (extents[a] + parts[a] - 1) / parts[a];
      const bool cut = parts[a] > 1;
      if (cut) widths.below[a] = widths.above[a] = usual_overlap;
      points *= static_cast<double>(block + (cut ? 2 * usual_overlap : 0));
    }
    return (seconds_per_point_.empty() ? points * seconds_per_point : shares(parts).seconds) +
           grid::exchange_seconds(network, extents, parts, widths, bytes_per_point);
  };
  return grid::cheapest_parts(comm, comm.size(), extents, seconds);
}

void Decomposition::read_grid(const BasisOptions &options, const Named &named_bases,
                              const grid::Communicator &comm) {
  if (options.grid.empty()) {
    const Index3 parts = default_parts(named_bases, comm);
    if (seconds_per_point_.empty())
      return choose_owners(grid::even_cuts(array_extents(n_), parts), comm);
    const grid::Shares by_speed = shares(parts);
    return set_blocks(by_speed.cuts, by_speed.owners, comm);
  }
  // The option lists axes as x, y, z.
  std::string text = options.grid;
  if (std::count(text.begin(), text.end(), 'x') + 1 == dimensions_)
    for (int axis = dimensions_; axis < 3; ++axis)
      text += "x1";
  const grid::Cuts along = named("--grid", [&] {
    return grid::read_cuts(text, {{n_[0], n_[1], n_[2]}});
  });
  grid::Cuts cuts{{{1}, {1}, {1}}};
  for (int axis = 0; axis < dimensions_; ++axis)
    cuts[static_cast<std::size_t>(place(axis, dimensions_))] =
        along[static_cast<std::size_t>(axis)];
  choose_owners(cuts, comm);
}

void Decomposition::choose_owners(const grid::Cuts &cuts, const grid::Communicator &comm) {
  Index3 parts;
  for (int a = 0; a < 3; ++a)
    parts[a] = static_cast<Index>(cuts[static_cast<std::size_t>(a)].size());
  const Index blocks = parts[0] * parts[1] * parts[2];
  if (blocks % comm.size() != 0)
    throw InputError("--grid: " + in_users_order(parts, dimensions_) + " is " +
                     std::to_string(blocks) + " blocks on " + std::to_string(comm.size()) +
                     " ranks, expected a multiple of the number of ranks");
  set_blocks(cuts, grid::owners_by_node(cuts, comm), comm);
}

void Decomposition::set_blocks(const grid::Cuts &cuts, const std::vector<int> &owners,
                               const grid::Communicator &comm) {
  cartesian_.emplace(comm, cuts, grid::Periodic{true, true, true}, owners);
  const std::span<const int> mine = cartesian_->mine();
  box_ = grid::Box(cartesian_->box(mine.front()).lo, cartesian_->box(mine.back()).hi);
}

lfb::Basis Decomposition::default_basis(int axis) const {
  const std::vector<Index> &sizes = cartesian_->cuts()[static_cast<std::size_t>(axis)];
  const Index least = *std::min_element(sizes.begin(), sizes.end());
  for (const char *name : {"mom:6/32", "ls:16"})
    if (lfb::Basis basis = lfb::Basis::read(name); least >= basis.min_block()) return basis;
  return lfb::Basis::read("ls:8");
}

/// With the coarse grid, the kernels of Laplacians are truncated within the gap. Otherwise
/// Laplacians use the basis set by the user, or a bell (docs/local-basis.md).
lfb::Basis Decomposition::laplacian_basis(const lfb::Basis &along) const {
  if (coarse_level_) return lfb::Basis::points(std::min(along.gap() / 2, usual_overlap));
  const bool continued = along.kind() == lfb::Basis::GapRule::continuation;
  return continued && !named_ ? lfb::Basis::read("ls:16") : along;
}

void Decomposition::choose_bases(const Named &named) {
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int p = place(axis, dimensions_);
    const auto at = static_cast<std::size_t>(p);
    const std::vector<Index> &sizes = cartesian_->cuts()[at];
    if (sizes.size() == 1) continue;
    const lfb::Basis basis = named.overlap.empty() ? default_basis(p) : named.overlap[a];
    const bool moments = basis.name() == "mom:6/32";
    const auto by_default = [&](const char *name) {
      return named_ ? basis : lfb::Basis::read(name);
    };
    const lfb::Basis across =
        named.transverse.empty() ? by_default(moments ? "mom:4/16" : "ls:8") : named.transverse[a];
    const Index least = *std::min_element(sizes.begin(), sizes.end());
    if (const MinBlock needed = min_block(basis, across); least < needed.points)
      throw InputError("--grid: a block has " + std::to_string(least) + " points along " +
                       axis_name(axis) + ", expected at least the " +
                       std::to_string(needed.points) + " that " + needed.option + " needs");
    bases_[at] = {basis, {}};
    across_[at] = {across, {}};
    laplacian_[at] = {laplacian_basis(basis), {}};
  }
}

Decomposition::Gap Decomposition::common_gap(int axis) const {
  const auto p = static_cast<std::size_t>(place(axis, dimensions_));
  const lfb::Basis &along = bases_[p]->basis, &across = across_[p]->basis;
  const std::string axis_text = std::string(" along ") + axis_name(axis);
  Gap gap{along.gap(), 0, ""};
  std::string widest;
  for (const auto &[option, basis] :
       {std::pair("--overlap " + along.name(), &along),
        std::pair("--transverse " + across.name(), &across),
        std::pair(std::string("power-law absorption with --coarse_level on"),
                  &laplacian_[p]->basis)}) {
    if (basis->min_gap() > gap.least) {
      gap.least = basis->min_gap();
      widest = option;
    }
    if (basis->kind() != lfb::Basis::GapRule::continuation) continue;
    if (!gap.fixed_by.empty() && basis->gap() != gap.points)
      throw InputError(option + " leaves a gap of " + std::to_string(basis->gap()) + " points" +
                       axis_text + ", expected " + std::to_string(gap.points) + " as " +
                       gap.fixed_by);
    if (gap.fixed_by.empty()) gap.fixed_by = option;
    gap.points = basis->gap();
  }
  if (!gap.fixed_by.empty() && gap.least > gap.points)
    throw InputError(gap.fixed_by + " leaves a gap of " + std::to_string(gap.points) + " points" +
                     axis_text + ", expected at least the " + std::to_string(gap.least) + " that " +
                     widest + " needs");
  gap.points = std::max(gap.points, gap.least);
  return gap;
}

/// Sets the extents of extended blocks. A fixed gap of a basis determines the extents.
void Decomposition::choose_periods(const BasisOptions &options) {
  std::vector<std::string> texts;
  if (!options.local_size.empty())
    texts = for_each_axis("--local_size", options.local_size, 'x', dimensions_);
  const bool for_all_axes = options.local_size.find('x') == std::string::npos;
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto p = static_cast<std::size_t>(place(axis, dimensions_));
    if (!bases_[p]) {
      if (!for_all_axes) refuse_other_period(texts[a], n_[a], axis);
      continue;
    }
    const Gap gap = common_gap(axis);
    const bool fixed = !gap.fixed_by.empty();
    std::vector<Index> least;
    for (const Index n : cartesian_->cuts()[p])
      least.push_back(n + (fixed || texts.empty() ? gap.points : gap.least));
    std::vector<Index> periods = least;
    if (!texts.empty() && !(fixed && texts[a] == "auto"))
      periods = read_periods(texts[a], least, axis, axis == 0);
    for (std::size_t b = 0; fixed && b < periods.size(); ++b)
      if (periods[b] != least[b])
        refuse_period(periods[b], axis, b,
                      std::to_string(least[b]) + ": " + gap.fixed_by + " has a gap of " +
                          std::to_string(gap.points));
    for (lfb::Bases *bases : {&bases_, &across_, &laplacian_})
      (*bases)[p]->periods = periods;
  }
}

Index Decomposition::points_taken(int array_axis) const {
  Index most = 0;
  for (const lfb::Bases *bases : {&bases_, &across_, &laplacian_})
    if (const auto &b = (*bases)[static_cast<std::size_t>(array_axis)])
      most = std::max(most, b->basis.min_block());
  return most;
}

double Decomposition::laplacian_reach(const Parameters &parameters) const {
  double least = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < dimensions_; ++axis)
    if (const auto &b = laplacian_[static_cast<std::size_t>(place(axis, dimensions_))])
      least = std::min(least, static_cast<double>(b->basis.overlap()) *
                                  parameters.spacing[static_cast<std::size_t>(axis)]);
  return least;
}

Extents Decomposition::period(int block) const {
  Extents period = n_;
  const Index3 at = cartesian_->place(block);
  for (int axis = 0; axis < dimensions_; ++axis) {
    const int p = place(axis, dimensions_);
    if (const auto &basis = bases_[static_cast<std::size_t>(p)])
      period[static_cast<std::size_t>(axis)] = basis->periods[static_cast<std::size_t>(at[p])];
  }
  return period;
}

std::string Decomposition::describe() const {
  std::string text =
      "local Fourier basis, " + in_users_order(cartesian_->parts(), dimensions_) + " blocks";
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto p = static_cast<std::size_t>(place(axis, dimensions_));
    if (!bases_[p]) continue;
    text += std::string(", ") + axis_name(axis) + ": " + bases_[p]->basis.name();
    if (across_[p]->basis.name() != bases_[p]->basis.name())
      text += " (across " + across_[p]->basis.name() + ")";
    if (seconds_per_point_.empty()) continue;
    text += ", points ";
    for (const Index size : cartesian_->cuts()[p])
      text += (text.back() == ' ' ? "" : "+") + std::to_string(size);
  }
  if (!seconds_per_point_.empty()) text += ", by the speed of ranks";
  return text;
}

} // namespace hybridfft::kspace
