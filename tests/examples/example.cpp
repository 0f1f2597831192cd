#include <cmath>
#include <hybridfft/hybridfft.hpp>
#include <iostream>

using namespace hybridfft;

void transform() {
  const std::array<std::ptrdiff_t, 3> n = {64, 48, 40};
  const Options options{.transposed_out = true}; // the spectrum stays n1 x n0 x n2: less traffic
  const LocalSizes sizes = local_sizes<double, Kind::r2c>(n, options);
  Buffer<double> in(sizes.allocate_in);
  Buffer<std::complex<double>> out(sizes.allocate_out);
  Plan<double, Kind::r2c> plan(n, in, out, options);
  plan.input().for_each<3>([&](auto at, const auto &i) { // five waves along n0
    in[at] = std::cos(2 * std::acos(-1) * 5 * double(i[0]) / double(n[0]));
  });
  plan.execute();
  plan.output().for_each<3>([&](auto at, const auto &k) { // k is the global index
    const double value = out[at].real();
    if (value > 1)
      std::cout << "(" << k[0] << ", " << k[1] << ", " << k[2] << "): " << value << "\n";
  });
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  transform(); // throws hybridfft::Error when something fails
  return MPI_Finalize();
}
