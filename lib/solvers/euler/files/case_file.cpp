#include "solvers/euler/files/case_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "hybridfft/error.hpp"
#include "io/box.h"

namespace hybridfft::euler {

CaseFile::CaseFile(const std::string &path, const grid::Communicator &comm)
    : file_(io::File::open(path, comm.handle())), comm_(comm) {
  read_mesh();
  read_present();
  read_ends();
  read_fluid();
  read_base();
  read_steps();
  read_criterion();
  read_leaves();
  read_fields();
  check_values();
  warn_of_unknown();
}

void CaseFile::refuse(const std::string &what, const std::string &found,
                      const std::string &expected) const {
  throw Error(HFFT_ERROR_ARGUMENT,
              io::printable(path() + ": " + what + ": found " + found + ", expected " + expected));
}

/// True if the file has a dataset or a numeric attribute of this name. Outputs of the solver, which
/// may serve as inputs, store numbers as attributes.
bool CaseFile::has(const std::string &name) const {
  return file_.exists(name) || file_.has_attribute("/", name);
}

std::vector<double> CaseFile::values(const std::string &name) const {
  if (file_.exists(name)) return file_.read_all<double>(name);
  if (file_.has_attribute("/", name)) return file_.numbers("/", name);
  throw Error(HFFT_ERROR_ARGUMENT, path() + ": dataset " + name + " is missing");
}

std::optional<double> CaseFile::optional_number(const std::string &name) const {
  if (!has(name)) return std::nullopt;
  const std::vector<double> found = values(name);
  if (found.size() != 1)
    refuse("dataset " + name, std::to_string(found.size()) + " values", "one number");
  return found.front();
}

double CaseFile::number(const std::string &name, std::optional<double> otherwise) const {
  if (const std::optional<double> found = optional_number(name)) return *found;
  if (otherwise) return *otherwise;
  throw Error(HFFT_ERROR_ARGUMENT, path() + ": dataset " + name + " is missing");
}

std::int64_t CaseFile::count(const std::string &name, std::int64_t least, std::int64_t largest,
                             std::optional<std::int64_t> otherwise) const {
  const std::optional<double> found = optional_number(name);
  if (!found && otherwise) return *otherwise;
  const double value = found ? *found : number(name);
  if (value != std::floor(value) || !(value >= static_cast<double>(least)) ||
      value > static_cast<double>(largest))
    refuse("dataset " + name, number_text(value),
           "an integer of " + std::to_string(least) +
               (largest < std::int64_t{1} << 50 ? " to " + std::to_string(largest) : " or more"));
  return static_cast<std::int64_t>(value);
}

std::string CaseFile::attribute(const std::string &name, const std::string &otherwise) {
  if (!file_.has_attribute("/", name)) return otherwise;
  attributes_.emplace_back(name, file_.attribute("/", name));
  return attributes_.back().second;
}

void CaseFile::read_mesh() {
  const std::vector<double> trees = values("trees");
  if (trees.size() != 2 && trees.size() != 3)
    refuse("dataset trees", std::to_string(trees.size()) + " numbers",
           "2 or 3, one for each dimension");
  grid::ForestShape &s = problem_.shape;
  s.dimensions = static_cast<int>(trees.size());
  for (std::size_t x = 0; x < trees.size(); ++x) {
    if (!(trees[x] >= 1) || trees[x] != std::floor(trees[x]) || trees[x] > 1e6)
      refuse("dataset trees", number_text(trees[x]), "integers of 1 or more");
    s.trees[2 - static_cast<int>(x)] = static_cast<Index>(trees[x]);
  }
  constexpr Index max_trees = 10'000'000; // each rank stores the list of all leaves
  const Index count_of_trees = s.trees[0] * s.trees[1] * s.trees[2];
  if (count_of_trees > max_trees)
    refuse("dataset trees", std::to_string(count_of_trees) + " trees",
           "at most " + std::to_string(max_trees));
  constexpr std::int64_t max_cells = 4096;
  s.cells = count("cells", 4, max_cells, 16);
  if (s.cells % 2 != 0)
    refuse("dataset cells", std::to_string(s.cells), "an even number of 4 or more");
  constexpr int finest = 20;
  s.max_level = static_cast<int>(count("max_level", 0, finest, 0));
  problem_.h = number("h");
  if (!(problem_.h > 0) || !std::isfinite(problem_.h))
    refuse("dataset h", number_text(problem_.h), "a length above 0, in m");
}

void CaseFile::read_present() {
  if (!file_.exists("present")) return;
  const grid::ForestShape &s = problem_.shape;
  io::Shape expected;
  for (int a = 3 - s.dimensions; a < 3; ++a)
    expected.push_back(static_cast<std::size_t>(s.trees[a]));
  io::Shape found = file_.info("present").shape;
  if (s.dimensions == 2 && found.size() == 3 && found[0] == 1) found.erase(found.begin());
  if (found != expected)
    refuse("dataset present", "an array of " + io::to_string(found), io::to_string(expected));
  bool any = false;
  for (const double p : file_.read_all<double>("present")) {
    problem_.shape.present.push_back(p != 0 ? 1 : 0);
    any = any || p != 0;
  }
  if (!any) refuse("dataset present", "0 for all trees", "at least one tree with another value");
}

grid::End CaseFile::end_of(const std::string &name, const std::string &otherwise) {
  const std::string found = attribute(name, otherwise);
  if (found != "outflow" && found != "wall")
    refuse("attribute " + name, "'" + found + "'", "outflow or wall");
  return found == "wall" ? grid::End::wall : grid::End::outflow;
}

void CaseFile::read_ends() {
  const int d = problem_.dimensions();
  const std::string axes = std::string("xyz").substr(0, static_cast<std::size_t>(d));
  const std::string periodic = attribute("periodic", "");
  for (const char c : periodic) {
    const std::size_t x = axes.find(c);
    if (x == std::string::npos)
      refuse("attribute periodic", "'" + periodic + "'", "letters of " + axes);
    problem_.shape.periodic[2 - x] = true;
  }
  for (std::size_t x = 0; x < 3; ++x)
    for (const std::size_t e : {0U, 1U}) {
      const std::string name = std::string(1, "xyz"[x]) + (e == 0 ? "_low" : "_high");
      const bool given = file_.has_attribute("/", name);
      if (given && x >= static_cast<std::size_t>(d))
        refuse("attribute " + name, "'" + file_.attribute("/", name) + "'",
               "none in two dimensions");
      if (given && problem_.shape.periodic[2 - x])
        refuse("attribute " + name, "'" + file_.attribute("/", name) + "'",
               "none, as the axis is periodic ('" + periodic + "')");
      problem_.sides[2 - x][e] = end_of(name, "outflow");
    }
  problem_.absent = end_of("absent", "wall");
}

void CaseFile::read_leaves() {
  problem_.leaves_given = file_.exists("leaf");
  if (!problem_.leaves_given) return;
  const auto columns = static_cast<std::size_t>(problem_.dimensions()) + 1;
  const io::Shape shape = file_.info("leaf").shape;
  if (shape.size() != 2 || shape[1] != columns || shape[0] == 0)
    refuse("dataset leaf", "an array of " + io::to_string(shape),
           "leaves x " + std::to_string(columns) + ": level and place");
  const std::vector<std::int64_t> numbers = file_.read_all<std::int64_t>("leaf");
  for (std::size_t n = 0; n < numbers.size(); n += columns) {
    grid::Leaf leaf{static_cast<int>(std::clamp<std::int64_t>(numbers[n], -1, 1000)), {}};
    for (std::size_t x = 1; x < columns; ++x)
      leaf.place[3 - static_cast<int>(x)] = numbers[n + x];
    leaves_.push_back(leaf);
  }
  try {
    const grid::Forest check(comm_, problem_.shape, leaves_);
  } catch (const Error &e) {
    throw Error(e.code(), path() + ": dataset leaf: " + e.what());
  }
}

void CaseFile::read_fluid() {
  problem_.gamma = number("gamma", 1.4);
  if (!(problem_.gamma > 1) || !std::isfinite(problem_.gamma))
    refuse("dataset gamma", number_text(problem_.gamma), "a ratio above 1");
  if (has("gravity")) {
    const std::vector<double> g = values("gravity");
    if (g.size() != static_cast<std::size_t>(problem_.dimensions()))
      refuse("dataset gravity", std::to_string(g.size()) + " values",
             std::to_string(problem_.dimensions()) + ", in m/s^2");
    for (std::size_t x = 0; x < g.size(); ++x) {
      if (!std::isfinite(g[x])) refuse("dataset gravity", number_text(g[x]), "finite numbers");
      problem_.gravity[x] = g[x];
    }
  }
  const std::string limiter = attribute("limiter", "koren");
  if (limiter != "koren" && limiter != "none")
    refuse("attribute limiter", "'" + limiter + "'", "koren or none");
  problem_.limiter = limiter == "koren" ? Limiter::koren : Limiter::none;
}

void CaseFile::read_base() {
  if (!file_.exists("base_pressure")) return;
  int along = 0;
  for (std::size_t x = 0; x < 3; ++x)
    if (problem_.gravity[x] != 0) {
      ++along;
      problem_.base_axis = 2 - static_cast<int>(x);
    }
  if (along != 1)
    refuse("dataset gravity",
           "gravity along " + (along == 0 ? "no axis" : std::to_string(along) + " axes"),
           "along one axis, with base_pressure");
  problem_.base = file_.read_all<double>("base_pressure");
  check_base();
}

void CaseFile::check_base() const {
  const std::vector<double> &base = problem_.base;
  const Index faces = problem_.finest(problem_.base_axis) + 1;
  if (static_cast<Index>(base.size()) != faces)
    refuse("dataset base_pressure", std::to_string(base.size()) + " values",
           std::to_string(faces) + ", one for each face of the finest cells along gravity");
  const double g = problem_.gravity[static_cast<std::size_t>(2 - problem_.base_axis)];
  for (std::size_t n = 0; n < base.size(); ++n) {
    if (!std::isfinite(base[n]))
      refuse("dataset base_pressure", number_text(base[n]), "finite numbers");
    if (n > 0 && !((base[n] - base[n - 1]) * g > 0))
      refuse("dataset base_pressure",
             number_text(base[n - 1]) + " and " + number_text(base[n]) + " at faces " +
                 std::to_string(n - 1) + " and " + std::to_string(n),
             "a pressure that grows along gravity");
  }
}

void CaseFile::read_steps() {
  constexpr std::int64_t most = std::int64_t{1} << 52;
  if (!has("steps") && !has("t_end"))
    throw Error(HFFT_ERROR_ARGUMENT,
                path() + ": datasets steps and t_end are missing, expected at least one of them");
  problem_.steps = count("steps", 1, most, problem_.steps);
  problem_.t_end = number("t_end", problem_.t_end);
  if (!(problem_.t_end > 0))
    refuse("dataset t_end", number_text(problem_.t_end), "a time above 0, in s");
  if (const std::optional<double> dt = optional_number("dt")) {
    problem_.dt = *dt;
    if (!(*dt > 0) || !std::isfinite(*dt))
      refuse("dataset dt", number_text(*dt), "a time above 0, in s");
  }
  problem_.cfl = number("cfl", problem_.cfl);
  if (!(problem_.cfl > 0 && problem_.cfl <= 1))
    refuse("dataset cfl", number_text(problem_.cfl), "a number above 0, up to 1");
  problem_.dt_interval = count("dt_interval", 1, most, 1);
}

void CaseFile::read_criterion() {
  constexpr std::int64_t most = std::int64_t{1} << 52;
  problem_.refine_above = optional_number("refine_above");
  problem_.coarsen_below = optional_number("coarsen_below");
  if (problem_.refine_above.has_value() != problem_.coarsen_below.has_value())
    throw Error(HFFT_ERROR_ARGUMENT,
                path() + ": dataset " + (problem_.refine_above ? "coarsen_below" : "refine_above") +
                    " is missing, expected both of refine_above and coarsen_below, or none");
  for (const char *name : {"refine_above", "coarsen_below"})
    if (problem_.refine_above && std::isnan(number(name)))
      refuse("dataset " + std::string(name), "nan", "a number");
  if (problem_.refine_above && *problem_.coarsen_below > *problem_.refine_above)
    refuse("dataset coarsen_below", number_text(*problem_.coarsen_below),
           "at most refine_above, " + number_text(*problem_.refine_above));
  problem_.adapt_interval = count("adapt_interval", 1, most, 4);
  const std::vector<std::string> names = field_names(problem_.dimensions());
  const std::string by = attribute("refine_by", "rho");
  const auto found = std::ranges::find(names, by);
  if (found == names.end()) {
    std::string all;
    for (const std::string &name : names)
      all += (all.empty() ? "" : name == "p" ? " or " : ", ") + name;
    refuse("attribute refine_by", "'" + by + "'", all);
  }
  problem_.refine_by = static_cast<int>(found - names.begin());
}

io::Shape CaseFile::finest_shape() const {
  io::Shape shape;
  for (int a = 3 - problem_.dimensions(); a < 3; ++a)
    shape.push_back(static_cast<std::size_t>(problem_.finest(a)));
  return shape;
}

void CaseFile::read_fields() {
  const io::Shape finest = finest_shape();
  io::Shape flat = finest, blocks{leaves_.size()};
  flat.insert(flat.begin(), 1);
  for (int a = 0; a < problem_.dimensions(); ++a)
    blocks.push_back(static_cast<std::size_t>(problem_.shape.cells));
  bool any_blocks = false, any_finest = false;
  for (const std::string &name : field_names(problem_.dimensions())) {
    CaseField field{name};
    const bool velocity = name != "rho" && name != "p";
    if (!velocity || has(name)) {
      if (!has(name)) number(name);
      const io::Shape shape = file_.exists(name) ? file_.info(name).shape : io::Shape{};
      if (io::volume(shape) == 1 && shape != finest) {
        field.value = number(name);
      } else if (shape == finest || (problem_.dimensions() == 2 && shape == flat)) {
        field.layout = Layout::finest;
        field.flat = shape == flat;
      } else if (problem_.leaves_given && shape == blocks) {
        field.layout = Layout::blocks;
      } else {
        refuse("dataset " + name, "an array of " + io::to_string(shape),
               "one number, an array of the finest grid of " + io::to_string(finest) +
                   (problem_.leaves_given ? ", or blocks of " + io::to_string(blocks)
                                          : ", or blocks with dataset leaf"));
      }
    }
    any_blocks = any_blocks || field.layout == Layout::blocks;
    any_finest = any_finest || field.layout == Layout::finest;
    fields_.push_back(field);
  }
  if (any_blocks && any_finest)
    for (const CaseField &field : fields_)
      if (field.layout == Layout::finest)
        refuse("dataset " + field.name, "an array of the finest grid",
               "one number or blocks of " + io::to_string(blocks) + ", as other fields are blocks");
}

/// True if element `at` of an array belongs to a present tree.
bool CaseFile::present_at(const CaseField &field, std::size_t at) const {
  const grid::ForestShape &s = problem_.shape;
  if (field.layout != Layout::finest || s.present.empty()) return true;
  std::size_t tree = 0, stride = 1, rest = at;
  for (int a = 2; a >= 3 - s.dimensions; --a) {
    const auto n = static_cast<std::size_t>(problem_.finest(a));
    const auto edge = static_cast<std::size_t>(s.cells << s.max_level);
    tree += rest % n / edge * stride;
    stride *= static_cast<std::size_t>(s.trees[a]);
    rest /= n;
  }
  return s.present[tree] != 0;
}

/// Checks all values and computes the fingerprint. Each rank reads a part of each array.
void CaseFile::check_values() {
  constexpr std::size_t at_once = std::size_t{1} << 20;
  const auto ranks = static_cast<std::size_t>(comm_.size());
  const auto rank = static_cast<std::size_t>(comm_.rank());
  io::ContentChecksum checksum;
  for (const CaseField &field : fields_) {
    const bool one = field.layout == Layout::number;
    const io::Shape shape = one ? io::Shape{} : file_.info(field.name).shape;
    const std::size_t total = io::volume(shape), share = (total + ranks - 1) / ranks;
    const std::size_t first = std::min(total, rank * share), end = std::min(total, first + share);
    const std::uint64_t salt = io::ContentChecksum::hash(field.name);
    grid::Communicator::ArgMin mine;
    const auto check = [&](double value, std::size_t at) {
      checksum.add(salt, value, static_cast<std::int64_t>(at));
      const bool good = std::isfinite(value) && (!is_positive(field) || value > 0);
      if (!good && !mine.found() && present_at(field, at))
        mine = {static_cast<std::int64_t>(at), value};
    };
    std::vector<double> buffer;
    if (one && rank == 0) check(field.value, 0);
    for (std::size_t from = 0; !one && from < share; from += at_once) {
      const std::size_t begin = std::min(end, first + from);
      const std::size_t count = std::min(end, begin + std::min(at_once, share - from)) - begin;
      buffer.resize(count);
      file_.read_run(field.name, begin, count, buffer.data());
      for (std::size_t n = 0; n < count; ++n)
        check(buffer[n], begin + n);
    }
    const grid::Communicator::ArgMin found = comm_.argmin(mine);
    if (!found.found()) continue;
    std::string place;
    auto rest = static_cast<std::size_t>(found.where);
    for (std::size_t a = shape.size(); a-- > 0; rest /= shape[a])
      place = std::to_string(rest % shape[a]) + (place.empty() ? "" : ", ") + place;
    refuse("dataset " + field.name + (place.empty() ? "" : ": value [" + place + "]"),
           number_text(found.value),
           is_positive(field) ? "a finite number above 0" : "a finite number");
  }
  fingerprint_ = io::ContentChecksum::in_file(comm_.sum(checksum.sum()));
}

void CaseFile::warn_of_unknown() {
  constexpr std::array known{"trees",
                             "present",
                             "cells",
                             "h",
                             "max_level",
                             "leaf",
                             "gamma",
                             "gravity",
                             "base_pressure",
                             "steps",
                             "t_end",
                             "dt",
                             "cfl",
                             "dt_interval",
                             "refine_above",
                             "coarsen_below",
                             "adapt_interval",
                             "time",
                             "step",
                             "series",
                             "snapshot"};
  const std::vector<std::string> fields = field_names(problem_.dimensions());
  for (const std::string &name : file_.names())
    if (std::ranges::find(known, name) == known.end() &&
        std::ranges::find(fields, name) == fields.end())
      warnings_.push_back(path() + ": dataset " + io::printable(name) +
                          " is unknown, and was not read");
}

/// Converts the rho, velocity and p of a leaf's cells to rho, momentum and E', the energy without
/// the part of the hydrostatic pressure (see solver.h). In place.
template <class Real>
void CaseFile::conserve(const Solver<Real> &solver, const grid::Leaf &leaf,
                        std::vector<double> &values) const {
  const int d = problem_.dimensions();
  const Index n = problem_.shape.cells, planes = d == 3 ? n : 1, cells = planes * n * n;
  for (Index i = 0; i < planes; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k) {
        double *const w = values.data() + (i * n + j) * n + k;
        double squares = 0;
        for (int v = 1; v <= d; ++v) {
          squares += w[v * cells] * w[v * cells];
          w[v * cells] *= w[0];
        }
        const Index along = problem_.base_axis == 0 ? i : problem_.base_axis == 1 ? j : k;
        w[(d + 1) * cells] =
            (w[(d + 1) * cells] - solver.base_pressure(leaf, along)) / (problem_.gamma - 1) +
            0.5 * w[0] * squares;
      }
}

template <class Real> void CaseFile::set(Solver<Real> &solver) const {
  const bool finest =
      std::ranges::any_of(fields_, [](const CaseField &f) { return f.layout == Layout::finest; });
  finest ? set_finest(solver) : set_blocks(solver);
}

template <class Real> void CaseFile::set_blocks(Solver<Real> &solver) const {
  const grid::Forest &forest = solver.forest();
  std::vector<Index> row(forest.leaves().size(), 0);
  for (std::size_t n = 0; n < leaves_.size(); ++n)
    if (const auto leaf = forest.find(leaves_[n]))
      row[static_cast<std::size_t>(*leaf)] = static_cast<Index>(n);
  const auto own = static_cast<std::int64_t>(forest.mine().size());
  const std::int64_t rounds = comm_.max(own);
  const auto values = static_cast<std::size_t>(solver.values_of_leaf());
  const std::size_t cells = values / fields_.size();
  std::vector<double> w(values);
  std::vector<Real> result(values);
  for (std::int64_t r = 0; r < rounds; ++r) {
    const bool active = r < own;
    const Index leaf = active ? forest.mine()[static_cast<std::size_t>(r)] : 0;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (fields_[f].layout == Layout::number) {
        std::fill_n(w.begin() + static_cast<std::ptrdiff_t>(f * cells), cells, fields_[f].value);
        continue;
      }
      const auto first = static_cast<std::size_t>(row[static_cast<std::size_t>(leaf)]) * cells;
      file_.read_run(fields_[f].name, active ? first : 0, active ? cells : 0, w.data() + f * cells);
    }
    if (!active) continue;
    conserve(solver, forest.leaves()[static_cast<std::size_t>(leaf)], w);
    std::ranges::transform(w, result.begin(), [](double x) { return static_cast<Real>(x); });
    solver.write(leaf, result.data());
  }
}

namespace {

/// Averages pairs of values along an axis of an array [n0][n1][n2] until the axis has n values.
/// Means of pairs keep constant fields exact.
void halve(std::vector<double> &values, Index3 &extents, int axis, Index n) {
  while (extents[axis] > n) {
    Index inner = 1, outer = 1;
    for (int a = axis + 1; a < 3; ++a)
      inner *= extents[a];
    for (int a = 0; a < axis; ++a)
      outer *= extents[a];
    extents[axis] /= 2;
    for (Index o = 0; o < outer * extents[axis]; ++o)
      for (Index i = 0; i < inner; ++i) {
        const auto from = static_cast<std::size_t>(2 * o * inner + i);
        values[static_cast<std::size_t>(o * inner + i)] =
            0.5 * (values[from] + values[from + static_cast<std::size_t>(inner)]);
      }
  }
}

/// Section of a leaf: cells [first, end) along its slowest axis.
struct Part {
  Index leaf, first, end;
};

} // namespace

/// Sets the state from arrays of the finest level. Coarser cells get the means of rho, momentum and
/// E'. Leaves are read in sections, so that buffers stay small.
template <class Real> void CaseFile::set_finest(Solver<Real> &solver) const {
  constexpr Index max_values = Index{1} << 22;
  const grid::Forest &forest = solver.forest();
  const int d = problem_.dimensions(), slow = 3 - d;
  const Index n = problem_.shape.cells;
  const auto step_of = [&](Index leaf) {
    return Index{1} << (problem_.shape.max_level -
                        forest.leaves()[static_cast<std::size_t>(leaf)].level);
  };
  std::vector<Part> parts;
  for (const Index leaf : forest.mine()) {
    const Index edge = n * step_of(leaf), plane = step_of(leaf) * (d == 3 ? edge * edge : edge);
    const Index at_once = std::clamp<Index>(max_values / plane, 1, n);
    for (Index c = 0; c < n; c += at_once)
      parts.push_back({leaf, c, std::min(n, c + at_once)});
  }
  const auto own = static_cast<std::int64_t>(parts.size());
  const std::int64_t rounds = comm_.max(own);
  const Index leaf_cells = solver.values_of_leaf() / problem_.variables();
  std::vector<Real> result(static_cast<std::size_t>(solver.values_of_leaf()));
  std::vector<std::vector<double>> w(fields_.size());
  for (std::int64_t r = 0; r < rounds; ++r) {
    const bool active = r < own;
    const Part part = active ? parts[static_cast<std::size_t>(r)] : Part{0, 0, 0};
    const Index step = active ? step_of(part.leaf) : 1;
    const grid::Leaf leaf =
        active ? forest.leaves()[static_cast<std::size_t>(part.leaf)] : grid::Leaf{};
    Index3 lo, extents{{1, 1, 1}};
    for (int a = slow; a < 3; ++a) {
      lo[a] = leaf.place[a] * n * step + (a == slow ? part.first * step : 0);
      extents[a] = active ? (a == slow ? part.end - part.first : n) * step : 0;
    }
    const auto total = static_cast<std::size_t>(extents[0] * extents[1] * extents[2]);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      w[f].assign(total, fields_[f].value);
      if (fields_[f].layout != Layout::finest) continue;
      io::Hyperslab box;
      if (fields_[f].flat) {
        box.offset.push_back(0);
        box.count.push_back(active ? 1 : 0);
      }
      for (int a = slow; a < 3; ++a) {
        box.offset.push_back(static_cast<std::size_t>(active ? lo[a] : 0));
        box.count.push_back(static_cast<std::size_t>(extents[a]));
      }
      file_.read(fields_[f].name, box, w[f].data());
    }
    if (!active) continue;
    for (std::size_t c = 0; c < total; ++c) {
      double squares = 0;
      for (std::size_t v = 1; v + 1 < w.size(); ++v) {
        squares += w[v][c] * w[v][c];
        w[v][c] *= w[0][c];
      }
      double &energy = w.back()[c];
      energy = energy / (problem_.gamma - 1) + 0.5 * w[0][c] * squares;
      if (problem_.base.empty()) continue;
      const auto at = static_cast<Index>(c);
      const Index along = problem_.base_axis == 2   ? at % extents[2]
                          : problem_.base_axis == 1 ? at / extents[2] % extents[1]
                                                    : at / (extents[1] * extents[2]);
      const auto face = static_cast<std::size_t>(lo[problem_.base_axis] + along);
      energy -= 0.5 * (problem_.base[face + 1] + problem_.base[face]) / (problem_.gamma - 1);
    }
    for (std::size_t f = 0; f < w.size(); ++f) {
      Index3 now = extents;
      for (int a = slow; a < 3; ++a)
        halve(w[f], now, a, extents[a] / step);
      const Index count = now[0] * now[1] * now[2];
      const Index first = part.first * (leaf_cells / n);
      for (Index c = 0; c < count; ++c)
        result[static_cast<std::size_t>(static_cast<Index>(f) * leaf_cells + first + c)] =
            static_cast<Real>(w[f][static_cast<std::size_t>(c)]);
    }
    if (part.end == n) solver.write(part.leaf, result.data());
  }
}

template void CaseFile::set(Solver<float> &) const;
template void CaseFile::set(Solver<double> &) const;

} // namespace hybridfft::euler
