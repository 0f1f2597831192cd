// Sources and recorders on a device give the same bits as on the host, whatever the order in which
// the device works.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "device/emulated.h"
#include "kspace/input_writer.h"
#include "kspace/placements.h"
#include "solvers/kspace/checkpoint.h"
#include "solvers/kspace/device/fourier.h"
#include "solvers/kspace/equations/equation_kernels.h"
#include "solvers/kspace/files/read_parameters.h"
#include "solvers/kspace/medium/medium.h"
#include "solvers/kspace/record/sensor.h"
#include "solvers/kspace/sources/source.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::kspace;

using Real = float;
using grid::Index;

// With this grid on three ranks, one rank has no points.
const Extents n{12, 18, 2};
constexpr std::int64_t steps = 9;

/// to <- factor from + rest (i + 2 j + 3 k).
struct Scaled {
  grid::View<const Real> from;
  grid::View<Real> to;
  Real factor, rest;
  void operator()(Index i, Index j, Index k) const {
    to(i, j, k) = factor * from(i, j, k) + rest * static_cast<Real>(i + 2 * j + 3 * k);
  }
};

struct Products {
  grid::Rows<Real> a, b;
  grid::Separable<Real> x, y, z;
  grid::View<Real> to;
  void operator()(Index i, Index j, Index k) const {
    to(i, j, k) = a(i, j, k) * b(i, j, k) * x(i, j, k) * y(i, j, k) * z(i, j, k);
  }
};

struct Added {
  grid::View<const Real> from;
  grid::View<Real> to;
  Real factor;
  void operator()(Index i, Index j, Index k) const { to(i, j, k) += factor * from(i, j, k); }
};

/// Replaces for_points() in this test. It works only on emulated devices, because the test's
/// functors are not compiled for CUDA.
template <class F> void on_points(const Exec &exec, const grid::Box &box, const F &f) {
  const auto all = [box, f] { grid::parallel_for({1}, box, f); };
  if (exec.device != nullptr)
    exec.device->compute().run(all);
  else
    all();
}

/// A derivative for tests, which multiplies the field by a number. unstagger() passes its result in
/// memory that the next component overwrites.
class Factors final : public Derivative<Real> {
public:
  Factors(const LocalGrid &local, const Exec &exec)
      : local_(local), exec_(exec), result_(local.size(), exec) {}
  static Real of(Driven driven) { return Real(0.5) + static_cast<Real>(driven); }

  void apply(Operator, const RowKernel<Real> &, std::span<const Output<Real>>) override {}
  void set_uniform_absorption(Real, Real) override {}
  void correct_source(Driven driven, const Field<Real> &source,
                      std::span<const Field<Real>> targets) override {
    for (const Field<Real> &target : targets)
      on_points(exec_, local_.box(), Added{source.view(local_), target.view(local_), of(driven)});
  }
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override {
    on_points(exec_, local_.box(),
              Scaled{u.view(local_), result_.view(local_), Real(0.7), static_cast<Real>(axis)});
    use(result_);
  }
  std::string describe() const override { return {}; }
  std::vector<StageTime> stage_times() const override { return {}; }

private:
  LocalGrid local_;
  Exec exec_;
  Field<Real> result_;
};

/// Returns pseudo-random numbers from -1 to 1.
Real noise(std::size_t i) {
  return static_cast<Real>(static_cast<double>(i * 2654435761U % 65521U) / 32760 - 1);
}

std::vector<float> noises(std::size_t count, std::size_t first) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(noise(first + i));
  return values;
}

class DeviceFieldsTest : public ::testing::Test {
protected:
  DeviceFieldsTest()
      : scratch(test::world()), comm(test::world()), local(LocalGrid::slab(n, comm)),
        runtime(device::make_emulated({.bytes = std::size_t{64} << 20, .devices = 1, .delays = 7})),
        on_host{{2}, nullptr}, on_device{{2}, runtime.get()}, in(scratch.file("in.h5")) {}

  State<Real> state(const Exec &exec) const {
    State<Real> s(local, exec);
    std::size_t number = 0;
    for_each(s, [&](const Field<Real> &field) {
      Field<Real> values(field.size(), 1);
      const auto v = values.view(local);
      ++number;
      grid::parallel_for({1}, local.box(), [&](auto i, auto j, auto k) {
        v(i, j, k) = noise(7919 * number + static_cast<std::size_t>(local.point(i, j, k)));
      });
      field.assign(values);
    });
    return s;
  }
  template <class F> void for_each(const State<Real> &s, const F &f) const {
    f(s.pressure);
    for (std::size_t a = 0; a < 3; ++a) {
      f(s.velocity[a]);
      f(s.density[a]);
    }
  }
  /// Returns this rank's values of all fields, one field after another.
  std::vector<Real> values(const State<Real> &s) const {
    std::vector<Real> all;
    for_each(s, [&](const Field<Real> &field) {
      Field<Real> copy;
      const auto v = field.on_host(copy, 1).view(local);
      for (Index i = 0; i < local.box().extent(0); ++i)
        for (Index j = 0; j < local.box().extent(1); ++j)
          for (Index k = 0; k < local.box().extent(2); ++k)
            all.push_back(v(i, j, k));
    });
    return all;
  }

  test::ScratchDirectory scratch;
  grid::Communicator comm;
  LocalGrid local;
  std::unique_ptr<device::Runtime> runtime;
  Exec on_host, on_device;
  std::string in;
};

struct Case {
  SourceMode mode;
  bool many;
};

/// The list has points at both ends of the grid, and two points several times at scattered
/// positions.
const std::vector<std::uint64_t> listed{9, 432, 77, 9, 1, 300, 9, 301, 77, 302};

const std::vector<std::uint64_t> delays{1, 2, 3, 4, 4, 3, 2, 1, 2, 3};

/// Number of time samples of each source.
std::int64_t length_of(std::size_t number) { return 3 + static_cast<std::int64_t>(number) % 3; }

class DeviceSourcesTest : public DeviceFieldsTest, public ::testing::WithParamInterface<Case> {
protected:
  void write_input() const {
    test::InputWriter input(n, steps);
    const auto mode = static_cast<std::int64_t>(GetParam().mode);
    const std::size_t columns = GetParam().many ? listed.size() : 1;
    std::size_t number = 0;
    for (const std::string field : {"p", "ux", "uy", "uz"}) {
      const auto length = static_cast<std::size_t>(length_of(number));
      input.integer(field + "_source_flag", length_of(number));
      input.array(field + "_source_input", {1, length, columns},
                  noises(length * columns, 1000 * number++));
    }
    for (const std::string field : {"p", "u"}) {
      input.integer(field + "_source_mode", mode).indices(field + "_source_index", listed);
      input.integer(field + "_source_many", GetParam().many ? 1 : 0);
    }
    input.integer("transducer_source_flag", 5);
    input.array("transducer_source_input", {1, 1, 8}, noises(8, 5000));
    input.indices("delay_mask", delays);
    input.write(in, test::world());
  }

  /// Returns the state after the sources have acted in all steps.
  State<Real> driven(const Exec &exec) const {
    const InputFile file(in, comm, precision_of<Real>);
    Sources<Real> sources(file, read_parameters(file), local, exec.host);
    sources.move_to(exec);
    State<Real> s = state(exec);
    Factors factors(local, exec);
    for (std::int64_t step = 0; step < steps; ++step) {
      sources.drive_velocity(step, s, factors);
      sources.drive_density(step, s, factors);
      evolve(exec, s);
    }
    return s;
  }
  /// Computes the expected state, entry by entry in the order of the list. Sources leave some
  /// fields invalid; these are not compared.
  State<Real> expected() const {
    State<Real> s = state(on_host);
    for (std::int64_t step = 0; step < steps; ++step) {
      for (std::size_t a = 0; a < 3; ++a)
        drive(step, static_cast<Driven>(a + 1), {&s.velocity[a], 1});
      for (std::size_t i = 0; i < listed.size() && step < 5; ++i)
        enter(i, SourceMode::additive, noise(5000 + delays[i] - 1 + static_cast<std::size_t>(step)),
              s.velocity[0]);
      drive(step, Driven::pressure, s.density);
      evolve(on_host, s);
    }
    return s;
  }
  void evolve(const Exec &exec, const State<Real> &s) const {
    for_each(s, [&](const Field<Real> &field) {
      on_points(exec, local.box(),
                Scaled{field.view(local), field.view(local), Real(0.75), Real(0.01)});
    });
  }
  void enter(std::size_t i, SourceMode mode, Real value, const Field<Real> &field) const {
    const auto offset = local.offset_of(static_cast<std::int64_t>(listed[i]) - 1);
    if (!offset) return;
    Real &at = field.data()[*offset];
    at = mode == SourceMode::additive ? at + value : value;
  }
  void drive(std::int64_t step, Driven driven, std::span<const Field<Real>> targets) const {
    const auto number = static_cast<std::size_t>(driven);
    if (step >= length_of(number)) return;
    const auto row = static_cast<std::size_t>(step) * (GetParam().many ? listed.size() : 1);
    const auto enter_all = [&](const Field<Real> &field) {
      for (std::size_t i = 0; i < listed.size(); ++i)
        enter(i, GetParam().mode, noise(1000 * number + row + (GetParam().many ? i : 0)), field);
    };
    const Field<Real> source(local.size(), 1);
    if (GetParam().mode == SourceMode::corrected) enter_all(source);
    for (const Field<Real> &target : targets)
      if (GetParam().mode == SourceMode::corrected)
        grid::parallel_for({1}, local.box(),
                           Added{source.view(local), target.view(local), Factors::of(driven)});
      else
        enter_all(target);
  }
};

TEST_P(DeviceSourcesTest, AllModes_MatchList) {
  write_input();
  State<Real> host = driven(on_host), device = driven(on_device), truth = expected();
  EXPECT_EQ(values(device), values(host));
  if (GetParam().mode == SourceMode::corrected)
    for (State<Real> *s : {&host, &truth})
      s->pressure = Field<Real>(local.operand_size(), 1); // used by the sources as scratch memory
  EXPECT_EQ(values(host), values(truth));
}

INSTANTIATE_TEST_SUITE_P(Modes, DeviceSourcesTest,
                         ::testing::Values(Case{SourceMode::dirichlet, false},
                                           Case{SourceMode::dirichlet, true},
                                           Case{SourceMode::additive, true},
                                           Case{SourceMode::corrected, false},
                                           Case{SourceMode::corrected, true}));

/// Records every quantity, from fields that change in every step.
class DeviceRecordsTest : public DeviceFieldsTest,
                          public ::testing::WithParamInterface<SensorMaskType> {
protected:
  DeviceRecordsTest() {
    FieldRecording &p = recording.p;
    for (std::size_t i = 0; i < quantity_count; ++i)
      p[i] = true;
    recording.u = p;
    recording.u_non_staggered_raw = true;
    recording.intensity = {true, true};
    recording.start = 3;
    test::InputWriter input(n, steps);
    input.integer("sensor_mask_type", static_cast<std::int64_t>(GetParam()));
    input.indices("sensor_mask_index", {432, 3, 3, 200, 1, 80});
    input.array("sensor_mask_corners", {1, 2, 6},
                std::vector<std::uint64_t>{2, 1, 1, 11, 7, 2, 12, 18, 2, 12, 18, 2});
    input.write(in, test::world());
  }

  /// Records the steps first ... end - 1. Continues from a checkpoint or writes one if its name is
  /// set.
  void record(const std::string &out, const Exec &exec, std::int64_t first, std::int64_t end,
              const std::string &checkpoint) const {
    const InputFile file(in, comm, precision_of<Real>);
    const Parameters parameters = read_parameters(file);
    OutputFile output(out, comm, precision_of<Real>, 0,
                      first > 0 ? OutputStart::from_existing : OutputStart::empty);
    const auto sensor = read_sensor<Real>(file, parameters, local, comm);
    Recorder<Real> recorder(recording, parameters, first, output, sensor, local, comm, exec);
    State<Real> s = first > 0 ? State<Real>(local, exec) : state(exec);
    if (first > 0)
      Checkpoint<Real>::find(checkpoint, parameters, recording, 0, comm)
          ->restore(42, s, recorder, local, comm);
    Factors factors(local, exec);
    for (std::int64_t step = first; step < end; ++step) {
      std::size_t number = 0;
      for_each(s, [&](const Field<Real> &field) {
        on_points(exec, local.box(),
                  Scaled{field.view(local), field.view(local), Real(-0.9),
                         noise(static_cast<std::size_t>(step) + 100 * ++number)});
      });
      recorder.sample(step, s, factors);
    }
    if (end == steps) {
      recorder.finish(s);
    } else {
      recorder.flush();
      OutputFile next(checkpoint, comm, precision_of<Real>, 0);
      Checkpoint<Real>::write(next, 0, end, {parameters, recording, 42}, s, recorder, local, comm);
      next.commit();
    }
    output.commit();
  }

  Recording recording;
};

TEST_P(DeviceRecordsTest, AllRecords_MatchHost) {
  record(scratch.file("host.h5"), on_host, 0, steps, "");
  record(scratch.file("device.h5"), on_device, 0, steps, "");
  // Runs on device and host alternate; each ends within the recorded steps.
  const std::string legs = scratch.file("legs.h5"), checkpoint = scratch.file("checkpoint.h5");
  record(legs, on_device, 0, 5, checkpoint);
  record(legs, on_host, 5, 6, checkpoint);
  record(legs, on_device, 6, steps, checkpoint);
  if (comm.rank() != 0) return;
  const auto host = test::datasets_of(scratch.file("host.h5"));
  EXPECT_EQ(host.size(), GetParam() == SensorMaskType::indices ? 35U : 58U);
  EXPECT_EQ(test::differences(host, test::datasets_of(scratch.file("device.h5"))), "");
  EXPECT_EQ(test::differences(host, test::datasets_of(legs)), "");
}

INSTANTIATE_TEST_SUITE_P(Masks, DeviceRecordsTest,
                         ::testing::Values(SensorMaskType::indices, SensorMaskType::corners));

// Kernels must read the same coefficients of the equations on a device as on the host.
TEST_F(DeviceFieldsTest, MediumAndProfiles_MatchHost) {
  test::InputWriter input(n, steps);
  for (const char *axis : {"x", "y", "z"})
    input.integer(std::string("pml_") + axis + "_size", 1);
  std::vector<float> speed = noises(input.points(), 0);
  for (float &c : speed)
    c = 1500 + 100 * c;
  input.field("c0", speed).write(in, test::world());
  const InputFile file(in, comm, precision_of<Real>);
  const Parameters parameters = read_parameters(file);
  std::vector<std::vector<Real>> found;
  for (const Exec &exec : {on_host, on_device}) {
    Medium<Real> medium(file, parameters, local, exec.host, comm);
    Pml<Real> pml(parameters, local);
    medium.move_to(exec);
    pml.move_to(exec);
    EXPECT_TRUE(medium.density().uniform());
    EXPECT_EQ(medium.density().value(), 1000);
    EXPECT_FALSE(medium.speed_squared().uniform());
    const Field<Real> result(local.size(), exec);
    on_points(exec, local.box(),
              Products{medium.density().rows(), medium.speed_squared().rows(), pml.at_pressure(0),
                       pml.at_velocity(1), pml.at_velocity(2), result.view(local)});
    Field<Real> copy;
    const std::span<const Real> values = result.on_host(copy, 1).real();
    found.emplace_back(values.begin(), values.end());
  }
  EXPECT_EQ(found[0], found[1]);
}

/// Counts how often its work is enqueued.
struct Counting final : RowKernel<Real> {
  void on_device(const DevicePoints<Real> &, int) const override { ++calls; }
  mutable int calls = 0;
};

TEST(DeviceGraphsTest, Call_DeviceCannotCapture_IsCapturedOnceOnly) {
  const grid::Communicator alone(MPI_COMM_SELF);
  Parameters parameters;
  parameters.n = {8, 8, 8};
  parameters.spacing = {1e-3F, 1e-3F, 1e-3F};
  const LocalGrid grid = DeviceFourier<Real>::local_grid(parameters, nullptr, alone);
  for (const bool graphs : {true, false}) {
    const auto runtime = device::make_emulated(
        {.bytes = std::size_t{64} << 20, .devices = 1, .delays = {}, .graphs = graphs});
    const Exec exec{{1}, runtime.get()};
    DeviceFourier<Real> derivative(parameters, nullptr, grid, alone, {exec});
    const Field<Real> field(grid.size(), exec);
    const std::array outputs{Output<Real>::row(&field)};
    const Counting counting;
    // The second call is captured as a graph. If the device cannot capture, the work is enqueued
    // once more.
    const std::vector<int> expected = graphs ? std::vector{1, 2, 2, 2} : std::vector{1, 3, 4, 5};
    for (const int calls : expected) {
      derivative.apply(Operator::none, counting, outputs);
      EXPECT_EQ(counting.calls, calls) << (graphs ? "graphs" : "no graphs");
    }
  }
}

} // namespace
