// Reads the properties of an input that determine the errors of local bases: spectra of the initial
// pressure and of source signals, and jumps of the medium. --basis auto bounds the error with them.
#include "solvers/kspace/operators/basis_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.hpp"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/medium/medium.h"
#include "solvers/kspace/operators/decomposition.h"

namespace hybridfft::kspace {

namespace {

using grid::Index;
using grid::Index3;

/// Weight of frequencies whose wave number exceeds the Nyquist wave number of an axis. The grid
/// resolves them only for oblique waves, few of which are near the Nyquist wave number of the axis.
constexpr double oblique = 0.25;

/// Bounds the error of each local basis for signals along a line: the sum over all wave numbers of
/// spectrum magnitude times basis error.
template <class Real> class WeighedSpectra {
public:
  /// \param n number of points of a line
  /// \param unit wave number of bin 1 of the line's spectrum, in rad per grid point
  /// \param last largest wave number of the grid; wave numbers between pi and `last` have the
  /// weight `oblique`
  WeighedSpectra(Index n, double unit, std::optional<double> last = {}) : n_(n) {
    const std::vector<std::ptrdiff_t> extents{1, n};
    const Options options{
        .comm = MPI_COMM_SELF, .effort = Effort::estimate, .threads = 1, .deterministic = true};
    const LocalSizes sizes = local_sizes<Real, Kind::r2c>(extents, options);
    line_ = Buffer<Real>(sizes.allocate_in);
    spectrum_ = Buffer<std::complex<Real>>(sizes.allocate_out);
    transform_ = Plan<Real, Kind::r2c>(extents, line_, spectrum_, options);
    for (std::size_t b = 0; b < offered_bases; ++b)
      for (Index k = 0; k <= n / 2; ++k) {
        const double wave = static_cast<double>(k) * unit;
        double weight =
            k == 0 || 2 * k == n ? 1 : 2; // a half spectrum has one of two conjugate bins
        if (last && wave > std::numbers::pi) weight *= wave > *last ? 0 : oblique;
        weights_[b].push_back(weight * wave_error(bases_on_offer()[b], wave) /
                              static_cast<double>(n));
      }
  }

  /// Returns the n values of the line, to be set by the caller.
  Real *line() { return line_.data(); }

  /// Raises each basis's error to the bound for the values of line(), if the bound is larger.
  void raise(ForBases &errors) {
    double top = 0;
    for (Index i = 0; i < n_; ++i)
      top = std::max(top, static_cast<double>(std::abs(line_[i])));
    // Skips the transform if an upper bound of the sum raises no error. By Parseval's theorem the
    // magnitudes |X_k| / n have a root mean square of at most top / sqrt(n), so the sum of all n is
    // at most top sqrt(n), below `most`.
    const double most = top * std::sqrt(2.0 * static_cast<double>(n_));
    bool lower = true;
    for (std::size_t b = 0; b < offered_bases; ++b)
      lower &= most * wave_error(bases_on_offer()[b], std::numbers::pi) <= errors[b];
    if (lower) return;
    transform_.execute();
    for (std::size_t b = 0; b < offered_bases; ++b) {
      double sum = 0;
      for (std::size_t k = 0; k < weights_[b].size(); ++k)
        sum += weights_[b][k] * static_cast<double>(std::abs(spectrum_[k]));
      errors[b] = std::max(errors[b], sum);
    }
  }

private:
  Index n_;
  Plan<Real, Kind::r2c> transform_;
  Buffer<Real> line_;
  Buffer<std::complex<Real>> spectrum_;
  std::array<std::vector<double>, offered_bases> weights_;
};

ForBases max(const grid::Communicator &comm, ForBases errors) {
  for (double &error : errors)
    error = comm.max(error);
  return errors;
}

/// Reads the input's features. Each rank reads a share of the lines along an axis; lines are not
/// divided among ranks.
template <class Real> class Reader {
public:
  Reader(const InputFile &file, const Parameters &p, grid::Host host)
      : file_(file), p_(p), host_(host), comm_(file.comm()), extents_(array_extents(p.n)) {}

  InputFeatures read() {
    features_.rounding = sizeof(Real) == sizeof(float) ? 4e-6 : 1e-13;
    read_media();
    if (p_.initial_pressure) read_initial_pressure();
    if (p_.absorption != Absorption::none) read_absorption();
    read_sources();
    if (p_.nonlinear) read_nonlinearity();
    return features_;
  }

private:
  /// Values on this rank's lines along an axis.
  struct Array {
    grid::Box box;
    Coefficient<Real> values;
  };
  Array array(const std::string &dataset, int axis) const {
    const LocalGrid local = lines(axis);
    return {local.box(),
            Coefficient<Real>::read(file_, dataset, Values::finite, local, host_, comm_)};
  }
  /// Returns a function of a point's index: the value at the point.
  static auto at(const Array &array) {
    return [values = array.values.rows()](const Index3 &p) {
      return static_cast<double>(values(p[0], p[1], p[2]));
    };
  }

  /// Returns this rank's share of the lines along an axis, divided along the longest other axis.
  LocalGrid lines(int axis) const {
    int cut = axis == 0 ? 2 : 0;
    for (int a = 0; a < 3; ++a)
      if (a != axis && extents_[a] > extents_[cut]) cut = a;
    grid::Box box({{0, 0, 0}}, extents_);
    box.lo[cut] = extents_[cut] * comm_.rank() / comm_.size();
    box.hi[cut] = extents_[cut] * (comm_.rank() + 1) / comm_.size();
    return LocalGrid::part(p_.n, box, sizeof(Real));
  }

  /// Calls use(point) with the first point of each line along an axis of a box.
  template <class F> static void for_lines(const grid::Box &box, int axis, const F &use) {
    Index3 count{{box.extent(0), box.extent(1), box.extent(2)}};
    count[axis] = std::min<Index>(count[axis], 1);
    for (Index i = 0; i < count[0]; ++i)
      for (Index j = 0; j < count[1]; ++j)
        for (Index k = 0; k < count[2]; ++k)
          use(Index3{{i, j, k}});
  }

  /// Calls use(value, next value, n) for each point n and its next point along the lines of an
  /// axis. The next point of the last one is the first.
  template <class F> void for_neighbours(const Array &array, int axis, const F &use) const {
    const auto value_at = at(array);
    for_lines(array.box, axis, [&](Index3 at) {
      const double first = value_at(at);
      double value = first;
      for (Index n = 0; n < extents_[axis]; ++n) {
        at[axis] = n + 1;
        const double next = n + 1 < extents_[axis] ? value_at(at) : first;
        use(value, next, n);
        value = next;
      }
    });
  }

  void read_media();
  void read_initial_pressure();
  double fastest_at(const Array &pressure, int axis) const;
  void read_absorption();
  void read_sources();
  void read_signals(const std::string &dataset, std::int64_t steps, std::size_t columns);
  void read_nonlinearity();
  double shortest_spacing() const {
    double least = p_.spacing[0];
    for (int axis = 1; axis < p_.dimensions(); ++axis)
      least = std::min(least, p_.spacing[static_cast<std::size_t>(axis)]);
    return least;
  }

  const InputFile &file_;
  const Parameters &p_;
  grid::Host host_;
  const grid::Communicator &comm_;
  Index3 extents_;
  InputFeatures features_;
  double min_speed_ = 0, min_density_ = 0;
  double top_ = 0; ///< largest pressure due to the initial pressure or to sources
};

template <class Real> void Reader<Real>::read_media() {
  double slowest = std::numeric_limits<double>::infinity(), lightest = slowest, fastest = 0;
  for (const char *dataset : {"c0", "rho0"}) {
    const bool speed = dataset == std::string("c0");
    double &least = speed ? slowest : lightest;
    for (int axis = 0; axis < 3; ++axis) {
      if (extents_[axis] == 1) continue;
      const Array array = this->array(dataset, axis);
      double step = 1;
      for_neighbours(array, axis, [&](double value, double next, Index n) {
        least = std::min(least, value);
        if (speed) fastest = std::max(fastest, value);
        // The jump from the last point to the first one does not count, although the grid is
        // periodic.
        if (n + 1 < extents_[axis]) step = std::max({step, next / value, value / next});
      });
      features_.contrast = std::max(features_.contrast, std::log(comm_.max(step)));
      if (array.values.uniform()) break;
    }
  }
  min_speed_ = -comm_.max(-slowest);
  min_density_ = -comm_.max(-lightest);
  features_.max_speed = comm_.max(fastest);
}

/// Returns the largest sound speed where the initial pressure exceeds 1/1000 of its maximum.
template <class Real> double Reader<Real>::fastest_at(const Array &pressure, int axis) const {
  const Array speed = array("c0", axis);
  const auto pressure_at = at(pressure), speed_at = at(speed);
  double fastest = min_speed_;
  for_lines(pressure.box, axis, [&](Index3 at) {
    for (at[axis] = 0; at[axis] < extents_[axis]; ++at[axis])
      if (std::abs(pressure_at(at)) > 1e-3 * top_) fastest = std::max(fastest, speed_at(at));
  });
  return comm_.max(fastest);
}

/// Reads the initial pressure once for each axis. The largest pressure and fastest_at() do not
/// depend on the axis, so they are computed for the first axis only.
template <class Real> void Reader<Real>::read_initial_pressure() {
  double slowing = 0; // ratio of sound speeds: wave numbers grow where the medium is slower
  for (int axis = 0; axis < 3; ++axis) {
    const Index n = extents_[axis];
    if (n == 1) continue;
    const Array pressure = array("p0_source_input", axis);
    const auto pressure_at = at(pressure);
    if (slowing == 0) {
      double top = 0;
      for_neighbours(pressure, axis,
                     [&](double value, double, Index) { top = std::max(top, std::abs(value)); });
      top_ = comm_.max(top);
      if (top_ == 0) return;
      slowing = fastest_at(pressure, axis) / min_speed_;
    }
    WeighedSpectra<Real> spectra(n, 2 * std::numbers::pi / static_cast<double>(n) * slowing);
    ForBases errors{};
    for_lines(pressure.box, axis, [&](Index3 at) {
      for (at[axis] = 0; at[axis] < n; ++at[axis])
        spectra.line()[at[axis]] = static_cast<Real>(pressure_at(at) / top_);
      spectra.raise(errors);
    });
    features_.initial[static_cast<std::size_t>(axis)] = max(comm_, errors);
  }
}

/// Computes the relative change of stiffness by absorption, for waves with 4 points per wavelength.
template <class Real> void Reader<Real>::read_absorption() {
  const double y = p_.alpha_power;
  const bool power_law = p_.absorption == Absorption::power_law;
  const double exponent = power_law ? y : 2;
  const double dispersion =
      power_law ? std::max(1.0, std::abs(std::tan(std::numbers::pi * y / 2))) : 1;
  const double wave = std::numbers::pi / 2 / shortest_spacing();
  const double scale = 2 * nepers(1, y) * std::pow(features_.max_speed, exponent) *
                       std::pow(wave, exponent - 1) * dispersion;
  double largest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (extents_[axis] == 1) continue;
    const Array alpha = array("alpha_coeff", axis);
    std::vector<double> steps(static_cast<std::size_t>(extents_[axis]), 0.0);
    for_neighbours(alpha, axis, [&](double value, double next, Index n) {
      largest = std::max(largest, scale * value);
      double &step = steps[static_cast<std::size_t>(n)];
      step = std::max(step, scale * std::abs(next - value));
    });
    if (alpha.values.uniform()) break;
    for (double &step : steps)
      step = comm_.max(step);
    features_.absorption_steps[static_cast<std::size_t>(axis)] = std::move(steps);
  }
  features_.absorption = comm_.max(largest);
}

template <class Real> void Reader<Real>::read_sources() {
  features_.sources = p_.p_source_steps > 0 || p_.has_velocity_source() || p_.transducer_steps > 0;
  features_.independent_sources = (p_.p_source_steps > 0 && p_.p_source_many) ||
                                  (p_.has_velocity_source() && p_.u_source_many) ||
                                  p_.transducer_steps > 0;
  const auto columns = [&](bool many, const char *indices) {
    return many ? file_.size(indices) : std::size_t{1};
  };
  if (p_.p_source_steps > 0)
    read_signals("p_source_input", p_.p_source_steps, columns(p_.p_source_many, "p_source_index"));
  for (int axis = 0; axis < p_.dimensions(); ++axis)
    if (const std::int64_t steps = p_.u_source_steps[static_cast<std::size_t>(axis)]; steps > 0)
      read_signals(std::string("u") + axis_name(axis) + "_source_input", steps,
                   columns(p_.u_source_many, "u_source_index"));
  if (p_.transducer_steps > 0)
    read_signals("transducer_source_input",
                 static_cast<std::int64_t>(file_.size("transducer_source_input")), 1);
}

/// Reads the signals of a dataset [1][steps][columns]; each rank takes its share of columns.
/// Silence precedes each signal. If the source ends before the simulation, silence follows;
/// otherwise the signal is continued and faded out smoothly.
template <class Real>
void Reader<Real>::read_signals(const std::string &dataset, std::int64_t steps,
                                std::size_t columns) {
  constexpr Index silence = 16;
  const bool ends = steps < p_.steps;
  const Index tail = ends ? silence : steps - 1;
  const auto rank = static_cast<std::size_t>(comm_.rank());
  const auto ranks = static_cast<std::size_t>(comm_.size());
  const std::size_t begin = columns * rank / ranks, end = columns * (rank + 1) / ranks;
  const auto length = static_cast<std::size_t>(silence + steps + tail);
  std::vector<Real> signals;
  comm_.agree([&] { signals.resize((end - begin) * length); });
  double top = 0;
  file_.rows<Real>(dataset, static_cast<std::size_t>(steps), columns,
                   [&](std::size_t first, std::span<const Real> values) {
                     for (std::size_t n = 0; n < values.size(); ++n) {
                       top = std::max(top, static_cast<double>(std::abs(values[n])));
                       const std::size_t column = n % columns;
                       if (column >= begin && column < end)
                         signals[(column - begin) * length + silence + first + n / columns] =
                             values[n];
                     }
                   });
  if (top == 0) return;
  const double unit =
      2 * std::numbers::pi / static_cast<double>(length) / p_.dt / min_speed_ * shortest_spacing();
  WeighedSpectra<Real> spectra(static_cast<Index>(length), unit,
                               std::numbers::pi * std::sqrt(p_.dimensions()));
  ForBases errors{};
  for (std::size_t s = 0; s < end - begin; ++s) {
    Real *line = spectra.line();
    std::copy_n(signals.data() + s * length, length, line);
    const Real *last = line + silence + steps - 1;
    for (Index n = 1; n <= tail && !ends; ++n) {
      const double fade =
          std::cos(std::numbers::pi / 2 * static_cast<double>(n) / static_cast<double>(tail + 1));
      line[static_cast<std::size_t>(silence + steps - 1 + n)] =
          static_cast<Real>((2 * *last - *(last - n)) * static_cast<Real>(fade * fade / top));
    }
    for (Real *value = line; value <= last; ++value)
      *value = static_cast<Real>(*value / static_cast<Real>(top));
    spectra.raise(errors);
  }
  errors = max(comm_, errors);
  for (std::size_t b = 0; b < offered_bases; ++b)
    features_.signals[b] = std::max(features_.signals[b], errors[b]);
  // Pressure of a plane wave driven by a plane of source points.
  const bool pressure = dataset == "p_source_input";
  const bool dirichlet = dataset != "transducer_source_input" &&
                         (pressure ? p_.p_source_mode : p_.u_source_mode) == SourceMode::dirichlet;
  const double c = features_.max_speed;
  const double amplitude = top * (pressure ? p_.dimensions() * c * c : min_density_ * c) *
                           (dirichlet ? 1 : shortest_spacing() / (2 * p_.dt * c));
  top_ = std::max(top_, amplitude);
}

/// Computes the ratio of propagation distance to shock formation distance, for waves with 8 points
/// per wavelength.
template <class Real> void Reader<Real>::read_nonlinearity() {
  double b_on_a = 0;
  for_neighbours(array("BonA", 0), 0,
                 [&](double value, double, Index) { b_on_a = std::max(b_on_a, std::abs(value)); });
  const double mach = top_ / (min_density_ * min_speed_ * min_speed_);
  const double path = features_.max_speed * p_.dt * static_cast<double>(p_.steps);
  features_.steepening =
      (1 + comm_.max(b_on_a) / 2) * mach * path * std::numbers::pi / 4 / shortest_spacing();
}

} // namespace

InputFeatures read_features(const InputFile &file, const Parameters &parameters, grid::Host host) {
  return file.precision() == Precision::single ? Reader<float>(file, parameters, host).read()
                                               : Reader<double>(file, parameters, host).read();
}

} // namespace hybridfft::kspace
