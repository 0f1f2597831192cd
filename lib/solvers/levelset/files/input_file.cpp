#include "solvers/levelset/files/input_file.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "hybridfft/error.hpp"
#include "io/box.h"
#include "solvers/levelset/files/surface.h"
#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

namespace {

/// Datasets of the initial front. An input has one of them.
constexpr const char *fronts[] = {"phi", "phi_padded", "sphere", "labels"};
/// Names of datasets; other names cause a warning. `tissues` belongs to hybridfft-phantom, another
/// reader of these files.
const std::set<std::string> known{
    "phi",    "phi_padded",   "sphere",     "points",      "labels",       "label",  "h",
    "origin", "order",        "beta",       "gamma",       "ux",           "uy",     "uz",
    "speed",  "steps",        "flow_time",  "flow_period", "bending",      "t_end",  "dt",
    "cfl",    "reinitialise", "redistance", "medium",      "medium_width", "tissues"};

} // namespace

InputFile::InputFile(const std::string &path, const std::string &stl,
                     const grid::Communicator &comm)
    : file_(io::File::open(path, comm.handle())), comm_(comm), stl_(stl), front_(kind_of_front()) {
  read_problem();
  if (front_.empty()) read_triangles();
  read_ends();
  read_times();
  read_flow();
  check_moving_arrays();
  warn_of_unknown();
}

void InputFile::refuse(const std::string &what, const std::string &found,
                       const std::string &expected) const {
  throw Error(HFFT_ERROR_ARGUMENT,
              io::printable(path() + ": " + what + ": found " + found + ", expected " + expected));
}

std::string InputFile::kind_of_front() const {
  std::vector<std::string> found;
  for (const char *name : fronts)
    if (file_.exists(name)) found.emplace_back(name);
  if (!stl_.empty()) {
    if (found.empty()) return "";
    refuse("dataset " + found.front() + ", --stl", "both", "one of them");
  }
  if (found.size() == 1) return found.front();
  std::string all = "none of them";
  for (std::size_t n = 0; n < found.size(); ++n)
    all = n == 0 ? found[0] : all + " and " + found[n];
  refuse("datasets phi, phi_padded, sphere, labels", all, "one of them, or --stl");
}

bool InputFile::is_number(const std::string &dataset) const {
  return io::volume(file_.info(dataset).shape) == 1;
}

double InputFile::number(const std::string &dataset) const {
  if (!file_.exists(dataset))
    throw Error(HFFT_ERROR_ARGUMENT,
                path() + ": dataset " + dataset + " is missing, expected a number");
  if (!is_number(dataset))
    refuse("dataset " + dataset, "an array of " + io::to_string(file_.info(dataset).shape),
           "one number");
  const double value = file_.read_all<double>(dataset).front();
  if (!std::isfinite(value)) refuse("dataset " + dataset, number_text(value), "a finite number");
  return value;
}

double InputFile::number_or(const std::string &dataset, double value) const {
  return file_.exists(dataset) ? number(dataset) : value;
}

int InputFile::iterations(const std::string &dataset, int value) const {
  const double n = number_or(dataset, value);
  if (!(n >= 0) || n != std::floor(n) || n > 1e6)
    refuse("dataset " + dataset, number_text(n), "a number of iterations, 0 or more");
  return static_cast<int>(n);
}

io::Shape InputFile::grid_shape(const std::string &dataset) const {
  io::Shape shape = file_.info(dataset).shape;
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  if (shape.size() != 3)
    refuse("dataset " + dataset, "an array of " + io::to_string(file_.info(dataset).shape),
           "Nz x Ny x Nx, or Ny x Nx");
  return shape;
}

Index3 InputFile::read_points_of_grid() {
  Index3 n;
  const bool by_points = front_ == "sphere" || front_.empty();
  if (by_points) {
    if (!file_.exists("points"))
      throw Error(HFFT_ERROR_ARGUMENT, path() +
                                           ": dataset points is missing, expected Nx, Ny and "
                                           "Nz with " +
                                           (front_.empty() ? "--stl" : "sphere"));
    const std::vector<double> points = file_.read_all<double>("points");
    if (points.size() != 3)
      refuse("dataset points", std::to_string(points.size()) + " numbers", "three: Nx, Ny, Nz");
    for (const int a : {0, 1, 2}) {
      const double value = points[static_cast<std::size_t>(2 - a)];
      if (!(value >= 1) || value != std::floor(value) || value > 1e9)
        refuse("dataset points", number_text(value), "integers of at least 1");
      n[a] = static_cast<Index>(value);
    }
  } else {
    const io::Shape shape = grid_shape(front_);
    const Index pads = front_ == "phi_padded" ? 2 * pad : 0;
    for (int a = 0; a < 3; ++a)
      n[a] = static_cast<Index>(shape[static_cast<std::size_t>(a)]) - pads;
  }
  for (int a = 0; a < 3; ++a)
    if (n[a] < 7 && !(a == 0 && n[a] == 1))
      refuse("dataset " + std::string(by_points ? "points" : front_),
             std::to_string(n[a]) + " points along " + "zyx"[a],
             "at least 7, or 1 along z for two dimensions");
  return n;
}

void InputFile::read_problem() {
  Problem &p = settings_.problem;
  p.h = number("h");
  if (!(p.h > 0)) refuse("dataset h", number_text(p.h), "a length above 0, in m");
  p.points = read_points_of_grid();
  if (file_.exists("origin")) {
    const std::vector<double> origin = file_.read_all<double>("origin");
    if (origin.size() != 3)
      refuse("dataset origin", std::to_string(origin.size()) + " numbers", "three: x, y, z");
    std::copy(origin.begin(), origin.end(), p.origin.begin());
    for (const double x : origin)
      if (!std::isfinite(x)) refuse("dataset origin", number_text(x), "finite numbers");
  }
  const double order = number_or("order", 5);
  if (order != 1 && order != 5) refuse("dataset order", number_text(order), "1 or 5");
  p.order = static_cast<int>(order);
  const double usual_beta = (p.order == 5 ? 3 : 2) * p.h, usual_gamma = 2 * usual_beta;
  p.beta = number_or("beta", usual_beta);
  p.gamma = number_or("gamma", usual_gamma);
  if (!(p.beta > 0)) refuse("dataset beta", number_text(p.beta), "a length above 0, in m");
  if (!(p.gamma > p.beta))
    refuse("dataset gamma", number_text(p.gamma), "more than beta, " + number_text(p.beta));
  if (p.gamma > 16 * p.h)
    refuse("dataset gamma", number_text(p.gamma), "at most 16 h = " + number_text(16 * p.h));
}

void InputFile::read_ends() {
  for (const int axis : {0, 1, 2}) {
    const std::string name = std::string(1, "xyz"[axis]) + "_boundary";
    if (!file_.has_attribute("/", name)) continue;
    const std::string kind = file_.attribute("/", name);
    End &end = settings_.problem.ends[static_cast<std::size_t>(axis)];
    if (kind == "outflow")
      end = End::outflow;
    else if (kind == "periodic")
      end = End::periodic;
    else if (kind == "fixed")
      end = End::fixed;
    else
      refuse("attribute " + name, "'" + kind + "'", "outflow, periodic or fixed");
  }
}

void InputFile::read_times() {
  FrontSettings &s = settings_;
  if (file_.exists("steps")) {
    const double steps = number("steps");
    if (!(steps >= 0) || steps != std::floor(steps) || steps > 1e15)
      refuse("dataset steps", number_text(steps), "an integer, 0 or more");
    s.steps = static_cast<std::int64_t>(steps);
  }
  if (file_.exists("t_end")) {
    s.t_end = number("t_end");
    if (!(s.t_end > 0)) refuse("dataset t_end", number_text(s.t_end), "a time above 0, in s");
  }
  if (!s.steps && !file_.exists("t_end"))
    throw Error(HFFT_ERROR_ARGUMENT,
                path() + ": datasets steps, t_end: found none of them, expected at least one");
  if (file_.exists("dt")) {
    s.dt = number("dt");
    if (!(*s.dt > 0)) refuse("dataset dt", number_text(*s.dt), "a time above 0, in s");
  }
  s.cfl = number_or("cfl", s.cfl);
  if (!(s.cfl > 0 && s.cfl <= 1))
    refuse("dataset cfl", number_text(s.cfl), "a number above 0, up to 1");
  s.bending = number_or("bending", 0);
  if (!(s.bending >= 0)) refuse("dataset bending", number_text(s.bending), "0 or more, in m^2/s");
  const double h = s.problem.h;
  if (s.dt && s.bending > 0 && *s.dt > h * h / (6 * s.bending))
    refuse("dataset dt", number_text(*s.dt),
           "at most h^2/(6 bending) = " + number_text(h * h / (6 * s.bending)));
  s.reinitialise = iterations("reinitialise", 1);
  s.redistance = iterations("redistance", 0);
}

void InputFile::read_flow() {
  FrontSettings &s = settings_;
  if (file_.has_attribute("/", "flow")) {
    s.flow = file_.attribute("/", "flow");
    if (s.flow != "rotation" && s.flow != "deformation")
      refuse("attribute flow", "'" + s.flow + "'", "rotation or deformation");
    for (const char *name : {"ux", "uy", "uz"})
      if (file_.exists(name))
        refuse(std::string("attribute flow, dataset ") + name, "both", "one of them");
  }
  s.flow_period = number_or("flow_period", s.flow_period);
  if (!(s.flow_period > 0))
    refuse("dataset flow_period", number_text(s.flow_period), "a time above 0");
  if (!file_.exists("flow_time")) return;
  s.flow_time = file_.read_all<double>("flow_time");
  for (std::size_t n = 0; n < s.flow_time.size(); ++n)
    if (!std::isfinite(s.flow_time[n]) || (n > 0 && !(s.flow_time[n] > s.flow_time[n - 1])))
      refuse("dataset flow_time", number_text(s.flow_time[n]) + " at position " + std::to_string(n),
             "ascending times");
}

std::size_t InputFile::times_of(const std::string &dataset) const {
  const io::Shape shape = file_.info(dataset).shape;
  return shape.size() == 4 ? shape[0] : 1;
}

/// Throws unless each velocity component and the speed is a number or an array with the extents of
/// the grid.
void InputFile::check_moving_arrays() const {
  const Index3 &n = settings_.problem.points;
  const io::Shape expected{unsigned_of(n[0]), unsigned_of(n[1]), unsigned_of(n[2])};
  for (const char *name : {"ux", "uy", "uz", "speed"}) {
    if (!file_.exists(name)) continue;
    io::Shape shape = file_.info(name).shape;
    if (io::volume(shape) == 1) {
      number(name);
      continue;
    }
    const io::Shape found = shape;
    if (shape.size() == 4) {
      const std::size_t times = shape.front();
      if (!file_.exists("flow_time"))
        throw Error(HFFT_ERROR_ARGUMENT, path() + ": dataset flow_time is missing, expected " +
                                             std::to_string(times) + " times for " + name);
      if (settings_.flow_time.size() != times)
        refuse("dataset flow_time", std::to_string(settings_.flow_time.size()) + " times",
               std::to_string(times) + ", as " + name + " has");
      shape.erase(shape.begin());
    }
    if (shape.size() == 2) shape.insert(shape.begin(), 1);
    if (shape != expected)
      refuse(std::string("dataset ") + name, "an array of " + io::to_string(found),
             "one number, " + io::to_string(expected) + ", or times x " + io::to_string(expected) +
                 (io::is_reversed(shape, expected) ? ": the order of axes looks reversed" : ""));
  }
}

void InputFile::warn_of_unknown() {
  for (const std::string &name : file_.names())
    if (!known.contains(name))
      warnings_.push_back(path() + ": dataset " + name + " is not known, and is not read");
}

template <class Real>
void InputFile::read_points(const std::string &dataset, std::size_t time, const Box &box,
                            Array<Real> &array) const {
  const io::Shape shape = file_.info(dataset).shape;
  io::Hyperslab slab{{0, 0, 0}, {0, 0, 0}};
  if (!box.empty())
    slab = {{unsigned_of(box.lo[0]), unsigned_of(box.lo[1]), unsigned_of(box.lo[2])},
            {unsigned_of(box.extent(0)), unsigned_of(box.extent(1)), unsigned_of(box.extent(2))}};
  if (shape.size() == 2) {
    slab.offset.erase(slab.offset.begin());
    slab.count.erase(slab.count.begin());
  } else if (shape.size() == 4) {
    slab.offset.insert(slab.offset.begin(), time);
    slab.count.insert(slab.count.begin(), box.empty() ? 0 : 1);
  }
  std::vector<Real> values;
  comm_.agree([&] { values.resize(unsigned_of(box.points())); });
  file_.read(dataset, slab, values.data());
  const grid::View<Real> v = array.view();
  const Index3 &n = settings_.problem.points;
  const std::uint64_t salt = io::ContentChecksum::hash(dataset) + time;
  auto from = values.begin();
  grid::Communicator::ArgMin bad;
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
      for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        const Real value = *from++;
        const std::int64_t where = (i * n[1] + j) * n[2] + k;
        v(i, j, k) = value;
        checksum_.add(salt, value, where);
        if (!std::isfinite(value) && where < bad.where) bad = {where, static_cast<double>(value)};
      }
  const grid::Communicator::ArgMin found = comm_.argmin(bad);
  if (found.found())
    refuse("dataset " + dataset + " at point (" + std::to_string(found.where % n[2]) + ", " +
               std::to_string(found.where / n[2] % n[1]) + ", " +
               std::to_string(found.where / n[2] / n[1]) + ")",
           number_text(found.value), "finite numbers");
}

/// Reads the dataset phi_padded: phi at all points, and at `pad` points beyond each end of an axis.
/// The box and its 26 ghost regions are read one by one. Ghosts beyond a periodic end take the
/// points of the other end.
template <class Real> void InputFile::read_padded(Solver<Real> &solver, Array<Real> &array) const {
  const Box &box = solver.box();
  const Index3 &n = settings_.problem.points;
  const grid::View<Real> v = array.view();
  const auto periodic = [&](int a) {
    return n[a] == 1 || settings_.problem.ends[static_cast<std::size_t>(2 - a)] == End::periodic;
  };
  grid::Communicator::ArgMin bad;
  for (int piece = 0; piece < 27; ++piece) {
    const int parts[3] = {piece / 9, piece / 3 % 3, piece % 3};
    Box to = box, from;
    for (int a = 0; a < 3; ++a) {
      if (parts[a] == 0) to.lo[a] = box.lo[a] - pad, to.hi[a] = box.lo[a];
      if (parts[a] == 2) to.lo[a] = box.hi[a], to.hi[a] = box.hi[a] + pad;
      Index first = to.lo[a];
      if (periodic(a)) first = (first % n[a] + n[a]) % n[a];
      from.lo[a] = first + pad;
      from.hi[a] = from.lo[a] + (n[a] == 1 ? 1 : to.extent(a));
    }
    io::Hyperslab slab{{0, 0, 0}, {0, 0, 0}};
    if (!box.empty())
      for (int a = 0; a < 3; ++a) {
        slab.offset[static_cast<std::size_t>(a)] = unsigned_of(from.lo[a]);
        slab.count[static_cast<std::size_t>(a)] = unsigned_of(from.extent(a));
      }
    std::vector<Real> values(io::volume(slab.count));
    file_.read(front_, slab, values.data());
    if (box.empty()) continue;
    for (Index i = to.lo[0]; i < to.hi[0]; ++i)
      for (Index j = to.lo[1]; j < to.hi[1]; ++j)
        for (Index k = to.lo[2]; k < to.hi[2]; ++k) {
          const Index at[3] = {n[0] == 1 ? 0 : i - to.lo[0], j - to.lo[1], k - to.lo[2]};
          const Real value =
              values[unsigned_of((at[0] * from.extent(1) + at[1]) * from.extent(2) + at[2])];
          v(i, j, k) = value;
          const std::int64_t where =
              ((from.lo[0] + at[0]) * (n[1] + 2 * pad) + from.lo[1] + at[1]) * (n[2] + 2 * pad) +
              from.lo[2] + at[2];
          if (!std::isfinite(value) && where < bad.where) bad = {where, static_cast<double>(value)};
          if (piece == 13) checksum_.add(io::ContentChecksum::hash(front_), value, where);
        }
  }
  const grid::Communicator::ArgMin found = comm_.argmin(bad);
  if (found.found()) {
    const Index x = n[2] + 2 * pad, y = n[1] + 2 * pad;
    refuse("dataset " + front_ + " at (" + std::to_string(found.where % x) + ", " +
               std::to_string(found.where / x % y) + ", " + std::to_string(found.where / x / y) +
               ")",
           number_text(found.value), "finite numbers");
  }
}

/// Sets phi to the distance from a union of spheres.
template <class Real> void InputFile::set_spheres(Solver<Real> &solver) const {
  const io::Shape shape = file_.info("sphere").shape;
  if (shape.empty() || shape.size() > 2 || shape.back() != 4 || io::volume(shape) == 0)
    refuse("dataset sphere", "an array of " + io::to_string(shape), "n x 4: x, y, z, r");
  const std::vector<double> spheres = file_.read_all<double>("sphere");
  for (std::size_t n = 0; n < spheres.size(); ++n)
    if (!std::isfinite(spheres[n]) || (n % 4 == 3 && !(spheres[n] > 0)))
      refuse("dataset sphere", number_text(spheres[n]) + " in row " + std::to_string(n / 4),
             "finite numbers, and a radius above 0");
  if (comm_.rank() == 0) checksum_.add_list("sphere", 0, std::span<const double>(spheres));
  solver.set([&](double x, double y, double z) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t n = 0; n < spheres.size(); n += 4) {
      const double a = x - spheres[n], b = y - spheres[n + 1], c = z - spheres[n + 2];
      least = std::min(least, std::sqrt(a * a + b * b + c * c) - spheres[n + 3]);
    }
    return least;
  });
}

/// Reads the STL file on every rank and adds its triangles to the checksum.
void InputFile::read_triangles() {
  if (settings_.problem.points[0] == 1)
    refuse("dataset points", "1 point along z", "at least 7 with --stl");
  comm_.agree([&] { triangles_ = read_stl(stl_); });
  if (comm_.rank() != 0) return;
  std::vector<double> corners;
  for (const auto &triangle : triangles_.triangles)
    for (const std::int64_t corner : triangle)
      for (const float x : triangles_.points[unsigned_of(corner)])
        corners.push_back(x);
  checksum_.add_list("--stl", 0, std::span<const double>(corners));
}

template <class Real> void InputFile::set_triangles(Solver<Real> &solver) const {
  Array<Real> first = solver.make_host_array();
  set_signed_distance(triangles_, solver.problem(), solver.problem().gamma, solver.box(),
                      first.view());
  solver.set(first);
}

/// Sets the front around the points with one label of a segmented image.
template <class Real> void InputFile::set_labels(Solver<Real> &solver) const {
  const double label = number_or("label", 1);
  if (file_.info(front_).kind != io::NumberKind::integer)
    refuse("dataset labels", "values of another type", "integers");
  Array<Real> points = solver.make_host_array();
  read_points(front_, 0, solver.box(), points);
  set_label(solver, points, static_cast<Real>(label));
}

template <class Real> void InputFile::set_front(Solver<Real> &solver) {
  if (front_ == "sphere") {
    set_spheres(solver);
  } else if (front_ == "labels") {
    set_labels(solver);
  } else if (front_.empty()) {
    set_triangles(solver);
  } else {
    Array<Real> first = solver.make_host_array();
    if (front_ == "phi")
      read_points(front_, 0, solver.box(), first);
    else
      read_padded(solver, first);
    solver.set(first, front_ == "phi_padded");
  }
  const std::int64_t inside = solver.inside(), all = settings_.problem.points[0] *
                                                     settings_.problem.points[1] *
                                                     settings_.problem.points[2];
  if (inside == 0 || inside == all)
    warnings_.push_back((front_.empty() ? stl_ : path() + ": dataset " + front_) + ": found " +
                        (inside == 0 ? "no value below 0" : "only values below 0") +
                        ", expected a change of sign: there is no front");
}

Media InputFile::media() const {
  if (!file_.exists("medium"))
    throw Error(HFFT_ERROR_ARGUMENT,
                path() + ": dataset medium is missing, expected 2 x 2 numbers with --medium: sound "
                         "speed and density inside, and outside");
  const std::vector<double> m = file_.read_all<double>("medium");
  if (m.size() != 4)
    refuse("dataset medium", "an array of " + io::to_string(file_.info("medium").shape),
           "2 x 2: sound speed and density inside, and outside");
  for (const double value : m)
    if (!(value > 0) || !std::isfinite(value))
      refuse("dataset medium", number_text(value), "numbers above 0");
  const double width = number_or("medium_width", Media{}.width);
  if (!(width > 0)) refuse("dataset medium_width", number_text(width), "a number above 0, in h");
  return {{m[0], m[1]}, {m[2], m[3]}, width};
}

std::int64_t InputFile::fingerprint() const {
  return io::ContentChecksum::in_file(comm_.sum(checksum_.sum()));
}

#define HFFT_INPUT(Real)                                                                           \
  template void InputFile::set_front(Solver<Real> &);                                              \
  template void InputFile::read_points(const std::string &, std::size_t, const Box &,              \
                                       Array<Real> &) const;
HFFT_INPUT(float)
HFFT_INPUT(double)
#undef HFFT_INPUT

} // namespace hybridfft::levelset
