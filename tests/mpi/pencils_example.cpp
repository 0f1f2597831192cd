#include <hybridfft/pencils.hpp>
#include <iostream>

using namespace hybridfft;

void transform() {
  const std::array<std::ptrdiff_t, 3> n = {64, 48, 40};
  const std::array<int, 2> grid = choose_grid<double, Kind::r2c>(n); // measured: P1 x P2 ranks
  const Pencils layouts = pencils(n, grid, true); // n2 whole before, n0 whole afterwards
  const LocalSizes sizes = local_sizes<double, Kind::r2c>(layouts.points, layouts.spectrum);
  Buffer<double> in(sizes.allocate_in);
  Buffer<std::complex<double>> out(sizes.allocate_out);
  Plan<double, Kind::r2c> plan(layouts.points, layouts.spectrum, in, out);
  plan.input().for_each<3>([&](auto at, const auto &i) { in[at] = i[0] == 0 ? 1 : 0; });
  plan.execute();
  // The transform of the plane i0 = 0 is the line k1 = k2 = 0.
  plan.output().for_each<3>([&](auto at, const auto &k) {
    if (k[0] == 0 && std::abs(out[at]) > 1) std::cout << out[at].real() << "\n";
  });
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  transform();
  return MPI_Finalize();
}
