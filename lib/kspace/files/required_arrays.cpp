#include "kspace/files/required_arrays.h"

#include <algorithm>
#include <iterator>

namespace hybridfft::kspace {

namespace {

/// [1][1][1] or [Nz][Ny][Nx].
template <class Real>
void require_coefficient(const InputFile<Real> &file, const std::string &dataset, Values allowed,
                         const Parameters &p) {
  if (file.is_scalar(dataset))
    file.real(dataset, allowed);
  else
    file.require_field(dataset, p.n);
}

template <class Real> void require_medium(const InputFile<Real> &file, const Parameters &p) {
  require_coefficient(file, "c0", Values::positive, p);
  require_coefficient(file, "rho0", Values::positive, p);
  const bool uniform = file.is_scalar("rho0");
  for (int axis = 0; axis < p.dimensions(); ++axis) {
    const std::string name = std::string("rho0_sg") + axis_name(axis);
    if (file.is_scalar(name) != uniform)
      file.reject(name, uniform ? "an array" : "a scalar",
                  uniform ? "a scalar, as rho0 is" : "an array, as rho0 is");
    require_coefficient(file, name, Values::positive, p);
  }
  if (p.nonlinear) require_coefficient(file, "BonA", Values::finite, p);
  if (p.absorption != Absorption::none)
    require_coefficient(file, "alpha_coeff", Values::non_negative, p);
}

template <class Real>
void require_signal(const InputFile<Real> &file, const std::string &dataset, std::int64_t steps,
                    bool many, const std::string &points) {
  if (steps == 0) return;
  file.require_rows(dataset, static_cast<std::size_t>(steps), many ? file.size(points) : 1);
}

template <class Real> void require_sources(const InputFile<Real> &file, const Parameters &p) {
  if (p.initial_pressure) file.require_field("p0_source_input", p.n);
  if (p.p_source_steps > 0) file.require_integers("p_source_index");
  require_signal(file, "p_source_input", p.p_source_steps, p.p_source_many, "p_source_index");
  if (p.has_velocity_source() || p.transducer_steps > 0) file.require_integers("u_source_index");
  for (int axis = 0; axis < p.dimensions(); ++axis)
    require_signal(file, std::string("u") + axis_name(axis) + "_source_input",
                   p.u_source_steps[static_cast<std::size_t>(axis)], p.u_source_many,
                   "u_source_index");
  if (p.transducer_steps == 0) return;
  file.require_list("transducer_source_input", file.size("transducer_source_input"));
  file.require_integers("delay_mask");
}

template <class Real> void require_sensor(const InputFile<Real> &file, const Parameters &p) {
  const bool indices = p.sensor_mask == SensorMaskType::indices;
  const std::string dataset = indices ? "sensor_mask_index" : "sensor_mask_corners";
  if (file.is_empty(dataset))
    file.reject(dataset, "an empty sensor",
                indices ? "the index of one point or more" : "the corners of one cuboid or more");
  file.require_integers(dataset);
}

} // namespace

template <class Real> void require_arrays(const InputFile<Real> &file, const Parameters &p) {
  require_medium(file, p);
  require_sources(file, p);
  require_sensor(file, p);
}

template <class Real>
std::vector<std::string> reversed_arrays(const InputFile<Real> &file, const Parameters &p) {
  std::vector<std::string> names{"c0", "rho0"}, reversed;
  for (int axis = 0; axis < p.dimensions(); ++axis)
    names.push_back(std::string("rho0_sg") + axis_name(axis));
  if (p.nonlinear) names.emplace_back("BonA");
  if (p.absorption != Absorption::none) names.emplace_back("alpha_coeff");
  if (p.initial_pressure) names.emplace_back("p0_source_input");
  std::copy_if(names.begin(), names.end(), std::back_inserter(reversed),
               [&](const std::string &name) { return file.is_reversed(name, p.n); });
  return reversed;
}

template <class Real>
std::size_t number_of_fields(const InputFile<Real> &file, const Parameters &p) {
  const auto dimensions = static_cast<std::size_t>(p.dimensions());
  const auto varies = [&](const std::string &dataset) {
    return std::size_t{file.is_scalar(dataset) ? 0U : 1U};
  };
  std::size_t fields = 1 + 2 * dimensions + varies("c0") + (1 + dimensions) * varies("rho0");
  if (p.nonlinear) fields += std::max(varies("BonA"), varies("rho0"));
  const std::size_t factors = p.absorption == Absorption::power_law ? 2 : 1;
  if (p.absorption != Absorption::none)
    fields += factors * std::max(varies("alpha_coeff"), varies("c0"));
  return fields;
}

template void require_arrays(const InputFile<float> &file, const Parameters &p);
template void require_arrays(const InputFile<double> &file, const Parameters &p);
template std::vector<std::string> reversed_arrays(const InputFile<float> &file,
                                                  const Parameters &p);
template std::vector<std::string> reversed_arrays(const InputFile<double> &file,
                                                  const Parameters &p);
template std::size_t number_of_fields(const InputFile<float> &file, const Parameters &p);
template std::size_t number_of_fields(const InputFile<double> &file, const Parameters &p);

} // namespace hybridfft::kspace
