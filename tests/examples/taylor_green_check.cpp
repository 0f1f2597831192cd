// taylor_green_check FILE REYNOLDS_NUMBER TIME: compares the output of taylor_green with a power
// series of the energy in time. TIME is the last time in the file. The exit status is 1 if they
// differ.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace {

struct Term {
  int time, viscosity; // exponents of time and viscosity
  double factor;
};

// Terms of the series, printed by `taylor_green_series.py 8`.
constexpr std::array terms{Term{0, 0, 1. / 8},
                           Term{1, 1, -3. / 4},
                           Term{2, 2, 9. / 4},
                           Term{3, 1, -5. / 192},
                           Term{3, 3, -9. / 2},
                           Term{4, 2, 5. / 16},
                           Term{4, 4, 27. / 4},
                           Term{5, 1, -5. / 4224},
                           Term{5, 3, -367. / 192},
                           Term{5, 5, -81. / 10},
                           Term{6, 2, 361. / 11264},
                           Term{6, 4, 761. / 96},
                           Term{6, 6, 81. / 10},
                           Term{7, 1, 52439. / 1318338560},
                           Term{7, 3, -24139. / 59136},
                           Term{7, 5, -7207. / 288},
                           Term{7, 7, -243. / 35},
                           Term{8, 2, 499131. / 1054670848},
                           Term{8, 4, 1504561. / 443520},
                           Term{8, 6, 2049. / 32},
                           Term{8, 8, 729. / 140}};

double energy(double t, double viscosity) {
  double sum = 0;
  for (const Term &term : terms)
    sum += term.factor * std::pow(viscosity, term.viscosity) * std::pow(t, term.time);
  return sum;
}

double dissipation(double t, double viscosity) {
  double sum = 0;
  for (const Term &term : terms)
    if (term.time > 0)
      sum -= term.factor * std::pow(viscosity, term.viscosity) * term.time *
             std::pow(t, term.time - 1);
  return sum;
}

} // namespace

// The tolerances: Runge-Kutta steps of h = 0.05 cause an error of about (h r)^4/120 r t times the
// energy, 1/8, below 3e-9 at t = 0.4; the rate of rotation r is 1. The first missing term of the
// series is nu t^9. It is smaller than the last term of this kind, 4e-5 nu t^7 = 7e-10. The
// dissipation is the derivative of the energy: its error has the factor 9 and one power of t less,
// about 3e-9.
int main(int argc, char **argv) {
  if (argc != 4) return 2;
  constexpr double tolerance = 3e-9;
  const double viscosity = 1 / std::atof(argv[2]);
  const double end = std::atof(argv[3]);
  std::ifstream file(argv[1]);
  double t = -1, found_energy = 0, found_dissipation = 0;
  int wrong = 0;
  while (file >> t >> found_energy >> found_dissipation) {
    const double d_energy = found_energy - energy(t, viscosity);
    const double d_dissipation = found_dissipation - dissipation(t, viscosity);
    std::printf("t = %.4f: energy %.12f, off by %.1e, dissipation %.12f, off by %.1e\n", t,
                found_energy, d_energy, found_dissipation, d_dissipation);
    if (!(std::abs(d_energy) < tolerance) || !(std::abs(d_dissipation) < tolerance)) ++wrong;
  }
  if (!file.eof() || std::abs(t - end) > 1e-6) {
    std::printf("%s ends at t = %g, expected %g\n", argv[1], t, end);
    return 1;
  }
  return wrong == 0 ? 0 : 1;
}
