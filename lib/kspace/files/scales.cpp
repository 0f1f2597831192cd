#include "kspace/files/scales.h"

#include <algorithm>
#include <numbers>
#include <string>
#include <vector>

namespace hybridfft::kspace {

namespace {

/// Largest relative error of a number of single precision: half of the relative step 2^-23.
constexpr double resolution = 1.0 / (1 << 24);
constexpr double speed_of_light = 299792458; // m/s

/// The phases speed * pi/d * time along all axes that have more than one point.
struct Phases {
  Phases(const Parameters &p, double speed, double time) {
    for (int axis = 0; axis < p.dimensions(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (p.n[a] == 1) continue;
      values.push_back(speed * time * std::numbers::pi / p.spacing[a]);
      spacings.push_back(std::string("d") + axis_name(axis));
    }
  }

  std::vector<double> values;
  std::vector<std::string> spacings;
};

/// Throws for the first axis where `wrong` holds, unless it holds for all of several: then the
/// reason is not their spacings, but `common`.
template <class Real, class Wrong>
void require_none(const InputFile<Real> &file, const Parameters &p, const Phases &phases,
                  const std::string &common, double common_value, const std::string &expected,
                  const Wrong &wrong) {
  const auto first = std::find_if(phases.values.begin(), phases.values.end(), wrong);
  if (first == phases.values.end()) return;
  const auto place = static_cast<std::size_t>(first - phases.values.begin());
  const bool all = std::all_of(phases.values.begin(), phases.values.end(), wrong);
  const std::string &name = phases.spacings[place];
  const double spacing = p.spacing[static_cast<std::size_t>(name[1] - 'x')];
  file.reject(all ? common : name, to_string<Real>(all ? common_value : spacing),
              expected + " (the phase along " + name[1] + " is " + to_string<Real>(*first) +
                  " rad)");
}

} // namespace

template <class Real> void require_known_phases(const InputFile<Real> &file, const Parameters &p) {
  const bool absurd_speed = p.c_ref > speed_of_light;
  require_none(file, p, Phases(p, p.c_ref, p.dt / 2), absurd_speed ? "c_ref" : "dt",
               absurd_speed ? p.c_ref : p.dt,
               "one with which c_ref k dt / 2 is at most 2^24 rad at k = pi/d: the numbers of the "
               "file do not say more",
               [](double phase) { return !(phase <= 1 / resolution); });
}

template <class Real>
void require_motion(const InputFile<Real> &file, const Parameters &p, double max_speed) {
  if (p.c_ref < resolution * max_speed)
    file.reject("c_ref", to_string<Real>(p.c_ref),
                "at least 2^-24 of the largest sound speed c0 = " + to_string<Real>(max_speed) +
                    " m/s: neither the operators nor the PML would notice it");
  require_none(file, p, Phases(p, max_speed, p.dt * static_cast<double>(p.steps)), "dt", p.dt,
               "one with which sound of c0 = " + to_string<Real>(max_speed) +
                   " m/s moves: all time steps together change its phase by less than 2^-24 rad "
                   "at k = pi/d",
               [](double phase) { return !(phase >= resolution); });
}

template void require_known_phases(const InputFile<float> &file, const Parameters &p);
template void require_known_phases(const InputFile<double> &file, const Parameters &p);
template void require_motion(const InputFile<float> &file, const Parameters &p, double max_speed);
template void require_motion(const InputFile<double> &file, const Parameters &p, double max_speed);

} // namespace hybridfft::kspace
