// Checks the quality factors of a model. Factors that make waves unstable are refused. If waves
// may grow slowly, there is a warning.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "hybridfft/error.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "io/box.h"
#include "solvers/elastic/attenuation.h"
#include "solvers/elastic/files/model_file.h"
#include "solvers/elastic/files/text.h"

namespace hybridfft::elastic {

namespace {

constexpr const char *required_q = "a quality factor of at least 1";
constexpr const char *negative = " with this q_band: moduli are negative at low frequencies";
constexpr double rounding = 1 - 1e-6; ///< relaxes limits, since messages print them rounded

/// (vs/vp)^2 of a cell.
double square_ratio(double vp, double vs) {
  const double ratio = vs / vp;
  return ratio * ratio;
}

/// (vs/vp)^2 (mu - softest)/(mu + softest) of a cell, with mu = rho vs^2; 0 for fluids. `softest`
/// is the mu of a softer medium in contact with the cell.
double contact_ratio(double vp, double vs, double rho, double softest) {
  const double mu = rho * vs * vs;
  return mu > 0 ? square_ratio(vp, vs) * (mu - softest) / (mu + softest) : 0.;
}

/// Returns the maximum of `least` and of f over the boxes of all ranks.
template <class F>
double largest(const grid::Communicator &comm, const grid::Box &box, const F &f, double least = 0) {
  return comm.max(grid::reduce(grid::Host{1}, box, least, f,
                               [](double a, double b) { return std::max(a, b); }));
}

} // namespace

/// Reads a quality factor from an attribute or from a dataset with one number. For a dataset with
/// several numbers, returns 1 and sets `in_cells` to true.
double ModelFile::quality_factor(const char *name, bool &in_cells) const {
  const auto of_file = attribute(name);
  const bool dataset = file_.exists(name);
  if (of_file && dataset)
    refuse(std::string("attribute ") + name, number_text(*of_file),
           std::string("none: there is a dataset ") + name);
  if (!of_file && !dataset)
    throw Error(HFFT_ERROR_ARGUMENT,
                path() + ": attribute " + name + " is missing, expected it, or a dataset " + name);
  if (dataset && io::volume(file_.info(name).shape) > 1) {
    in_cells = true;
    return 1;
  }
  const double value = dataset ? number(name) : *of_file;
  if (!(value >= 1) || !std::isfinite(value))
    refuse(std::string(dataset ? "dataset " : "attribute ") + name, number_text(value), required_q);
  return value;
}

void ModelFile::read_quality() {
  if (!file_.exists("q_p") && !file_.exists("q_s") && !attribute("q_p") && !attribute("q_s"))
    return;
  Quality quality;
  quality.p = quality_factor("q_p", quality.in_cells);
  quality.s = quality_factor("q_s", quality.in_cells);
  if (!file_.has_attribute("/", "q_band"))
    throw Error(HFFT_ERROR_ARGUMENT, path() +
                                         ": attribute q_band is missing, expected the lowest and "
                                         "the highest frequency of the quality factors, in Hz");
  const std::vector<double> band = file_.numbers("/", "q_band");
  if (band.size() != 2 || !(band[0] > 0) || !(band[1] > band[0]) || !std::isfinite(band[1])) {
    std::string found;
    for (const double f : band)
      found += (found.empty() ? "" : ", ") + number_text(f);
    refuse("attribute q_band", found, "two frequencies, 0 < lowest < highest");
  }
  quality.lowest = band[0];
  quality.highest = band[1];
  quality.reference = attribute("q_reference").value_or(std::sqrt(band[0] * band[1]));
  if (!(quality.reference > 0) || !std::isfinite(quality.reference))
    refuse("attribute q_reference", number_text(quality.reference), "a frequency above 0");
  problem_.quality = quality;
}

/// Returns the maximum of contact_ratio() over the boxes of all ranks. With softest = 0 it is the
/// maximum of (vs/vp)^2.
template <class Real>
double ModelFile::largest_ratio(const Cells<Real> &cells, const grid::Box &box,
                                double softest) const {
  const grid::View<const Real> vp = cells.vp.view(), vs = cells.vs.view(), rho = cells.rho.view();
  return largest(comm_, box, [=](Index i, Index j, Index k) {
    return contact_ratio(vp(i, j, k), vs(i, j, k), rho(i, j, k), softest);
  });
}

/// Returns the minimum of rho vs^2 over the boxes of all ranks.
template <class Real>
double ModelFile::smallest_rigidity(const Cells<Real> &cells, const grid::Box &box) const {
  const grid::View<const Real> vs = cells.vs.view(), rho = cells.rho.view();
  return -largest(
      comm_, box,
      [=](Index i, Index j, Index k) {
        const double s = vs(i, j, k);
        return -static_cast<double>(rho(i, j, k)) * s * s;
      },
      -std::numeric_limits<double>::max());
}

/// Throws if the quality factors make waves unstable. Each cell has one mechanism with eight times
/// its weight. Waves are stable if the relaxed moduli (limit of low frequencies) meet two
/// conditions. The moduli of P and S waves must be positive in all cells. At a contact with a
/// softer medium, lambda + mu > -2 mu softer_mu / (mu + softer_mu) must hold, so that both
/// half-spaces resist any displacement of the contact. A free surface is the case softer_mu = 0.
///
/// Warns if 1/q_p < 4/3 (vs/vp)^2 / q_s in a cell: compression of the cell gains energy. Waves grow
/// slowly if this holds in many neighbouring cells.
template <class Real>
void ModelFile::check_quality(const Cells<Real> &cells, const grid::Box &inside) {
  if (!problem_.quality) return;
  const Quality &q = *problem_.quality;
  if (q.in_cells) return check_qualities(cells, inside);
  const double ratio = largest_ratio(cells, inside, 0);
  const bool solid = ratio > 0;
  const double least = min_quality(q);
  if (solid && q.s < least * rounding)
    refuse("attribute q_s", number_text(q.s), "at least " + number_text(least) + negative);
  double contact = largest_ratio(cells, inside, smallest_rigidity(cells, inside));
  if (problem_.surface != Surface::none) {
    grid::Box first = inside;
    first.hi[2] = std::min(first.hi[2], problem_.planes_above() + 1);
    contact = std::max(contact, largest_ratio(cells, first, 0));
  }
  const double min_p = contact > 0 ? 1 / ((1 - contact) / least + contact / q.s) : least;
  if (q.p < min_p * rounding)
    refuse("attribute q_p", number_text(q.p),
           "at least " + number_text(min_p) + negative +
               (contact > 0 ? " beside the softest medium or a free surface" : ""));
  constexpr double max_excess = 1.01; // up to this multiple of the limit, any growth is very slow
  if (!solid || q.p <= max_excess * .75 * q.s / ratio) return;
  warnings_.push_back(path() + ": attribute q_p: found " + number_text(q.p) +
                      ", expected at most 3/4 (vp/vs)^2 q_s = " + number_text(.75 * q.s / ratio) +
                      " for the smallest vp/vs, " + number_text(1 / std::sqrt(ratio)) +
                      ": compression gains energy there, and waves may grow slowly");
}

/// Reads the quality factor of each cell, or fills the array with the common factor. Then replaces
/// the factors by their reciprocals, and sets q.p and q.s to the smallest factors.
template <class Real> void ModelFile::read_qualities(Cells<Real> &cells, const grid::Box &inside) {
  Quality &q = *problem_.quality;
  const auto read = [&](const char *name, double of_all, grid::Array<Real> &array) {
    if (file_.exists(name)) return read_array<Real>({name}, inside, array);
    const grid::View<Real> v = array.view();
    grid::parallel_for(grid::Host{1}, inside,
                       [=](Index i, Index j, Index k) { v(i, j, k) = static_cast<Real>(of_all); });
  };
  read("q_p", q.p, cells.inverse_q_p);
  read("q_s", q.s, cells.inverse_q_s);
  const grid::View<const Real> vs = cells.vs.view();
  const auto wrong = [](Real x) { return !(x >= 1) || !std::isfinite(x); };
  check_array(
      "q_p", cells.inverse_q_p, inside, [=](Real x, Index, Index, Index) { return wrong(x); },
      required_q);
  // Fluids have no shear waves.
  check_array(
      "q_s", cells.inverse_q_s, inside,
      [=](Real x, Index i, Index j, Index k) { return vs(i, j, k) > 0 && wrong(x); }, required_q);
  const auto invert = [&](const grid::Array<Real> &array, bool solids) {
    const grid::View<Real> v = const_cast<grid::Array<Real> &>(array).view();
    grid::parallel_for(grid::Host{1}, inside, [=](Index i, Index j, Index k) {
      v(i, j, k) = solids && !(vs(i, j, k) > 0) ? Real(0) : 1 / v(i, j, k);
    });
    const grid::View<const Real> found = array.view();
    return 1 / largest(comm_, inside, [=](Index i, Index j, Index k) {
             return static_cast<double>(found(i, j, k));
           });
  };
  q.p = invert(cells.inverse_q_p, false);
  q.s = invert(cells.inverse_q_s, true);
}

/// Checks the conditions of check_quality() with the quality factors of each cell.
template <class Real>
void ModelFile::check_qualities(const Cells<Real> &cells, const grid::Box &inside) {
  const Quality &q = *problem_.quality;
  const double least = min_quality(q), softest = smallest_rigidity(cells, inside);
  const grid::View<const Real> vp = cells.vp.view(), vs = cells.vs.view(), rho = cells.rho.view(),
                               qs = cells.inverse_q_s.view();
  check_array(
      "1/q_s", cells.inverse_q_s, inside,
      [=](Real x, Index, Index, Index) { return 1 < static_cast<double>(x) * least * rounding; },
      "at most 1/" + number_text(least) + negative);
  const Index free_plane = problem_.surface == Surface::none ? -1 : problem_.planes_above();
  check_array(
      "1/q_p", cells.inverse_q_p, inside,
      [=](Real x, Index i, Index j, Index k) {
        const double y =
            contact_ratio(vp(i, j, k), vs(i, j, k), rho(i, j, k), k == free_plane ? 0 : softest);
        return static_cast<double>(x) * rounding >
               (1 - y) / least + y * static_cast<double>(qs(i, j, k));
      },
      "at most (1 - y)/" + number_text(least) + " + y/q_s, y as in docs/elastic.md," + negative);
  const grid::View<const Real> qp = cells.inverse_q_p.view();
  constexpr double max_excess = 1.01; // up to this multiple of the limit, any growth is very slow
  const double excess = largest(comm_, inside, [=](Index i, Index j, Index k) {
    return 4. / 3 * square_ratio(vp(i, j, k), vs(i, j, k)) * static_cast<double>(qs(i, j, k)) /
           static_cast<double>(qp(i, j, k));
  });
  if (excess > max_excess)
    warnings_.push_back(path() + ": dataset q_p: found " + number_text(excess) +
                        " times 3/4 (vp/vs)^2 q_s in a cell, expected at most 1: compression "
                        "gains energy there, and waves may grow slowly");
}

/// Returns the largest wave speed with unrelaxed moduli. S waves have at most sqrt(3/4) of the
/// speed of P waves, see check_ratio().
template <class Real>
double ModelFile::fastest_at_once(const Cells<Real> &cells, const grid::Box &inside) const {
  if (!problem_.quality) return fastest_;
  if (!problem_.quality->in_cells) {
    const UnrelaxedModuli moduli = unrelaxed_moduli(*problem_.quality);
    return fastest_ * std::sqrt(std::max(moduli.p, .75 * moduli.s));
  }
  const double part = unrelaxed_part(*problem_.quality);
  const grid::View<const Real> vp = cells.vp.view(), qp = cells.inverse_q_p.view(),
                               qs = cells.inverse_q_s.view();
  return largest(comm_, inside, [=](Index i, Index j, Index k) {
    const double p = 1 + part * static_cast<double>(qp(i, j, k));
    const double s = .75 * (1 + part * static_cast<double>(qs(i, j, k)));
    return static_cast<double>(vp(i, j, k)) * std::sqrt(std::max(p, s));
  });
}

/// Warns of reduced accuracy and of slowly growing waves.
void ModelFile::warn_of_quality() {
  if (!problem_.quality) return;
  const Quality &q = *problem_.quality;
  constexpr double accurate = 20;
  for (const auto &[name, value] : {std::pair{"q_p", q.p}, std::pair{"q_s", q.s}})
    if (value < accurate)
      warnings_.push_back(path() + ": " + (file_.exists(name) ? "dataset " : "attribute ") + name +
                          ": found " + number_text(value) +
                          ", expected at least 20: lower ones come out lower by a fifth to a half");
  constexpr double max_folds = 7; // waves may grow by a factor of exp(7), about a thousand
  const double rate = growth_rate(q);
  if (rate * problem_.dt * static_cast<double>(problem_.steps) > max_folds)
    warnings_.push_back(
        path() + ": attribute q_band: found frequencies of 1 to " +
        number_text(q.highest / q.lowest) +
        ", expected at least 1 to 21 for so many time steps: the shortest waves may grow by a "
        "factor of e in " +
        number_text(1 / rate) + " s");
}

template void ModelFile::check_quality(const Cells<float> &, const grid::Box &);
template void ModelFile::check_quality(const Cells<double> &, const grid::Box &);
template void ModelFile::read_qualities(Cells<float> &, const grid::Box &);
template void ModelFile::read_qualities(Cells<double> &, const grid::Box &);
template double ModelFile::fastest_at_once(const Cells<float> &, const grid::Box &) const;
template double ModelFile::fastest_at_once(const Cells<double> &, const grid::Box &) const;

} // namespace hybridfft::elastic
