// Prints the library's estimates of seconds (base/machine_parameters.h) for the machine file
// HFFT_MACHINE. Reads lines "pass threads ranks_per_node bytes flops" and "exchange threads
// ranks_per_node ranks bytes in_flight" from standard input, and prints one number for each.
// model_check.py compares them with hybridfft-model.
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "base/machine_parameters.h"

int main() {
  using namespace hybridfft;
  try {
    const MachineParameters machine = machine_of_environment();
    std::string what;
    CoreShare share;
    double a = 0, b = 0;
    while (std::cin >> what >> share.threads >> share.ranks_per_node >> a >> b) {
      double seconds = 0;
      if (std::string in_flight; what == "exchange" && std::cin >> in_flight)
        seconds = all_to_all_seconds(machine, share, a, b, std::stod(in_flight));
      else if (what == "pass")
        seconds = pass_seconds(machine, share, a, b);
      std::printf("%.17g\n", seconds);
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
