#include "solvers/elastic/files/model_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "hybridfft/error.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "io/box.h"
#include "solvers/elastic/attenuation.h"
#include "solvers/elastic/files/text.h"

namespace hybridfft::elastic {

namespace {

constexpr std::array<std::pair<const char *, Surface>, 3> surfaces{
    {{"none", Surface::none}, {"fs2", Surface::fs2}, {"fs4", Surface::fs4}}};

} // namespace

ModelFile::ModelFile(const std::string &path, const grid::Communicator &comm,
                     const ModelOptions &options)
    : file_(io::File::open(path, comm.handle())), comm_(comm),
      allow_negative_lambda_(options.allow_negative_lambda) {
  problem_.cells = read_extents();
  problem_.h = number(require({"h", "dx"}));
  if (!(problem_.h > 0) || !std::isfinite(problem_.h))
    refuse("dataset " + require({"h", "dx"}), number_text(problem_.h), "a length above 0, in m");
  for (const char *other : {"dy", "dz"})
    if (file_.exists(other) && number(other) != problem_.h)
      refuse(std::string("dataset ") + other, number_text(number(other)),
             number_text(problem_.h) + ": cells are cubes");
  if (file_.exists("dt")) {
    problem_.dt = number("dt");
    if (!(problem_.dt > 0) || !std::isfinite(problem_.dt))
      refuse("dataset dt", number_text(problem_.dt), "a time above 0, in s");
  }
  problem_.steps = options.steps > 0 ? options.steps : count(require({"steps", "Nt"}));
  read_options(options);
  read_quality();
}

void ModelFile::refuse(const std::string &what, const std::string &found,
                       const std::string &expected) const {
  throw Error(HFFT_ERROR_ARGUMENT,
              io::printable(path() + ": " + what + ": found " + found + ", expected " + expected));
}

std::optional<std::string> ModelFile::find(Names names) const {
  for (const char *name : names)
    if (file_.exists(name)) return name;
  return std::nullopt;
}

std::string ModelFile::require(Names names) const {
  if (const auto found = find(names)) return *found;
  std::string all;
  for (const char *name : names)
    all += (all.empty() ? "" : " or ") + std::string(name);
  throw Error(HFFT_ERROR_ARGUMENT, path() + ": dataset " + all + " is missing");
}

double ModelFile::number(const std::string &dataset) const {
  const io::Shape shape = file_.info(dataset).shape;
  if (io::volume(shape) != 1)
    refuse("dataset " + dataset, "an array of " + io::to_string(shape), "one number");
  return file_.read_all<double>(dataset).front();
}

Index ModelFile::count(const std::string &dataset) const {
  const double value = number(dataset);
  if (!(value >= 1) || value != std::floor(value) || value > 1e15)
    refuse("dataset " + dataset, number_text(value), "an integer of at least 1");
  return static_cast<Index>(value);
}

std::optional<double> ModelFile::attribute(const char *name) const {
  if (!file_.has_attribute("/", name)) return std::nullopt;
  const std::vector<double> values = file_.numbers("/", name);
  if (values.size() != 1)
    refuse(std::string("attribute ") + name, std::to_string(values.size()) + " numbers", "one");
  return values.front();
}

io::Shape ModelFile::shape_of_cells() const {
  const Index3 &n = problem_.cells;
  return {static_cast<std::size_t>(n[2]), static_cast<std::size_t>(n[1]),
          static_cast<std::size_t>(n[0])};
}

std::string ModelFile::hint_of_axes(const io::Shape &found) const {
  if (!io::is_reversed(found, shape_of_cells())) return "";
  return " (Nz x Ny x Nx): the order of axes looks reversed, write the transposed array";
}

/// Reads the extents from Nx, Ny and Nz, or takes them from the first array of the medium.
Index3 ModelFile::read_extents() const {
  if (file_.exists("Nx") || file_.exists("Ny") || file_.exists("Nz"))
    return {{count(require({"Nx"})), count(require({"Ny"})), count(require({"Nz"}))}};
  for (const Names &names : {Names{"vp", "c0"}, Names{"vs"}, Names{"rho", "rho0"}}) {
    const io::Shape shape = file_.info(require(names)).shape;
    if (io::volume(shape) == 1) continue;
    if (shape.size() != 3)
      refuse("dataset " + require(names), "an array of " + io::to_string(shape),
             "one number or three dimensions, Nz x Ny x Nx");
    return {
        {static_cast<Index>(shape[2]), static_cast<Index>(shape[1]), static_cast<Index>(shape[0])}};
  }
  throw Error(HFFT_ERROR_ARGUMENT, path() + ": datasets Nx, Ny and Nz are missing, expected them "
                                            "where vp, vs and rho are numbers");
}

void ModelFile::read_options(const ModelOptions &options) {
  problem_.surface = Surface::fs2;
  if (file_.has_attribute("/", "free_surface")) {
    const std::string name = file_.attribute("/", "free_surface");
    const auto *found = std::ranges::find(surfaces, name, [](const auto &s) { return s.first; });
    if (found == surfaces.end())
      refuse("attribute free_surface", "'" + name + "'", "none, fs2 or fs4");
    problem_.surface = found->second;
  }
  problem_.surface = options.surface.value_or(problem_.surface);
  if (file_.has_attribute("/", "periodic"))
    for (const char axis : file_.attribute("/", "periodic")) {
      if (axis < 'x' || axis > 'z' || (axis == 'z' && problem_.surface != Surface::none))
        refuse("attribute periodic", "'" + file_.attribute("/", "periodic") + "'",
               "letters of x and y, and of z without a free surface");
      problem_.periodic[static_cast<std::size_t>(axis - 'x')] = true;
    }
  const double width = attribute("sponge_width").value_or(0);
  if (!(width >= 0) || width != std::floor(width) || width > 1e6)
    refuse("attribute sponge_width", number_text(width), "a number of cells, 0 or more");
  problem_.sponge.width = static_cast<Index>(width);
  problem_.sponge.edge = attribute("sponge_edge").value_or(problem_.sponge.edge);
  if (!(problem_.sponge.edge > 0 && problem_.sponge.edge <= 1))
    refuse("attribute sponge_edge", number_text(problem_.sponge.edge), "a factor above 0, up to 1");
}

template <class Real>
void ModelFile::read_array(Names names, const grid::Box &cells, grid::Array<Real> &array) const {
  const std::string dataset = require(names);
  const io::Shape shape = file_.info(dataset).shape;
  const bool one = io::volume(shape) == 1;
  const io::Shape expected = shape_of_cells();
  if (!one && shape != expected)
    refuse("dataset " + dataset, "an array of " + io::to_string(shape),
           "one number or " + io::to_string(expected) + hint_of_axes(shape));
  const grid::View<Real> v = array.view();
  const Index top = problem_.planes_above();
  const grid::Host host{1};
  if (one) {
    const auto value = static_cast<Real>(number(dataset));
    grid::parallel_for(host, cells, [=](Index i, Index j, Index k) { v(i, j, k) = value; });
    return;
  }
  const auto size = [](Index extent) { return static_cast<std::size_t>(extent); };
  io::Hyperslab box{{0, 0, 0}, {0, 0, 0}};
  if (!cells.empty())
    box = {{size(cells.lo[2] - top), size(cells.lo[1]), size(cells.lo[0])},
           {size(cells.extent(2)), size(cells.extent(1)), size(cells.extent(0))}};
  std::vector<Real> values(io::volume(box.count));
  file_.read(dataset, box, values.data());
  const Real *from = values.data();
  const Index ny = cells.extent(1), nx = cells.extent(0);
  grid::parallel_for(host, cells, [=](Index i, Index j, Index k) {
    v(i, j, k) = from[((k - cells.lo[2]) * ny + j - cells.lo[1]) * nx + i - cells.lo[0]];
  });
}

template <class Real>
void ModelFile::check_cells(const Cells<Real> &cells, const grid::Box &inside) {
  const auto not_positive = [](Real x, Index, Index, Index) {
    return !(x > 0) || !std::isfinite(x);
  };
  check_array("vp", cells.vp, inside, not_positive, "a speed above 0, in m/s");
  check_array("rho", cells.rho, inside, not_positive, "a density above 0, in kg/m^3");
  check_array(
      "vs", cells.vs, inside,
      [](Real x, Index, Index, Index) { return !(x >= 0) || !std::isfinite(x); },
      "a speed of 0 or more, in m/s");
  check_ratio(cells, inside);
  const grid::View<const Real> vp = cells.vp.view(), vs = cells.vs.view();
  const auto larger = [](double a, double b) { return std::max(a, b); };
  const auto largest = [&](const auto &f) {
    return comm_.max(
        grid::reduce(grid::Host{1}, inside, -std::numeric_limits<double>::max(), f, larger));
  };
  fastest_ = largest([=](Index i, Index j, Index k) { return static_cast<double>(vp(i, j, k)); });
  slowest_ = -largest([=](Index i, Index j, Index k) {
    return -static_cast<double>(vs(i, j, k) > 0 ? vs(i, j, k) : vp(i, j, k));
  });
}

/// Requires lambda >= 0, or a positive bulk modulus lambda + 2/3 mu if the user allows negative
/// lambda.
template <class Real>
void ModelFile::check_ratio(const Cells<Real> &cells, const grid::Box &inside) const {
  const double least = allow_negative_lambda_ ? 4. / 3 : 2.;
  const grid::View<const Real> vp = cells.vp.view();
  // The relative tolerance is twice the machine epsilon of single precision.
  const auto bad = [=](Real s, Index i, Index j, Index k) {
    const double p = vp(i, j, k), shear = s;
    return p * p < least * shear * shear * (1 - 2.4e-7);
  };
  check_array("vs", cells.vs, inside, bad,
              allow_negative_lambda_
                  ? "at most sqrt(3/4) vp: the bulk modulus is negative"
                  : "at most vp/sqrt(2): lambda is negative, which has to be allowed explicitly "
                    "(--allow_negative_lambda)");
}

/// Throws if surface fs4 is used with a medium whose moduli vary by more than a third in the first
/// four cells below the surface. The scheme is unstable in such media.
template <class Real>
void ModelFile::require_smooth_surface(const Cells<Real> &cells, const grid::Box &inside) const {
  if (problem_.surface != Surface::fs4) return;
  constexpr Index rows = 4;
  constexpr double most = 4. / 3;
  if (problem_.cells[2] < rows)
    refuse("the grid", std::to_string(problem_.cells[2]) + " cells along z",
           "at least 4 for --free_surface fs4");
  grid::Box below = inside;
  below.hi[2] = std::min(below.hi[2], problem_.planes_above() + rows);
  const grid::View<const Real> vp = cells.vp.view(), vs = cells.vs.view(), rho = cells.rho.view();
  for (const bool shear : {false, true}) {
    const auto modulus = [=](Index i, Index j, Index k) {
      const double p = vp(i, j, k), s = vs(i, j, k), r = rho(i, j, k);
      return shear ? r * s * s : r * (p * p - 2 * s * s);
    };
    const auto extreme = [&](double sign) {
      return sign * comm_.max(grid::reduce(
                        grid::Host{1}, below, -std::numeric_limits<double>::max(),
                        [=](Index i, Index j, Index k) { return sign * modulus(i, j, k); },
                        [](double a, double b) { return std::max(a, b); }));
    };
    const double least = extreme(-1), largest = extreme(1);
    if (largest > most * least && largest > 0)
      refuse(
          std::string(shear ? "mu" : "lambda") + " of the first four rows below the surface",
          "values from " + number_text(least) + " to " + number_text(largest),
          "that they vary by no more than a third for the free surface fs4; fs2 takes any medium");
  }
}

/// Sets or checks the time step.
/// \param fastest speed of P waves with unrelaxed moduli
void ModelFile::settle_time_step(double fastest) {
  std::string at_once;
  if (problem_.quality)
    at_once =
        ", which the quality factors make " + number_text(fastest) + " m/s at high frequencies";
  const double largest = largest_time_step(problem_.h, fastest);
  if (problem_.dt == 0) problem_.dt = .9 * largest;
  if (problem_.dt > largest)
    refuse("dataset dt", number_text(problem_.dt),
           "at most 6 h/(7 sqrt(3) vp) = " + number_text(largest) + " s for the largest vp of " +
               number_text(fastest_) + " m/s" + at_once + "; " + number_text(.9 * largest) +
               " s is a good choice");
}

template <class Real>
Cells<Real> ModelFile::cells(const grid::Box &box, const grid::Widths &ghosts, int threads) {
  Cells<Real> cells;
  grid::Box inside = box;
  const bool qualities = problem_.quality && problem_.quality->in_cells;
  comm_.agree([&] {
    cells = Cells<Real>(box, ghosts, threads, qualities);
    inside.lo[2] = std::max(inside.lo[2], problem_.planes_above());
  });
  read_array<Real>({"vp", "c0"}, inside, cells.vp);
  read_array<Real>({"vs"}, inside, cells.vs);
  read_array<Real>({"rho", "rho0"}, inside, cells.rho);
  check_cells(cells, inside);
  require_smooth_surface(cells, inside);
  if (qualities) read_qualities(cells, inside);
  check_quality(cells, inside);
  settle_time_step(fastest_at_once(cells, inside));
  warn_of_quality();
  return cells;
}

std::int64_t ModelFile::fingerprint() const {
  return io::ContentChecksum::in_file(comm_.sum(checksum_.sum()));
}

template void ModelFile::read_array(Names, const grid::Box &, grid::Array<float> &) const;
template void ModelFile::read_array(Names, const grid::Box &, grid::Array<double> &) const;
template Cells<float> ModelFile::cells(const grid::Box &, const grid::Widths &, int);
template Cells<double> ModelFile::cells(const grid::Box &, const grid::Widths &, int);

} // namespace hybridfft::elastic
