#include "kspace/operators/decomposition.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "hybridfft/grid/choice.hpp"
#include "hybridfft/hybridfft.h"
#include "kspace/base/errors.h"

namespace hybridfft::kspace {

namespace {

using grid::Index;
using grid::Index3;

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::size_t first = 0;
  for (std::size_t end = 0; end != std::string::npos; first = end + 1) {
    end = text.find(separator, first);
    parts.push_back(text.substr(first, end == std::string::npos ? end : end - first));
  }
  return parts;
}

/// Adds an option's name to the errors that libraries throw for it.
template <class F> auto named(const char *option, const F &read) {
  try {
    return read();
  } catch (const Error &e) {
    if (e.code() != HFFT_ERROR_ARGUMENT) throw;
    throw InputError(std::string(option) + ": " + e.what());
  }
}

/// One text for each axis: all the same when there is one.
std::vector<std::string> for_each_axis(const char *option, const std::string &text, char separator,
                                       int dimensions) {
  std::vector<std::string> parts = split(text, separator);
  if (parts.size() == 1) parts.resize(static_cast<std::size_t>(dimensions), parts[0]);
  // A third extent is allowed, and has no meaning, for grids of two dimensions.
  if (parts.size() != static_cast<std::size_t>(dimensions) && parts.size() != 3)
    throw InputError(std::string(option) + " is '" + text + "', of " +
                     std::to_string(parts.size()) + " parts, expected one, or " +
                     std::to_string(dimensions) + ", one for each axis");
  return parts;
}

void refuse_other_grids(const Parameters &p, const std::string &input) {
  if (!p.axisymmetric && !p.nonuniform_grid) return;
  throw Unsupported(input + ": dataset " +
                    (p.axisymmetric ? "axisymmetric_flag" : "nonuniform_grid_flag") +
                    " is 1, and --basis local is for uniform grids in two and three dimensions, "
                    "expected --basis global");
}

/// Time of the transforms of a point, against which exchanges are weighed where blocks are cut
/// unless the user gives it: ten transforms and the equations on two cores of 2026.
constexpr double seconds_per_point = 1e-8;
constexpr double bytes_per_point = 4 * sizeof(float);
constexpr Index usual_overlap = 16;

/// Factors of `ranks` that divide the numbers of blocks along the axes, more along the first one.
Index3 rank_grid(const Index3 &parts, Index ranks) {
  Index3 grid{{1, 1, 1}};
  Index left = ranks;
  for (int a = 0; a < 3; ++a) {
    grid[a] = std::gcd(parts[a], left);
    left /= grid[a];
  }
  return grid;
}

} // namespace

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
                             const std::string &input, const grid::Communicator &comm)
    : n_(parameters.n), dimensions_(parameters.dimensions()),
      named_(!options.overlap.empty() && !options.chosen) {
  refuse_other_grids(parameters, input);
  read_grid(options, comm);
  coarse_level_ = parameters.absorption == Absorption::power_law && cartesian_->blocks() > 1 &&
                  options.coarse_level.value_or(!named_);
  choose_bases(options);
  choose_periods(options);
}

void Decomposition::read_grid(const BasisOptions &options, const grid::Communicator &comm) {
  const Index3 extents = array_extents(n_);
  if (options.grid.empty()) {
    const grid::Network network = grid::measure(comm);
    const auto seconds = [&](const Index3 &parts) {
      double points = 1;
      grid::Widths widths;
      for (int a = 0; a < 3; ++a) {
        const Index block = (extents[a] + parts[a] - 1) / parts[a];
        const bool cut = parts[a] > 1;
        if (cut && block < lfb::Basis::read("ls:8").least_block())
          return std::numeric_limits<double>::infinity();
        if (cut) widths.below[a] = widths.above[a] = usual_overlap;
        points *= static_cast<double>(block + (cut ? 2 * usual_overlap : 0));
      }
      return points * seconds_per_point +
             grid::exchange_seconds(network, extents, parts, widths, bytes_per_point);
    };
    const Index3 parts =
        named("--grid", [&] { return grid::cheapest_parts(comm, comm.size(), extents, seconds); });
    return choose_owners(grid::even_cuts(extents, parts), comm);
  }
  // The user's axes are x, y, z.
  std::string text = options.grid;
  if (dimensions_ == 2 && std::count(text.begin(), text.end(), 'x') == 1) text += "x1";
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
  const Index3 ranks = rank_grid(parts, comm.size());
  std::vector<int> owners;
  for (Index i = 0; i < parts[0]; ++i)
    for (Index j = 0; j < parts[1]; ++j)
      for (Index k = 0; k < parts[2]; ++k) {
        const auto at = [&](int a, Index place) { return place / (parts[a] / ranks[a]); };
        owners.push_back(static_cast<int>((at(0, i) * ranks[1] + at(1, j)) * ranks[2] + at(2, k)));
      }
  cartesian_.emplace(comm, cuts, grid::Periodic{true, true, true}, owners);
  const std::span<const int> mine = cartesian_->mine();
  box_ = grid::Box(cartesian_->box(mine.front()).lo, cartesian_->box(mine.back()).hi);
}

lfb::Basis Decomposition::default_basis(int axis) const {
  const std::vector<Index> &sizes = cartesian_->cuts()[static_cast<std::size_t>(axis)];
  const Index least = *std::min_element(sizes.begin(), sizes.end());
  for (const char *name : {"mom:6/32", "ls:16"})
    if (lfb::Basis basis = lfb::Basis::read(name); least >= basis.least_block()) return basis;
  return lfb::Basis::read("ls:8");
}

void Decomposition::choose_bases(const BasisOptions &options) {
  const auto read = [&](const char *option, const std::string &text) {
    std::vector<lfb::Basis> bases;
    if (text.empty()) return bases;
    for (const std::string &part : for_each_axis(option, text, ',', dimensions_))
      bases.push_back(named(option, [&] { return lfb::Basis::read(part); }));
    return bases;
  };
  const std::vector<lfb::Basis> overlap = read("--overlap", options.overlap);
  const std::vector<lfb::Basis> transverse = read("--transverse", options.transverse);
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int p = place(axis, dimensions_);
    const auto at = static_cast<std::size_t>(p);
    const std::vector<Index> &sizes = cartesian_->cuts()[at];
    if (sizes.size() == 1) continue;
    const lfb::Basis basis = overlap.empty() ? default_basis(p) : overlap[a];
    const bool moments = basis.name() == "mom:6/32";
    const auto by_default = [&](const char *name) {
      return named_ ? basis : lfb::Basis::read(name);
    };
    const lfb::Basis across =
        transverse.empty() ? by_default(moments ? "mom:4/16" : "ls:8") : transverse[a];
    bases_[at] = {basis, {}};
    across_[at] = {across, {}};
    laplacian_[at] = {
        coarse_level_ ? lfb::Basis::points(std::min(basis.gap() / 2, usual_overlap)) : basis, {}};
    const Index least = *std::min_element(sizes.begin(), sizes.end());
    for (const lfb::Basis &b : {basis, across, laplacian_[at]->basis})
      if (least < b.least_block())
        throw InputError("--grid: a block has " + std::to_string(least) + " points along " +
                         axis_name(axis) + ", expected at least the " +
                         std::to_string(b.least_block()) + " that --overlap " + b.name() +
                         " needs");
  }
}

namespace {

/// Most points of a period that the user may choose, over the fewest that it needs: those beyond
/// are zero, and the next fast length is nearer.
constexpr Index most_extension = 4;

/// The smallest period whose transforms are fast.
Index good_period(Index least, bool contiguous) {
  Index n = least;
  while (hfft_next_fast_length(n) != n || (contiguous && n % 8 != 0))
    ++n;
  return n;
}

/// One period for each block along an axis, of at least `least`.
std::vector<Index> read_periods(const std::string &text, const std::vector<Index> &least, int axis,
                                bool contiguous) {
  std::vector<Index> periods;
  if (text == "auto") {
    for (const Index n : least)
      periods.push_back(good_period(n, contiguous));
    return periods;
  }
  for (const std::string &part : split(text, '+')) {
    Index value = 0;
    const char *end = part.data() + part.size();
    const auto [last, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc() || last != end)
      throw InputError(std::string("--local_size: found '") + text + "' along " + axis_name(axis) +
                       ", expected a number of points, one for each block (72+88), or auto");
    periods.push_back(value);
  }
  if (periods.size() == 1) periods.resize(least.size(), periods[0]);
  if (periods.size() != least.size())
    throw InputError("--local_size: found " + std::to_string(periods.size()) + " periods along " +
                     axis_name(axis) + ", expected one, or one for each of the " +
                     std::to_string(least.size()) + " blocks");
  for (std::size_t b = 0; b < least.size(); ++b)
    if (periods[b] < least[b])
      throw InputError("--local_size: found " + std::to_string(periods[b]) + " along " +
                       axis_name(axis) + " for block " + std::to_string(b + 1) +
                       ", expected at least its points and the overlap, " +
                       std::to_string(least[b]));
    else if (periods[b] > most_extension * least[b])
      throw InputError("--local_size: found " + std::to_string(periods[b]) + " along " +
                       axis_name(axis) + " for block " + std::to_string(b + 1) +
                       ", expected at most " + std::to_string(most_extension) +
                       " times its points and the overlap, " +
                       std::to_string(most_extension * least[b]));
  return periods;
}

} // namespace

/// A basis whose gap is given has no choice.
void Decomposition::choose_periods(const BasisOptions &options) {
  std::vector<std::string> texts;
  if (!options.local_size.empty())
    texts = for_each_axis("--local_size", options.local_size, 'x', dimensions_);
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto p = static_cast<std::size_t>(place(axis, dimensions_));
    if (!bases_[p]) continue;
    Index least_gap = 0, gap = bases_[p]->basis.gap();
    bool fixed = false;
    for (const lfb::Bases *bases : {&bases_, &across_, &laplacian_}) {
      const lfb::Basis &basis = (*bases)[p]->basis;
      least_gap = std::max(least_gap, basis.least_gap());
      if (basis.kind() != lfb::Basis::Kind::continuation) continue;
      if (fixed && basis.gap() != gap)
        throw InputError("--transverse " + basis.name() + " leaves a gap of " +
                         std::to_string(basis.gap()) + " points, expected " + std::to_string(gap) +
                         " as --overlap " + bases_[p]->basis.name());
      fixed = true;
      gap = basis.gap();
    }
    std::vector<Index> periods;
    for (const Index n : cartesian_->cuts()[p])
      periods.push_back(n + (fixed || texts.empty() ? gap : least_gap));
    if (!texts.empty()) {
      const std::vector<Index> least = periods;
      periods = read_periods(texts[static_cast<std::size_t>(axis)], least, axis, axis == 0);
      for (std::size_t b = 0; fixed && b < periods.size(); ++b) {
        if (texts[static_cast<std::size_t>(axis)] == "auto") periods[b] = least[b];
        if (periods[b] != least[b])
          throw InputError("--local_size: found " + std::to_string(periods[b]) + " along " +
                           axis_name(axis) + " for block " + std::to_string(b + 1) + ", expected " +
                           std::to_string(least[b]) + ": --overlap " + bases_[p]->basis.name() +
                           " has a gap of " + std::to_string(gap));
      }
    }
    for (lfb::Bases *bases : {&bases_, &across_, &laplacian_})
      (*bases)[p]->periods = periods;
  }
}

lfb::Bases Decomposition::velocity_bases(int axis) const {
  lfb::Bases bases = across_;
  const auto p = static_cast<std::size_t>(place(axis, dimensions_));
  bases[p] = bases_[p];
  return bases;
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
  }
  return text;
}

} // namespace hybridfft::kspace
