// Makes media from labels. With smooth edges a level set for each tissue yields the share of the
// tissue at each point, and properties are averaged over the shares.
#include "support/phantom/labels.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <stdexcept>

#include "io/box.h"
#include "io/xdmf_text.h"
#include "solvers/levelset/solver.h"

namespace hybridfft::tools::phantom {

namespace {

using grid::Array;
using grid::Box;
using grid::View;

[[noreturn]] void refuse(const std::string &path, const std::string &what, const std::string &found,
                         const std::string &expected) {
  throw std::invalid_argument(path + ": " + what + ": found " + found + ", expected " + expected);
}

[[noreturn]] void refuse_label(const LabelVolume &labels, double found, const Index &point) {
  std::string all;
  for (const Tissue &t : labels.tissues)
    all += (all.empty() ? "" : ", ") + std::to_string(t.label);
  refuse(labels.path,
         "dataset labels at point (" + std::to_string(point[0]) + ", " + std::to_string(point[1]) +
             ", " + std::to_string(point[2]) + ")",
         io::number_text(found), "a label of tissues: " + all);
}

void require_dataset(const io::File &file, const std::string &name, const std::string &holds) {
  if (!file.exists(name))
    throw std::invalid_argument(file.path() + ": dataset " + name + " is missing, expected " +
                                holds);
}

void read_table(const io::File &file, LabelVolume &labels) {
  const std::string what = "dataset tissues", columns = "label, sound speed, density";
  require_dataset(file, "tissues", "a row for each label: " + columns);
  const io::Shape shape = file.info("tissues").shape;
  if (shape.size() != 2 || shape[0] == 0 || (shape[1] != 3 && shape[1] != 5))
    refuse(file.path(), what, "an array of " + io::to_string(shape),
           "n x 3: " + columns + "; or n x 5: also absorption, nonlinearity");
  labels.coefficients = shape[1] == 5;
  const std::vector<double> table = file.read_all<double>("tissues");
  std::set<std::int64_t> seen;
  for (std::size_t row = 0; row < shape[0]; ++row) {
    const std::span<const double> t(table.data() + row * shape[1], shape[1]);
    const std::string where = what + ", row " + std::to_string(row);
    if (t[0] != std::floor(t[0]) || !(std::abs(t[0]) < 1e9))
      refuse(file.path(), where, "label " + io::number_text(t[0]), "an integer");
    for (std::size_t c = 1; c < shape[1]; ++c)
      if (!std::isfinite(t[c]) || (c < 3 ? t[c] <= 0 : t[c] < 0))
        refuse(file.path(), where, io::number_text(t[c]),
               c < 3 ? "a speed and a density above 0" : "coefficients of 0 or more");
    const auto label = static_cast<std::int64_t>(t[0]);
    if (!seen.insert(label).second)
      refuse(file.path(), where, "label " + std::to_string(label) + " again", "each label once");
    labels.tissues.push_back(
        {label, {t[1], t[2]}, labels.coefficients ? t[3] : 0, labels.coefficients ? t[4] : 0});
  }
}

io::Hyperslab slab_of(const Box &box, std::size_t dimensions) {
  io::Hyperslab slab;
  for (int a = 3 - static_cast<int>(dimensions); a < 3; ++a) {
    slab.offset.push_back(box.empty() ? 0 : static_cast<std::size_t>(box.lo[a]));
    slab.count.push_back(box.empty() ? 0 : static_cast<std::size_t>(box.extent(a)));
  }
  return slab;
}

/// Arrays with two kinds of sums over all tissues, at this rank's points and ghosts: the sum of the
/// shares, and for each property the sum of share times property.
class Mixture {
public:
  Mixture(const LabelVolume &labels, double spacing, const grid::Communicator &comm)
      : labels_(labels), comm_(comm), solver_(comm, problem_of(labels, spacing)),
        box_(solver_.box()) {
    for (auto *values : {&density_, &compressibility_, &absorption_, &nonlinearity_, &shares_})
      *values = solver_.make_host_array();
    const Array<double> points = read();
    for (const Tissue &tissue : labels.tissues)
      add(tissue, points);
  }

  /// Writes a property averaged over the shares; `values` has the sums.
  void write(io::File &file, const std::string &name, const Array<double> &values) const {
    write_points(file, name, [v = values.view(), s = shares_.view()](auto... at) {
      return v(at...) / s(at...);
    });
  }
  void write_speed(io::File &file) const {
    write_points(file, "c0",
                 [rho = density_.view(), k = compressibility_.view(), s = shares_.view()](
                     auto... at) { return s(at...) / std::sqrt(rho(at...) * k(at...)); });
  }
  /// Writes densities half a cell ahead along x, y or z (0, 1, 2): the mean of two neighbours, or
  /// the density itself at the last point.
  void write_staggered(io::File &file, const std::string &name, int axis) const {
    const Index end = solver_.problem().points[2 - axis];
    write_points(file, name, [&](grid::Index i, grid::Index j, grid::Index k) {
      const View<const double> v = density_.view(), s = shares_.view();
      grid::Index3 next{{i, j, k}};
      const double here = v(i, j, k) / s(i, j, k);
      if (++next[2 - axis] >= end) return here;
      return 0.5 * (here + v(next[0], next[1], next[2]) / s(next[0], next[1], next[2]));
    });
  }

  const Array<double> &density() const { return density_; }
  const Array<double> &absorption() const { return absorption_; }
  const Array<double> &nonlinearity() const { return nonlinearity_; }

private:
  using Index = grid::Index;

  static levelset::Problem problem_of(const LabelVolume &labels, double spacing) {
    levelset::Problem problem;
    problem.points = {{labels.extents[2], labels.extents[1], labels.extents[0]}};
    problem.h = spacing;
    return problem;
  }

  Array<double> read() const {
    Array<double> points = solver_.make_host_array();
    const io::File file = io::File::open(labels_.path, comm_.handle());
    std::vector<double> values(static_cast<std::size_t>(box_.points()));
    file.read("labels", slab_of(box_, file.info("labels").shape.size()), values.data());
    std::set<double> known;
    for (const Tissue &t : labels_.tissues)
      known.insert(static_cast<double>(t.label));
    const grid::Index3 &n = solver_.problem().points;
    grid::Communicator::ArgMin bad;
    const View<double> v = points.view();
    auto from = values.begin();
    for (Index i = box_.lo[0]; i < box_.hi[0]; ++i)
      for (Index j = box_.lo[1]; j < box_.hi[1]; ++j)
        for (Index k = box_.lo[2]; k < box_.hi[2]; ++k) {
          const double label = *from++;
          v(i, j, k) = label;
          const std::int64_t where = (i * n[1] + j) * n[2] + k;
          if (where < bad.where && !known.contains(label)) bad = {where, label};
        }
    const grid::Communicator::ArgMin found = comm_.argmin(bad);
    if (found.found())
      refuse_label(labels_, found.value,
                   {found.where % n[2], found.where / n[2] % n[1], found.where / n[2] / n[1]});
    return points;
  }

  /// Adds a tissue with its share at each point: the part of the point's cell inside the tissue's
  /// front.
  void add(const Tissue &t, const Array<double> &points) {
    const bool smooth = labels_.edges == Edges::smooth;
    levelset::set_label(solver_, points, static_cast<double>(t.label), 0);
    const Array<double> mask = solver_.phi();
    if (smooth) solver_.reinitialise(levelset::label_iterations);
    const Array<double> phi = solver_.phi();
    const double width = labels_.edge_width * solver_.problem().h;
    const double stiffness = t.material.density * t.material.speed * t.material.speed;
    // With smooth edges, a point may be outside of all tissues. The tissue of the point's own label
    // therefore gets a tiny additional share.
    const double own = smooth ? 1e-9 : 1.;
    const View<const double> from = phi.view(), sign = mask.view();
    const View<double> share = shares_.view(), rho = density_.view(), k = compressibility_.view(),
                       a = absorption_.view(), b = nonlinearity_.view();
    // Staggered densities need values at ghosts, too. Values at ghosts beyond the grid are never
    // used.
    grid::parallel_for(grid::Host{1}, box_.empty() ? box_ : phi.box(), [=](auto... at) {
      const double f = (smooth ? levelset::inside_share(from(at...) / width) : 0.) +
                       (sign(at...) < 0 ? own : 0.);
      share(at...) += f;
      rho(at...) += f * t.material.density;
      k(at...) += f / stiffness;
      a(at...) += f * t.absorption;
      b(at...) += f * t.nonlinearity;
    });
  }

  template <class F>
  void write_points(io::File &file, const std::string &name, const F &value) const {
    const grid::Index3 &n = solver_.problem().points;
    file.create_dataset<float>(name,
                               {static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[1]),
                                static_cast<std::size_t>(n[2])});
    std::vector<float> list;
    list.reserve(static_cast<std::size_t>(box_.points()));
    for (Index i = box_.lo[0]; i < box_.hi[0]; ++i)
      for (Index j = box_.lo[1]; j < box_.hi[1]; ++j)
        for (Index k = box_.lo[2]; k < box_.hi[2]; ++k)
          list.push_back(static_cast<float>(value(i, j, k)));
    file.write(name, slab_of(box_, 3), list.data());
    file.set_attribute(name, "data_type", "float");
    file.set_attribute(name, "domain_type", "real");
  }

  const LabelVolume &labels_;
  const grid::Communicator &comm_;
  levelset::Solver<double> solver_;
  Box box_;
  Array<double> shares_, density_, compressibility_, absorption_, nonlinearity_;
};

} // namespace

PhantomMedium::SpeedRange LabelVolume::speeds() const {
  PhantomMedium::SpeedRange range{tissues.front().material.speed, tissues.front().material.speed};
  for (const Tissue &t : tissues) {
    range.lowest = std::min(range.lowest, t.material.speed);
    range.highest = std::max(range.highest, t.material.speed);
  }
  return range;
}

const Tissue &LabelVolume::at(const Index &point, MPI_Comm comm) const {
  const io::File file = io::File::open(path, comm);
  const Box box({{point[2], point[1], point[0]}}, {{point[2] + 1, point[1] + 1, point[0] + 1}});
  double label = 0;
  file.read("labels", slab_of(box, file.info("labels").shape.size()), &label);
  for (const Tissue &t : tissues)
    if (static_cast<double>(t.label) == label) return t;
  refuse_label(*this, label, point);
}

LabelVolume read_label_volume(const PhantomOptions &options, MPI_Comm comm) {
  const io::File file = io::File::open(options.labels, comm);
  LabelVolume labels;
  labels.path = options.labels;
  labels.edges = options.edges;
  labels.edge_width = options.edge_width;
  if (!(labels.edge_width > 0.) || !std::isfinite(labels.edge_width))
    throw std::invalid_argument("--edge-width: found " + io::number_text(labels.edge_width) +
                                ", expected a number of points above 0");
  require_dataset(file, "labels", "integers for all points");
  const io::DatasetInfo info = file.info("labels");
  if (info.kind != io::NumberKind::integer)
    refuse(file.path(), "dataset labels", "values of another type", "integers");
  if (info.shape.size() != 2 && info.shape.size() != 3)
    refuse(file.path(), "dataset labels", "an array of " + io::to_string(info.shape),
           "Nz x Ny x Nx, or Ny x Nx");
  labels.extents = {1, 1, 1};
  for (std::size_t a = 0; a < info.shape.size(); ++a)
    labels.extents[a] = static_cast<std::int64_t>(info.shape[info.shape.size() - 1 - a]);
  if (file.exists("h")) {
    labels.spacing = file.read_all<double>("h").at(0);
    if (!(labels.spacing > 0.) || !std::isfinite(labels.spacing))
      refuse(file.path(), "dataset h", io::number_text(labels.spacing), "a length above 0, in m");
  }
  read_table(file, labels);
  return labels;
}

void write_labelled_medium(io::File &file, const LabelVolume &labels, double spacing,
                           MPI_Comm comm) {
  const grid::Communicator all(comm);
  const Mixture mixture(labels, spacing, all);
  mixture.write_speed(file);
  mixture.write(file, "rho0", mixture.density());
  for (int axis = 0; axis < (labels.extents[2] == 1 ? 2 : 3); ++axis)
    mixture.write_staggered(file, std::string("rho0_sg") + "xyz"[axis], axis);
  if (!labels.coefficients) return;
  mixture.write(file, "alpha_coeff", mixture.absorption());
  mixture.write(file, "BonA", mixture.nonlinearity());
}

} // namespace hybridfft::tools::phantom
