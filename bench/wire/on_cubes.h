/// The main function of programs for transforms of cubes: PROGRAM EXTENT [ROUNDS].
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "support/cli_options.h"
#include "support/mpi_main.h"

namespace hybridfft::bench {

/// Calls measure(extent, rounds) between MPI_Init and MPI_Finalize. Returns the exit status.
inline int run_on_cubes(int argc, char **argv, const std::string &program, const std::string &about,
                        const std::function<void(std::ptrdiff_t, int)> &measure) {
  CLI::App app(about, program);
  std::ptrdiff_t extent = 0;
  int rounds = 5;
  app.add_option("extent", extent, "Points along each axis")
      ->required()
      ->check(tools::between<std::ptrdiff_t>(1, 1 << 20));
  app.add_option("rounds", rounds, "Repetitions that count")
      ->capture_default_str()
      ->check(tools::between<std::ptrdiff_t>(1, 1000000));
  return tools::run(argc, argv, app, [&](MPI_Comm) {
    measure(extent, rounds);
    return 0;
  });
}

} // namespace hybridfft::bench
