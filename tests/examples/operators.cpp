#include <hybridfft/hybridfft.hpp>
#include <hybridfft/operators.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

using namespace hybridfft;

void smooth_and_derive() {
  constexpr std::ptrdiff_t n = 32; // points of a box of 2 pi, so that wave numbers are integers
  OperatorPlan<double> plan({n, n, n}, 2, MPI_COMM_WORLD, 1);
  const auto k = [](std::ptrdiff_t bin) { return bin < n / 2 ? bin : bin - n; };
  const auto gauss = plan.table([&](auto k0, auto k1, auto k2) {
    return std::exp(-0.01 * static_cast<double>(k0 * k0 + k(k1) * k(k1) + k2 * k2)) / (n * n * n);
  });
  std::vector<std::complex<double>> ik;
  for (std::ptrdiff_t bin = 0; bin < n; ++bin)
    ik.emplace_back(0, 2 * bin == n ? 0 : k(bin));
  const auto along0 = plan.factors(0, ik), along1 = plan.factors(1, ik);

  const auto x = [](std::ptrdiff_t j) { return 2 * M_PI * static_cast<double>(j) / n; };
  const auto fill = [&](const auto &line) { // p(y) = sin y, the same in all planes
    for (std::ptrdiff_t l = 0; l < n; ++l)
      line.scratch[0][l] = std::sin(x(line.j));
  };
  plan.planes({}, std::array{0}, fill);
  // Field 1 becomes the derivative of the smoothed field along axis 0. Field 0 becomes the smoothed
  // field, which is differentiated along axis 1 below.
  using Plan = OperatorPlan<double>;
  plan.lines(std::array{Plan::Product{1, {{0, gauss.get(), &along0}}},
                        Plan::Product{0, {{0, gauss.get(), nullptr}}}});
  double error = 0;
  const auto compare = [&](const auto &line) { // one thread: no race for `error`
    for (std::ptrdiff_t l = 0; l < n; ++l)
      error = std::max({error, std::abs(line.in[0][l]),
                        std::abs(line.in[1][l] - std::exp(-0.01) * std::cos(x(line.j)))});
  };
  plan.planes(std::array{Plan::Source{1}, Plan::Source{0, &along1}}, {}, compare);
  if (error > 1e-12) std::cout << "error " << error << "\n";
}

int main(int argc, char **argv) {
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  smooth_and_derive();
  if (rank == 0) std::cout << "done\n";
  return MPI_Finalize();
}
