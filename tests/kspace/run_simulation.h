/// Runs whole simulations and reads their output.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "io/hdf5.h"
#include "solvers/kspace/simulation.h"
#include "support/mpi_test.h"

namespace hybridfft::test {

/// Returns options to record all quantities, with plans that are not measured.
inline kspace::SimulationOptions record_all() {
  kspace::SimulationOptions options;
  kspace::FieldRecording everything;
  for (std::size_t i = 0; i < kspace::quantity_count; ++i)
    everything[i] = true;
  options.recording.p = options.recording.u = everything;
  options.recording.u_non_staggered_raw = true;
  options.effort = Effort::estimate;
  return options;
}

/// Returns options to record the pressure at the sensor, its maximum there, and the final pressure
/// at all points.
inline kspace::SimulationOptions record_pressure() {
  kspace::SimulationOptions options;
  for (const char *name : {"raw", "max", "final"})
    options.recording.p[name] = true;
  options.effort = Effort::estimate;
  return options;
}

/// Returns the names of all quantities of an output, with numbers for up to three cuboids.
inline std::vector<std::string> quantities() {
  std::vector<std::string> names;
  for (const std::string field : {"p", "ux", "uy", "uz"})
    for (const std::string what :
         {"", "_non_staggered", "_rms", "_max", "_min", "_max_all", "_min_all", "_final"})
      for (const std::string cuboid : {"", "/1", "/2", "/3"})
        names.push_back(field + what + cuboid);
  for (const std::string what : {"Ix_avg", "Iy_avg", "Iz_avg", "Q_term"})
    for (const std::string cuboid : {"", "/1", "/2", "/3"})
      names.push_back(what + cuboid);
  return names;
}

/// Runs a simulation. Collective.
inline void simulate(const std::string &input, const std::string &output,
                     const kspace::SimulationOptions &options, MPI_Comm comm) {
  const auto simulation = kspace::Simulation::open(input, output, options, comm);
  simulation->prepare();
  simulation->load();
  simulation->run([](std::int64_t) {});
  simulation->finish("a test");
}

/// Reads a whole dataset on every rank. Collective.
inline std::vector<float> read(const std::string &path, const std::string &dataset, MPI_Comm comm) {
  return io::File::open(path, comm).read_all<float>(dataset);
}

/// Expects the same quantities, at least `least` of them, with the same values in both outputs.
/// Collective.
inline void expect_equal_outputs(const std::string &one, const std::string &other, int least) {
  const io::File a = io::File::open(one, test::world());
  const io::File b = io::File::open(other, test::world());
  int compared = 0;
  for (const std::string &quantity : quantities()) {
    ASSERT_EQ(a.exists(quantity), b.exists(quantity)) << quantity;
    if (!a.exists(quantity)) continue;
    EXPECT_EQ(a.info(quantity).bytes, b.info(quantity).bytes) << quantity;
    EXPECT_TRUE(a.read_all<double>(quantity) == b.read_all<double>(quantity)) << quantity;
    ++compared;
  }
  EXPECT_GE(compared, least);
}

} // namespace hybridfft::test
