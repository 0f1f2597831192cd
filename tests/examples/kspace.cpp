// A pulse of pressure spreads in water: a simulation from arrays to records, on any number of
// ranks.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <hybridfft/kspace.hpp>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  {
    using namespace hybridfft;
    kspace::Input input;
    input.grid = {.points = {64, 64, 1},
                  .spacing = {1e-4, 1e-4, 1e-4},
                  .dt = 2e-8,
                  .steps = 100,
                  .pml_size = {10, 10, 0}};
    input.medium.sound_speed = {1500};
    input.medium.density = {1000};
    // A Gaussian in the middle, and a sensor 15 points away from it.
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x)
        input.initial_pressure.push_back(
            float(std::exp(-(std::pow(x - 32, 2) + std::pow(y - 32, 2)) / 8)));
    input.sensor.points = {47 + 64 * 32};

    kspace::Run run(input, "pulse.h5", {.record = {"p_raw", "p_max"}, .threads = 1});
    run.execute();
    const std::vector<double> p = run.read("p");
    const auto loudest = std::max_element(p.begin(), p.end()) - p.begin();
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::printf("loudest after %.2f us\n", 1e6 * double(loudest) * input.grid.dt);
  }
  MPI_Finalize();
}
