#include <hybridfft/hybridfft.hpp>
#include <iostream>

using namespace hybridfft;

void square() {
  const std::ptrdiff_t m = 64, n = 96; // modes, and points for their products, along each axis
  const std::array<std::ptrdiff_t, 3> grid = {n, n, n};
  const Options backward{.transposed_in = true, .modes = {m, m, m}};
  const Options forward{.transposed_out = true, .modes = {m, m, m}};
  const LocalSizes sizes = local_sizes<double, Kind::c2r>(grid, backward);
  Buffer<std::complex<double>> modes(sizes.allocate_in);
  Buffer<double> points(sizes.allocate_out);
  Plan<double, Kind::c2r> to_points(grid, modes, points, backward);
  Plan<double, Kind::r2c> to_modes(grid, points, modes, forward);
  to_points.input().for_each<3>([&](auto at, const auto &k) { // 2 cos(25 x)
    modes[at] = (k[0] == 25 || k[0] == m - 25) && k[1] == 0 && k[2] == 0 ? 1 : 0;
  });
  to_points.execute();
  for (double &u : points)
    u *= u / double(n * n * n);
  to_modes.execute();
  // The square is 2 + 2 cos(50 x), which on 64 points would be 2 + 2 cos(14 x).
  to_modes.output().for_each<3>([&](auto at, const auto &k) {
    if (std::abs(modes[at]) > 0.5)
      std::cout << "(" << k[0] << ", " << k[1] << ", " << k[2] << "): " << modes[at].real() << "\n";
  });
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  square();
  return MPI_Finalize();
}
