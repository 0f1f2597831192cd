// Solves the Navier-Stokes equations in a periodic box for the Taylor-Green vortex. The method is
// pseudospectral with the 2/3 rule (modes above a third of the points are dropped) and a
// fourth-order Runge-Kutta method. The command
//   mpirun -np 4 taylor_green [points [Reynolds number [time step [steps]]]]
// prints time, energy and dissipation. The digits are the same for any number of ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <hybridfft/hybridfft.hpp>
#include <vector>

using namespace hybridfft;
using Complex = std::complex<double>;
using Wave = std::array<double, 3>;

template <class T> using Vector = std::array<Buffer<T>, 3>; // three components of a field

class Flow {
public:
  Flow(std::ptrdiff_t n, double viscosity)
      : n_{n, n, n}, modes_(2 * ((n - 1) / 3) + 1), viscosity_(viscosity),
        sizes_(local_sizes<double, Kind::r2c>(n_, forward())) {
    for (Vector<double> *field : {&velocity_, &vorticity_})
      *field = make<double>(sizes_.allocate_in);
    for (Vector<Complex> *field : {&u_, &next_, &stage_, &work_})
      *field = make<Complex>(sizes_.allocate_out);
    to_waves_ = Plan<double, Kind::r2c>(n_, velocity_[0], work_[0], forward());
    to_points_ = Plan<double, Kind::c2r>(n_, work_[0], velocity_[0], backward());

    k_.resize(static_cast<std::size_t>(sizes_.out.size()));
    sizes_.out.for_each<3>([&](auto at, const auto &i) {
      for (std::size_t a = 0; a < 3; ++a)
        k_[std::size_t(at)][a] = double(2 * i[a] > modes_ ? i[a] - modes_ : i[a]);
    });
    const double step = 2 * std::acos(-1) / double(n);
    sizes_.in.for_each<3>([&](auto at, const auto &i) {
      const double x = step * double(i[0]), y = step * double(i[1]), z = step * double(i[2]);
      velocity_[0][at] = std::sin(x) * std::cos(y) * std::cos(z);
      velocity_[1][at] = -std::cos(x) * std::sin(y) * std::cos(z);
      velocity_[2][at] = 0;
    });
    for (std::size_t c = 0; c < 3; ++c) {
      to_waves_.execute(velocity_[c], u_[c]);
      for (Complex &value : u_[c])
        value /= double(n) * double(n) * double(n);
    }
  }

  /// Advances the velocity by a Runge-Kutta step: u + h/6 (a + 2 b + 2 c + d), where a to d are
  /// slopes.
  void step(double h) {
    const std::array<double, 4> weight{h / 6, h / 3, h / 3, h / 6}, ahead{h / 2, h / 2, h, 0};
    for (std::size_t s = 0; s < 4; ++s) {
      find_slope(s == 0 ? u_ : stage_);
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 0; i < k_.size(); ++i) {
          next_[c][i] = (s == 0 ? u_ : next_)[c][i] + weight[s] * work_[c][i];
          stage_[c][i] = u_[c][i] + ahead[s] * work_[c][i];
        }
    }
    std::swap(u_, next_);
  }

  /// Returns the mean kinetic energy, and the dissipation: nu times the mean square of the
  /// vorticity.
  std::array<double, 2> energy_and_dissipation() {
    to_space(u_);
    return {mean_square(velocity_) / 2, viscosity_ * mean_square(vorticity_)};
  }

private:
  std::vector<std::ptrdiff_t> modes() const { return {modes_, modes_, modes_}; }
  Options forward() const {
    return {.transposed_out = true, .deterministic = true, .modes = modes()};
  }
  Options backward() const {
    return {.transposed_in = true, .deterministic = true, .modes = modes()};
  }

  template <class T> static Vector<T> make(std::size_t size) {
    return {Buffer<T>(size), Buffer<T>(size), Buffer<T>(size)};
  }
  /// Computes velocity and vorticity at the points from the spectrum u of the velocity.
  void to_space(const Vector<Complex> &u) {
    const Complex i_unit(0, 1);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t a = (c + 1) % 3, b = (c + 2) % 3;
      std::copy_n(u[c].data(), k_.size(), work_[c].data());
      to_points_.execute(work_[c], velocity_[c]);
      for (std::size_t i = 0; i < k_.size(); ++i)
        work_[c][i] = i_unit * (k_[i][a] * u[b][i] - k_[i][b] * u[a][i]);
      to_points_.execute(work_[c], vorticity_[c]);
    }
  }

  /// Computes work = du/dt = P(u x curl u) - nu k^2 u. The projection P removes the divergence.
  void find_slope(const Vector<Complex> &u) {
    to_space(u);
    for (std::ptrdiff_t i = 0; i < sizes_.in.size(); ++i) {
      const Wave v{velocity_[0][i], velocity_[1][i], velocity_[2][i]};
      const Wave w{vorticity_[0][i], vorticity_[1][i], vorticity_[2][i]};
      for (std::size_t c = 0; c < 3; ++c)
        velocity_[c][i] = v[(c + 1) % 3] * w[(c + 2) % 3] - v[(c + 2) % 3] * w[(c + 1) % 3];
    }
    for (std::size_t c = 0; c < 3; ++c)
      to_waves_.execute(velocity_[c], work_[c]);
    const double scale = 1 / (double(n_[0]) * double(n_[1]) * double(n_[2]));
    for (std::size_t i = 0; i < k_.size(); ++i) {
      const Wave &k = k_[i];
      const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
      const Complex along =
          (k[0] * work_[0][i] + k[1] * work_[1][i] + k[2] * work_[2][i]) / std::max(square, 1.);
      for (std::size_t c = 0; c < 3; ++c)
        work_[c][i] = scale * (work_[c][i] - k[c] * along) - viscosity_ * square * u[c][i];
    }
  }

  /// Sums each plane, then the planes in their order. The digits are thus the same for any number
  /// of ranks.
  double mean_square(const Vector<double> &field) const {
    std::vector<double> planes(static_cast<std::size_t>(n_[0]), 0.);
    sizes_.in.for_each<3>([&](auto at, const auto &i) {
      for (const Buffer<double> &component : field)
        planes[std::size_t(i[0])] += component[at] * component[at];
    });
    MPI_Allreduce(MPI_IN_PLACE, planes.data(), int(planes.size()), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD); // one rank has the sum of a plane, others have 0
    double sum = 0;
    for (const double plane : planes)
      sum += plane;
    return sum / (double(n_[0]) * double(n_[1]) * double(n_[2]));
  }

  std::array<std::ptrdiff_t, 3> n_;
  std::ptrdiff_t modes_; // along each axis
  double viscosity_;
  LocalSizes sizes_;
  Vector<double> velocity_, vorticity_;
  Vector<Complex> u_, next_, stage_, work_;
  Plan<double, Kind::r2c> to_waves_;
  Plan<double, Kind::c2r> to_points_;
  std::vector<Wave> k_;
};

int main(int argc, char **argv) {
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto number = [&](int i, double otherwise) {
    return i < argc ? std::atof(argv[i]) : otherwise;
  };
  const double h = number(3, 0.05);
  {
    Flow flow(static_cast<std::ptrdiff_t>(number(1, 64)), 1 / number(2, 100));
    for (int step = 0; step <= int(number(4, 8)); ++step) {
      if (step > 0) flow.step(h);
      const auto [energy, dissipation] = flow.energy_and_dissipation();
      if (rank == 0) std::printf("%.4f %.16e %.16e\n", step * h, energy, dissipation);
    }
  }
  return MPI_Finalize();
}
