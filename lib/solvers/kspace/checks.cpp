#include "solvers/kspace/checks.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "hybridfft/hybridfft.h"
#include "io/temporary.h"
#include "io/xdmf_text.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/read_parameters.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/record/xdmf.h"

namespace hybridfft::kspace {

namespace {

/// Returns the work per point of an FFT of n points, relative to a radix-2 pass. Lengths with a
/// prime factor without a kernel are transformed by convolution. Measured steps on grids of 94^3,
/// 97^3 and 127^3 points took 1.9, 2.4 and 2.2 times as long per point as on the next fast sizes.
double cost(std::ptrdiff_t n) {
  constexpr double convolution = 2.8;
  constexpr double large_kernel = 1.5;
  const hfft_length_kind kind = hfft_kind_of_length(n);
  const double weight = kind == HFFT_LENGTH_CONVOLUTION ? convolution
                        : kind == HFFT_LENGTH_KERNELS   ? large_kernel
                                                        : 1;
  return weight * std::log2(static_cast<double>(n));
}

/// Returns the largest prime factor: warnings name it as the reason of a slow size.
std::ptrdiff_t largest_prime_factor(std::ptrdiff_t n) {
  std::ptrdiff_t largest = 1;
  for (std::ptrdiff_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p)
      largest = p;
  return std::max(largest, n);
}

} // namespace

double expected_slowdown(const Extents &n) {
  double ours = 0;
  double good = 0;
  for (const std::ptrdiff_t points : n) {
    ours += cost(points);
    good += cost(hfft_next_fast_length(points));
  }
  // FFTs take about two thirds of a step on fast sizes.
  constexpr double share = 2.0 / 3;
  return good == 0 ? 1 : 1 - share + share * ours / good;
}

std::vector<std::string> size_advice(const Extents &n) {
  std::vector<std::string> advice;
  for (int axis = 0; axis < 3; ++axis) {
    const std::ptrdiff_t points = n[static_cast<std::size_t>(axis)];
    if (hfft_kind_of_length(points) == HFFT_LENGTH_FAST) continue;
    Extents better = n;
    better[static_cast<std::size_t>(axis)] = hfft_next_fast_length(points);
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "N%s is %td, which has the prime factor %td: a time step may take %.1f times as "
                  "long per point as with %td",
                  axis_name(axis), points, largest_prime_factor(points),
                  expected_slowdown(n) / expected_slowdown(better), hfft_next_fast_length(points));
    advice.emplace_back(text.data());
  }
  return advice;
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

double machine_memory() {
  double least = std::numeric_limits<double>::infinity();
  struct sysinfo system {};
  if (::sysinfo(&system) == 0)
    least = (static_cast<double>(system.totalram) + static_cast<double>(system.totalswap)) *
            system.mem_unit;
  // Memory limits of the control group, versions 2 and 1. Without a limit, the file of version 2
  // contains "max" and the file of version 1 a huge number.
  for (const char *name :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(name);
    if (double bytes = 0; file >> bytes) least = std::min(least, bytes);
  }
  return least;
}

double process_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
             ? static_cast<double>(limit.rlim_cur)
             : std::numeric_limits<double>::infinity();
}

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

std::string gigabytes(double bytes) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.3f GB", bytes / 1e9);
  return text.data();
}

namespace {

std::string grid_of(const Parameters &p) {
  return std::to_string(p.n[0]) + " x " + std::to_string(p.n[1]) + " x " + std::to_string(p.n[2]) +
         " points (Nx, Ny, Nz)";
}

} // namespace

void throw_out_of_memory(const std::string &input, const Parameters &p, const MemoryNeed &need,
                         const grid::Communicator &comm) {
  const double needed = comm.sum(need.bytes());
  const double machine = -comm.max(-machine_memory());
  const double process = -comm.max(-process_limit());
  std::string found = gigabytes(machine) + " on a machine";
  if (std::isfinite(process)) found += " and " + gigabytes(process) + " for a process (ulimit -v)";
  throw Failure(HFFT_ERROR_OUT_OF_MEMORY,
                input + ": out of memory: a simulation of " + grid_of(p) + " takes " +
                    gigabytes(needed) + " for " + std::to_string(need.fields) +
                    " fields, sources and sensor alone, found " + found + " (" +
                    std::to_string(comm.hosts().size()) + " of them, " +
                    std::to_string(comm.size()) +
                    " ranks in all); expected more machines, or a smaller grid");
}

void require_memory(const std::string &input, const Parameters &parameters, const MemoryNeed &need,
                    const grid::Communicator &comm) {
  const bool fits =
      comm.sum_of_machine(need.bytes()) <= machine_memory() && need.bytes() <= process_limit();
  if (comm.max(std::int64_t{fits ? 0 : 1}) == 1) throw_out_of_memory(input, parameters, need, comm);
}

void require_device_memory(const std::string &input, const Parameters &parameters, double bytes,
                           const device::Runtime &runtime, const grid::Communicator &comm) {
  const auto free = static_cast<double>(runtime.memory().free);
  const double needed = grid::sum_of_device(comm, runtime, bytes);
  const double ranks = grid::sum_of_device(comm, runtime, 1);
  const bool cut = parameters.special_grid_flag() == nullptr;
  comm.agree([&] {
    if (needed <= free) return;
    throw Failure(
        HFFT_ERROR_OUT_OF_MEMORY,
        input + ": out of memory: a simulation of " + grid_of(parameters) + " takes " +
            gigabytes(needed) + " on " + runtime.describe() + " (" +
            std::to_string(static_cast<int>(ranks)) + " of " + std::to_string(comm.size()) +
            " ranks), found " + gigabytes(free) + " free there; expected " +
            (cut ? "more GPUs with --basis local" : "--device cpu") + ", or a smaller grid");
  });
}

std::string checked_output(const std::string &input, const std::string &output,
                           const SimulationOptions &options, const grid::Communicator &comm) {
  const std::string &checkpoint = options.checkpoint.file;
  comm.agree([&] {
    if (io::same_file(input, output))
      throw InputError(output + ": the output file is the input file, expected another name");
    if (options.xdmf) {
      const std::string xdmf = io::xdmf_path(output);
      for (const auto &[file, what] : {std::pair(input, "input"), {checkpoint, "checkpoint"}})
        if (!file.empty() && io::same_file(xdmf, file))
          throw InputError(xdmf + ": the description of the output, for --xdmf, is the " + what +
                           " file, expected another name of the output");
      if (comm.rank() == 0) io::require_writable(xdmf);
    }
    if (checkpoint.empty()) return;
    if (io::same_file(checkpoint, output) || io::same_file(checkpoint, input))
      throw InputError(checkpoint + ": the checkpoint file is the " +
                       (io::same_file(checkpoint, output) ? "output" : "input") +
                       " file, expected another name");
    if (comm.rank() == 0) io::require_writable(checkpoint);
  });
  return output;
}

void require_output(const std::string &output, const std::string &checkpoint,
                    const grid::Communicator &comm) {
  comm.agree([&] {
    if (comm.rank() == 0 && !std::filesystem::exists(output))
      throw InputError(output +
                       ": there is no such file, expected the output that belongs to the "
                       "checkpoint " +
                       checkpoint);
  });
}

Parameters checked_parameters(const InputFile &in, const SimulationOptions &options) {
  Parameters p = read_parameters(in);
  if (options.steps > 0) p.steps = options.steps;
  const std::int64_t start = options.recording.start;
  if (start < 1 || start > p.steps)
    throw InputError("The beginning of data sampling is out of the simulation time span: recording "
                     "starts at time step " +
                     std::to_string(start) + ", expected 1 to " + std::to_string(p.steps) +
                     " (the number of time steps)");
  if (const std::int64_t period = options.steady.period; period > 0) {
    if (period > p.steps / 2)
      throw InputError("--period is " + std::to_string(period) + ", expected at most " +
                       std::to_string(p.steps / 2) + ": two periods in " + std::to_string(p.steps) +
                       " time steps");
    if (start > p.steps - period + 1)
      throw InputError("-s is " + std::to_string(start) + ", expected at most " +
                       std::to_string(p.steps - period + 1) +
                       " with --steady: the last period is recorded");
  }
  if (options.recording.u_non_staggered_raw && in.minor_version() == 0)
    throw Unsupported(in.path() + ": --u_non_staggered_raw is not supported with input files of "
                                  "version 1.0, expected attribute minor_version '1' or '2'");
  if (const char *flag = p.special_grid_flag(); flag != nullptr && options.recording.intensity.heat)
    throw Unsupported(in.path() + ": --Q_term is for uniform Cartesian grids, and dataset " + flag +
                      " is 1");
  require_arrays(in, p);
  if (in.is_scalar("c0")) require_motion(in, p, in.positive("c0"));
  return p;
}

namespace {

using Warning = std::optional<std::string>;

Warning of_time_step(const Parameters &p, const MediumChecks &medium) {
  const double largest = largest_stable_step(p.c_ref, medium.max_speed, p);
  if (p.dt <= largest) return std::nullopt;
  return "dataset dt is " + to_string(p.dt) + " s, above the stability limit of " +
         short_string(largest) + " s for sound speeds up to " + to_string(medium.max_speed) +
         " m/s with c_ref = " + to_string(p.c_ref) + " m/s: the simulation may diverge";
}

/// Warns of arrays with the shape [Nx][Ny][Nz]. As in k-Wave, only the number of values is checked.
Warning of_reversed_axes(const InputFile &in, const Parameters &p) {
  std::string names;
  for (const std::string &name : reversed_arrays(in, p))
    names += (names.empty() ? "" : ", ") + name;
  if (names.empty()) return std::nullopt;
  const std::string x = std::to_string(p.n[0]), y = std::to_string(p.n[1]),
                    z = std::to_string(p.n[2]);
  return "the order of axes looks reversed: found the shape [" + x + "][" + y + "][" + z + "] of " +
         names + ", expected [" + z + "][" + y + "][" + x +
         "] (Nz, Ny, Nx); the values are taken in the order of the file, x fastest: write the "
         "transposed arrays if they lie along the other axes";
}

/// Warns of slow growth of the solution. Derivatives in local bases are not exactly skew-symmetric,
/// so pairs of modes grow in some media without absorption (bench/results/lfb.md has measured
/// rates).
Warning of_growth(const Parameters &p, const MediumChecks &medium,
                  const Decomposition &decomposition) {
  constexpr double fastest = 1e-4, noticeable = 0.1;
  bool absorbing_edges = false;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(p.dimensions()); ++axis)
    absorbing_edges |= p.pml_size[axis] > 0 && p.pml_alpha[axis] > 0;
  const double growth = fastest * static_cast<double>(p.steps);
  if (absorbing_edges || p.absorption != Absorption::none || medium.uniform || growth < noticeable)
    return std::nullopt;
  return "in a heterogeneous medium without absorption and PML the " + decomposition.describe() +
         ", may let waves grow, in some media by some 1e-4 of themselves in a time step, and there "
         "are " +
         std::to_string(p.steps) + "; --basis global does not";
}

/// Warns if continuation coefficients (see lfb::Basis::GapRule) extend the operands of power-law
/// absorption. The kernel of a fractional Laplacian has infinite support, but these coefficients
/// are fitted to derivatives, so they extend its operand poorly.
Warning of_continued_absorption(const Parameters &p, const Decomposition &decomposition) {
  if (p.absorption != Absorption::power_law) return std::nullopt;
  for (const auto &axis : decomposition.laplacian_bases())
    if (axis && axis->basis.kind() == lfb::Basis::GapRule::continuation)
      return "--overlap " + axis->basis.name() +
             " also serves the fractional Laplacians of the power-law absorption, which it is up "
             "to 30 times less accurate for than ls:16; with --coarse_level on, or without "
             "--overlap, it does not";
  return std::nullopt;
}

Warning of_absorption(const InputFile &in, const Parameters &p, const MediumChecks &medium,
                      bool allow_unstable) {
  const AbsorptionStability &found = medium.absorption;
  if (found.stable()) return std::nullopt;
  const std::string reason = describe(found, p);
  // In a heterogeneous medium the stability limit is an estimate; exceeding it at a few points may
  // be harmless.
  const bool certain = medium.uniform || found.everywhere;
  if (certain && !allow_unstable)
    throw InputError(in.path() + ": " + reason +
                     ": the simulation would diverge (--allow-unstable goes on anyway)");
  return reason + ": the simulation " + (certain ? "would" : "may") + " diverge";
}

} // namespace

std::vector<std::string> warnings_of(const InputFile &in, const Parameters &parameters,
                                     const MediumChecks &medium,
                                     const std::optional<Decomposition> &decomposition,
                                     bool allow_unstable) {
  std::vector<std::string> all = size_advice(parameters.n);
  const auto add = [&](const Warning &warning) {
    if (warning) all.push_back(*warning);
  };
  add(of_reversed_axes(in, parameters));
  add(of_time_step(parameters, medium));
  if (decomposition) {
    add(of_growth(parameters, medium, *decomposition));
    add(of_continued_absorption(parameters, *decomposition));
  }
  add(of_absorption(in, parameters, medium, allow_unstable));
  for (std::string &warning : all)
    warning.insert(0, in.path() + ": ");
  return all;
}

} // namespace hybridfft::kspace
