#include "kspace/step.h"

#include "kspace/row_kernels.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

State::State(const Slab &slab, grid::Host host) : pressure(slab.transform_size(), host.threads) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(slab.dimensions()); ++a) {
    velocity[a] = Field(slab.transform_size(), host.threads);
    density[a] = Field(slab.real_size(), host.threads);
  }
}

Stretch::Stretch(const InputFile &file, const Parameters &parameters, const Slab &slab) {
  for (int axis = 0; axis < slab.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (!parameters.nonuniform_grid) {
      centred_[a] = staggered_[a] = AxisProfile(slab);
      continue;
    }
    const std::string x = axis_name(axis);
    const auto read = [&](const std::string &dataset) {
      return AxisProfile(
          file.list(dataset, static_cast<std::size_t>(parameters.n[a]), InputFile::Values::finite),
          axis, slab);
    };
    centred_[a] = read("d" + x + "ud" + x + "n");
    staggered_[a] = read("d" + x + "ud" + x + "n_sg" + x);
  }
}

namespace {

rows::Profile at(const grid::Separable<Real> &s, std::ptrdiff_t i, std::ptrdiff_t j) {
  return {s.across[i * s.step_i + j * s.step_j], s.along_k};
}

} // namespace

Step::Step(State &state, const Medium &medium, const Pml &pml, const Stretch &stretch,
           Derivative &derivative, const Parameters &parameters, const Slab &slab, grid::Host host)
    : state_(state), medium_(medium), pml_(pml), stretch_(stretch), derivative_(derivative),
      dt_(static_cast<Real>(parameters.dt)), nonlinear_(parameters.nonlinear),
      absorption_(parameters.absorption), slab_(slab), host_(host),
      zero_row_(static_cast<std::size_t>(slab.pitch()), 0.0F) {
  if (absorption_ == Absorption::stokes && parameters.p_source_steps > 0)
    compression_ = Field(slab.real_size(), host.threads);
  if (absorption_ == Absorption::power_law && medium.absorption().uniform())
    derivative.set_uniform_absorption(medium.absorption().value(), medium.dispersion().value());
}

rows::Densities Step::densities(std::ptrdiff_t i, std::ptrdiff_t j) const {
  const auto row = [&](std::size_t axis) {
    return static_cast<int>(axis) < slab_.dimensions() ? state_.density[axis].row(slab_, i, j)
                                                       : zero_row_.data();
  };
  return {row(0), row(1), row(2)};
}

std::array<Output, 3> Step::velocity_outputs() const {
  std::array<Output, 3> outputs{};
  for (std::size_t a = 0; a < static_cast<std::size_t>(slab_.dimensions()); ++a)
    outputs[a] = Output::operand(&state_.velocity[a]);
  return outputs;
}

/// u <- m (m u - b dp/da).
class Step::VelocityWork final : public RowWork {
public:
  explicit VelocityWork(const Step &step) : s_(step) {}
  void component(int axis, std::ptrdiff_t i, std::ptrdiff_t j, const Real *slope,
                 OutputRows) const override {
    rows::velocity(s_.points(), at(s_.pml_.at_velocity(axis), i, j),
                   at(s_.stretch_.at_velocity(axis), i, j), s_.medium_.mobility(axis).row(i, j),
                   slope, s_.state_.velocity[static_cast<std::size_t>(axis)].row(s_.slab_, i, j));
  }

private:
  const Step &s_;
};

/// p = c0^2 (rho + B/A/(2 rho0) rho^2 + rest).
class Step::PressureWork final : public RowWork {
public:
  explicit PressureWork(const Step &step) : s_(step) {}

  /// With the absorption that follows from rho0 div u in one place, if it does. Output 0 is p.
  void end(std::ptrdiff_t i, std::ptrdiff_t j, OutputRows out) const override {
    row(i, j, s_.compression_.data() != nullptr ? s_.compression_.row(s_.slab_, i, j) : nullptr,
        out[0]);
  }

  void row(std::ptrdiff_t i, std::ptrdiff_t j, const Real *compression, Real *p) const {
    if (s_.absorption_ == Absorption::stokes)
      state_equation(i, j, rows::Rest::product, s_.medium_.absorption().row(i, j), compression, p);
    else
      state_equation(i, j, rows::Rest::none, nullptr, nullptr, p);
  }

  void state_equation(std::ptrdiff_t i, std::ptrdiff_t j, rows::Rest rest, const Real *a,
                      const Real *b, Real *p) const {
    const Real *nonlinear = s_.nonlinear_ ? s_.medium_.nonlinearity().row(i, j) : nullptr;
    rows::state_equation(s_.points(), s_.medium_.speed_squared().row(i, j), s_.densities(i, j),
                         nonlinear, rest, a, b, p);
  }

private:
  const Step &s_;
};

/// rho_a <- m (m rho_a - dt q du_a/da), then what the state equation needs of it. The row of the
/// pressure, output 0 or where none is wanted yet the state's, holds q until end().
class Step::DensityWork final : public RowWork {
public:
  /// \param compression output that collects rho0 div u, or -1
  /// \param sum output that gets the density, or -1
  DensityWork(const Step &step, int compression, int sum, bool pressure)
      : s_(step), compression_(compression), sum_(sum), pressure_(pressure) {}

  bool components_apart() const override { return !s_.nonlinear_ && compression_ < 0; }

  void begin(std::ptrdiff_t i, std::ptrdiff_t j, OutputRows out) const override {
    if (s_.nonlinear_)
      rows::momentum_density(s_.points(), s_.densities(i, j), s_.medium_.density().row(i, j),
                             pressure_row(i, j, out));
  }

  void component(int axis, std::ptrdiff_t i, std::ptrdiff_t j, const Real *slope,
                 OutputRows out) const override {
    Real *rho = s_.state_.density[static_cast<std::size_t>(axis)].row(s_.slab_, i, j);
    const Real *rho0 = s_.medium_.density().row(i, j);
    const Real *q = s_.nonlinear_ ? pressure_row(i, j, out) : rho0;
    const rows::Profile m = at(s_.pml_.at_pressure(axis), i, j);
    const rows::Profile s = at(s_.stretch_.at_pressure(axis), i, j);
    // The first component overwrites whatever there is, the others add.
    if (compression_ >= 0)
      rows::density_and_compression(s_.points(), m, s, s_.dt_, q, rho0, slope, axis == 0, rho,
                                    out[compression_]);
    else
      rows::density(s_.points(), m, s, s_.dt_, q, slope, rho);
  }

  void end(std::ptrdiff_t i, std::ptrdiff_t j, OutputRows out) const override {
    if (pressure_)
      PressureWork(s_).row(i, j, compression_ < 0 ? nullptr : out[compression_], out[0]);
    if (sum_ >= 0) rows::total_density(s_.points(), s_.densities(i, j), out[sum_]);
  }

private:
  Real *pressure_row(std::ptrdiff_t i, std::ptrdiff_t j, OutputRows out) const {
    return pressure_ ? out[0] : s_.state_.pressure.row(s_.slab_, i, j);
  }

  const Step &s_;
  int compression_, sum_;
  bool pressure_;
};

/// The density, for output 1.
class Step::SumWork final : public RowWork {
public:
  explicit SumWork(const Step &step) : s_(step) {}
  void end(std::ptrdiff_t i, std::ptrdiff_t j, OutputRows out) const override {
    rows::total_density(s_.points(), s_.densities(i, j), out[1]);
  }

private:
  const Step &s_;
};

/// p, output 0, from the absorption and dispersion of the power law.
class Step::AbsorbedWork final : public RowWork {
public:
  explicit AbsorbedWork(const Step &step)
      : s_(step), uniform_(step.medium_.absorption().uniform()) {}
  void component(int c, std::ptrdiff_t i, std::ptrdiff_t j, const Real *values,
                 OutputRows out) const override {
    const PressureWork pressure(s_);
    if (uniform_)
      pressure.state_equation(i, j, rows::Rest::product, nullptr, values, out[0]);
    else if (c == 0)
      // The row of the pressure holds the absorption until the dispersion is known too.
      rows::product(s_.points(), s_.medium_.absorption().row(i, j), values, out[0]);
    else
      pressure.state_equation(i, j, rows::Rest::held_minus_product,
                              s_.medium_.dispersion().row(i, j), values, out[0]);
  }

private:
  const Step &s_;
  bool uniform_;
};

void Step::update_velocity(Then then) {
  if (!pressure_known_)
    derivative_.apply(Operator::none, RowWork(), std::array{Output::operand(&state_.pressure)});
  pressure_known_ = false;
  velocity_known_ = then == Then::nothing;
  const std::array<Output, 3> outputs =
      velocity_known_ ? velocity_outputs() : std::array<Output, 3>{};
  derivative_.apply(Operator::gradient, VelocityWork(*this), outputs);
}

void Step::update_density(Then then) {
  if (!velocity_known_) derivative_.apply(Operator::none, RowWork(), velocity_outputs());
  const bool last = then == Then::nothing;
  pressure_done_ = last && is_local();
  pressure_known_ = pressure_done_;
  sum_known_ = last && !is_local();
  std::array<Output, 2> outputs{};
  int compression = -1, sum = -1;
  if (is_local()) {
    // Output 0 is the operand of the next gradient.
    if (last) outputs[0] = pressure_output();
    if (absorption_ == Absorption::stokes) {
      compression = 1;
      outputs[1] = Output::row(last ? nullptr : &compression_);
    }
  } else {
    compression = 0;
    outputs[0] = Output::operand();
    if (last) {
      sum = 1;
      outputs[1] = Output::operand();
    }
  }
  derivative_.apply(Operator::divergence, DensityWork(*this, compression, sum, pressure_done_),
                    outputs);
}

void Step::update_pressure() {
  if (pressure_done_) return;
  const std::array pressure{pressure_output()};
  pressure_known_ = true;
  if (is_local()) return derivative_.apply(Operator::none, PressureWork(*this), pressure);
  if (!sum_known_)
    derivative_.apply(Operator::none, SumWork(*this),
                      std::array{Output::skip(), Output::operand()});
  derivative_.apply(medium_.absorption().uniform() ? Operator::absorption : Operator::laplacians,
                    AbsorbedWork(*this), pressure);
}

/// u half a step before a pressure at rest.
class Step::StartWork final : public RowWork {
public:
  explicit StartWork(const Step &step) : s_(step) {}
  void component(int axis, std::ptrdiff_t i, std::ptrdiff_t j, const Real *slope,
                 OutputRows) const override {
    rows::velocity_at_start(s_.points(), at(s_.stretch_.at_velocity(axis), i, j),
                            s_.medium_.mobility(axis).row(i, j), slope,
                            s_.state_.velocity[static_cast<std::size_t>(axis)].row(s_.slab_, i, j));
  }

private:
  const Step &s_;
};

void Step::start_from_pressure() {
  const auto p = state_.pressure.view(slab_);
  // The gradient may use up the pressure; one of the densities keeps it meanwhile.
  const auto keep = state_.density[0].view(slab_);
  for_each([=](auto i, auto j, auto k) { keep(i, j, k) = p(i, j, k); });
  derivative_.apply(Operator::none, RowWork(), std::array{Output::operand(&state_.pressure)});
  derivative_.apply(Operator::gradient, StartWork(*this), {});
  const auto c2 = medium_.speed_squared().rows();
  for (int axis = slab_.dimensions() - 1; axis >= 0; --axis) {
    const auto rho = state_.density[static_cast<std::size_t>(axis)].view(slab_);
    const auto share = static_cast<Real>(slab_.dimensions());
    for_each([=](auto i, auto j, auto k) {
      const Real pressure = keep(i, j, k);
      p(i, j, k) = pressure;
      rho(i, j, k) = pressure / (share * c2(i, j, k));
    });
  }
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
