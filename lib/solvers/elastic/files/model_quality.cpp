// Checks the quality factors of a model, and the stability of its waves.

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "hybridfft/error.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/elastic/attenuation.h"
#include "solvers/elastic/files/model_file.h"
#include "solvers/elastic/files/text.h"

namespace hybridfft::elastic {

void ModelFile::read_quality() {
  const auto p = attribute("q_p"), s = attribute("q_s");
  if (!p && !s) return;
  Quality quality;
  for (const auto &[name, value, to] :
       {std::tuple{"q_p", p, &quality.p}, std::tuple{"q_s", s, &quality.s}}) {
    if (!value) throw Error(HFFT_ERROR_ARGUMENT, path() + ": attribute " + name + " is missing");
    if (!(*value >= 1) || !std::isfinite(*value))
      refuse(std::string("attribute ") + name, number_text(*value),
             "a quality factor of at least 1");
    *to = *value;
  }
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

/// Returns the maximum over a box of (vs/vp)^2, or of (vs/vp)^2 (mu - softest)/(mu + softest), with
/// mu = rho vs^2.
template <class Real>
double ModelFile::largest_ratio(const Cells<Real> &cells, const grid::Box &box,
                                double softest) const {
  const grid::View<const Real> vp = cells.vp.view(), vs = cells.vs.view(), rho = cells.rho.view();
  return comm_.max(grid::reduce(
      grid::Host{1}, box, 0.,
      [=](Index i, Index j, Index k) {
        const double s = vs(i, j, k), ratio = s / static_cast<double>(vp(i, j, k));
        const double mu = static_cast<double>(rho(i, j, k)) * s * s;
        return mu > 0 ? ratio * ratio * (mu - softest) / (mu + softest) : 0.;
      },
      [](double a, double b) { return std::max(a, b); }));
}

/// Returns the minimum of rho vs^2 over a box.
template <class Real>
double ModelFile::smallest_rigidity(const Cells<Real> &cells, const grid::Box &box) const {
  const grid::View<const Real> vs = cells.vs.view(), rho = cells.rho.view();
  return -comm_.max(grid::reduce(
      grid::Host{1}, box, -std::numeric_limits<double>::max(),
      [=](Index i, Index j, Index k) {
        const double s = vs(i, j, k);
        return -static_cast<double>(rho(i, j, k)) * s * s;
      },
      [](double a, double b) { return std::max(a, b); }));
}

/// Checks the quality factors. Each cell has one mechanism, with eight times its weight. Waves are
/// stable under two conditions. The moduli of P waves and of shear are positive in all cells at low
/// frequencies. Along a contact with a softer medium, lambda + mu > -2 mu softer_mu / (mu +
/// softer_mu); then both half-spaces resist any displacement of the contact. A free surface is the
/// contact with mu = 0. Otherwise waves grow, for any time step. They grow slowly if compression
/// gains energy in many neighbouring cells, 1/q_p < 4/3 (vs/vp)^2 / q_s.
template <class Real>
void ModelFile::check_quality(const Cells<Real> &cells, const grid::Box &inside) {
  if (!problem_.quality) return;
  const Quality &q = *problem_.quality;
  const double ratio = largest_ratio(cells, inside, 0);
  const bool solid = ratio > 0;
  constexpr double rounding = 1 - 1e-6; // tolerance for numbers printed in messages
  const double least = min_quality(q);
  const std::string negative = " with this q_band: moduli are negative at low frequencies";
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
  constexpr double max_excess = 1.01; // up to this ratio waves grow in no medium, or very slowly
  if (!solid || q.p <= max_excess * .75 * q.s / ratio) return;
  warnings_.push_back(path() + ": attribute q_p: found " + number_text(q.p) +
                      ", expected at most 3/4 (vp/vs)^2 q_s = " + number_text(.75 * q.s / ratio) +
                      " for the smallest vp/vs, " + number_text(1 / std::sqrt(ratio)) +
                      ": compression gains energy there, and waves may grow slowly");
}

/// Warns of reduced accuracy and of slow growth.
void ModelFile::warn_of_quality() {
  if (!problem_.quality) return;
  const Quality &q = *problem_.quality;
  constexpr double accurate = 20;
  for (const auto &[name, value] : {std::pair{"q_p", q.p}, std::pair{"q_s", q.s}})
    if (value < accurate)
      warnings_.push_back(path() + ": attribute " + name + ": found " + number_text(value) +
                          ", expected at least 20: lower ones come out lower by a fifth to a half");
  constexpr double max_folds = 7; // number of factors of exp(1): growth by a thousand
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

} // namespace hybridfft::elastic
