// Compares extensions of fields on a device with those on the host. The emulated device delays its
// work by random times, and ends the process if the host accesses its memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "blocks.h"
#include "grid/neighbour_messages.h"
#include "solvers/lfb/extension_plan.h"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft::lfb {
namespace {

using namespace cases;
using grid::Cartesian;
using grid::Communicator;
using grid::Transport;

/// The fields of this rank's blocks on a device.
template <class Real> struct DeviceFields {
  DeviceFields(device::Runtime &runtime, const Cartesian &c, const Bases &bases, double factor)
      : runtime(runtime) {
    for (const int block : c.mine()) {
      host.emplace_back(c, bases, block, factor, true);
      arrays.emplace_back(runtime, host.back().values.data(), host.back().values.size());
      periods.push_back({arrays.back().data(), host.back().pitch});
    }
  }

  /// Returns the maximum difference from the host's extended fields times `factor`. Returns
  /// infinity if the padding of a row has changed.
  double error(const std::vector<BlockField<Real>> &truth, double factor) {
    double largest = 0;
    for (std::size_t b = 0; b < host.size(); ++b) {
      BlockField<Real> &field = host[b];
      runtime.compute().copy(field.values.data(), arrays[b].data(), arrays[b].bytes());
      runtime.compute().synchronize();
      const Index row = field.p[2];
      for (std::size_t n = 0; n < field.values.size(); ++n) {
        const Index i = static_cast<Index>(n) / field.pitch,
                    k = static_cast<Index>(n) % field.pitch;
        const double found = static_cast<double>(field.values[n]);
        const double expected =
            k < row
                ? factor *
                      static_cast<double>(truth[b].values[static_cast<std::size_t>(i * row + k)])
                : 7;
        const double difference = std::abs(found - expected) / factor;
        if (std::isnan(difference) || (k >= row && difference > 0)) return INFINITY;
        largest = std::max(largest, difference);
      }
    }
    return largest;
  }

  device::Runtime &runtime;
  std::vector<BlockField<Real>> host;
  std::vector<device::Array<Real>> arrays;
  std::vector<Period<Real>> periods;
};

/// Returns the fields extended by the host.
template <class Real>
std::vector<BlockField<Real>> truth_of(const Cartesian &c, const Bases &bases, Extension<Real> &e) {
  std::vector<BlockField<Real>> fields;
  fields.reserve(c.mine().size());
  std::vector<Period<Real>> periods;
  for (const int block : c.mine()) {
    BlockField<Real> &field = fields.emplace_back(c, bases, block);
    periods.push_back({field.values.data(), field.pitch});
  }
  e.start(periods);
  e.finish();
  return fields;
}

/// Returns the blocks distributed over `ranks` ranks. A rank may own several blocks.
Cartesian placed(const Problem &p, int ranks) {
  const Communicator world(test::world());
  const int blocks = Cartesian(world, p.cuts, {true, true, true}).blocks();
  std::vector<int> owners;
  for (int b = 0; b < blocks; ++b)
    owners.push_back(b * 5 % ranks);
  return {world, p.cuts, {true, true, true}, owners};
}

template <class Real>
void compare(const Problem &p, int ranks, device::Runtime &runtime, double tolerance) {
  const Bases bases = bases_of(p);
  const Cartesian c = placed(p, ranks);
  Extension<Real> host(c, bases, 1);
  const std::vector<BlockField<Real>> truth = truth_of(c, bases, host);
  for (const Transport transport : transports(runtime)) {
    Extension<Real> extension(c, bases, runtime, transport);
    EXPECT_EQ(extension.bytes_sent(), host.bytes_sent());
    for (const double factor : {1.0, 2.0}) {
      DeviceFields<Real> fields(runtime, c, bases, factor);
      extension.start(fields.periods);
      extension.poll();
      extension.advance();
      extension.finish();
      // The device adds the same terms in another order, and terms cancel (see extension_test.cpp).
      EXPECT_LT(fields.error(truth, factor), tolerance)
          << p.bases[0] << " " << p.bases[1] << " " << p.bases[2] << " on " << ranks
          << " ranks, transport " << static_cast<int>(transport);
    }
    EXPECT_GT(extension.times().pack, 0);
    EXPECT_GT(extension.times().exchange, 0);
  }
}

TEST(DeviceExtension, AllBases_MatchHost) {
  const auto runtime = make_device(1);
  const int all = Communicator(test::world()).size();
  for (const Problem &p : problems()) {
    compare<double>(p, std::min(2, all), *runtime, 1e-12);
    if (all > 2) compare<double>(p, all, *runtime, 1e-12);
    compare<float>(p, all, *runtime, 2e-4);
  }
}

TEST(DeviceExtension, SeveralInFlight_SameBits) {
  const auto runtime = make_device(2);
  const Communicator world(test::world());
  const Problem &p = problems()[2];
  const Bases bases = bases_of(p);
  const Cartesian c(world, p.cuts, {true, true, true});
  Extension<double> host(c, bases, 1);
  const std::vector<BlockField<double>> truth = truth_of(c, bases, host);
  for (const Transport transport : transports(*runtime))
    for (const char *halo : {"shared", "messages"}) {
      const test::Variable variable("HFFT_HALO", halo);
      std::vector<Extension<double>> extensions;
      for (int n = 0; n < 3; ++n)
        extensions.emplace_back(c, bases, *runtime, transport);
      for (std::size_t round = 0; round < 4; ++round) {
        const auto factor = [&](std::size_t e) { return std::ldexp(1, int(round + 3 * e) % 7); };
        std::vector<DeviceFields<double>> fields;
        for (std::size_t e = 0; e < extensions.size(); ++e)
          fields.emplace_back(*runtime, c, bases, factor(e));
        for (std::size_t e = 0; e < extensions.size(); ++e)
          extensions[e].start(fields[e].periods);
        extensions[round % extensions.size()].advance();
        for (int n = 0; n < world.rank() % 3; ++n) // another number on each rank
          extensions[(round + 1) % extensions.size()].poll();
        for (std::size_t n = 0; n < extensions.size(); ++n)
          extensions[(n + round / 2) % extensions.size()].finish();
        for (std::size_t e = 0; e < extensions.size(); ++e)
          EXPECT_LT(fields[e].error(truth, factor(e)), 1e-13)
              << "transport " << static_cast<int>(transport) << ", " << halo << ", round " << round;
      }
    }
}

TEST(DeviceExtension, BlocksOfOneRank_UseGraph) {
  const auto runtime = make_device(3);
  const Problem &p = problems()[2];
  const Bases bases = bases_of(p);
  const Cartesian alone(Communicator(MPI_COMM_SELF), p.cuts, {true, true, true});
  Extension<double> host(alone, bases, 1), extension(alone, bases, *runtime, Transport::staged);
  const std::vector<BlockField<double>> truth = truth_of(alone, bases, host);
  DeviceFields<double> fields(*runtime, alone, bases, 1);
  const auto graph = runtime->capture(runtime->compute(), [&] {
    extension.start(fields.periods);
    extension.finish();
  });
  EXPECT_EQ(fields.error(truth, 1), INFINITY); // no gap is filled yet
  graph->launch(runtime->compute());
  EXPECT_LT(fields.error(truth, 1), 1e-13);
}

/// Rank 0 has blocks 0 and 1 on a device. A gate stops the device before it packs block 1. Rank 1
/// has blocks 2 and 3 on the host. The message of block 0 must arrive before the gate opens.
class HeldUp {
public:
  HeldUp()
      : cartesian(Communicator(test::world()), problem().cuts, {true, true, true}, {0, 0, 1, 1}),
        bases(bases_of(problem())),
        plan(cartesian, bases, ExtensionPlan<double>::MessageUnit::of_block) {}

  /// Sends the two blocks of rank 0 from its device. Returns the seconds until rank 1 has received
  /// block 0.
  double of_device() {
    const auto runtime = make_device(17);
    const DeviceFields<double> fields(*runtime, cartesian, bases, 1);
    const auto carrier = device_carrier(plan, *runtime, Transport::staged);
    std::promise<void> open;
    carrier->send(0, 0, fields.periods);
    runtime->compute().run([opened = open.get_future().share()] { opened.wait(); });
    carrier->send(0, 1, fields.periods);
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> waited{};
    bool held_up = true;
    for (int arrived = 0; arrived == 0;) {
      carrier->poll(0);
      MPI_Iprobe(1, tag, test::world(), &arrived, MPI_STATUS_IGNORE);
      if (!held_up) continue;
      waited = std::chrono::steady_clock::now() - begin;
      held_up = arrived == 0 && waited.count() < max_seconds;
      if (!held_up) open.set_value();
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, tag, test::world(), MPI_STATUS_IGNORE);
    carrier->receive(0);
    carrier->fill(0, fields.periods);
    runtime->compute().synchronize();
    return waited.count();
  }

  /// Makes the collective calls of of_device() on the host. Returns the messages from rank 0 on
  /// rank 1, and none on other ranks.
  std::vector<std::vector<double>> on_host() {
    const Communicator world(test::world());
    world.agree([] {});
    grid::NeighbourMessages messages(world, plan.traffic(), 1);
    world.agree([] {});
    world.agree([] {});
    std::vector<std::vector<double>> received;
    for (std::size_t part = 0; world.rank() == 1 && part < 2; ++part) {
      messages.begin(part);
      messages.start(part);
      const int turn = messages.finish(part);
      const auto *values = reinterpret_cast<const double *>(messages.incoming(part, 0, turn));
      received.emplace_back(values, values + plan.traffic()[part][0].received / 8);
      if (part == 0) MPI_Send(nullptr, 0, MPI_BYTE, 0, tag, test::world());
    }
    return received;
  }

  static constexpr double max_seconds = 20;
  Cartesian cartesian;
  Bases bases;
  ExtensionPlan<double> plan;

private:
  static Problem problem() { return {{{{16, 16, 16, 16}, {3}, {5}}}, {"ls:8", "", ""}}; }
  static constexpr int tag = 77;
};

TEST(DeviceExtension, MessageOfBlock_ArrivesDuringNextBlock) {
  const Communicator world(test::world());
  if (world.size() < 2 || test::on_real_gpu()) return;
  HeldUp held_up;
  if (world.rank() == 0) {
    EXPECT_LT(held_up.of_device(), HeldUp::max_seconds);
    return;
  }
  const std::vector<std::vector<double>> received = held_up.on_host();
  if (world.rank() != 1) return;
  // Points near the lower face of block 0 and the upper face of block 1.
  const auto plane = [&](int block, Index i) {
    BlockField<double> field(held_up.cartesian, held_up.bases, block);
    const auto *first = field.values.data() + i * 3 * field.pitch;
    return std::vector<double>(first, first + 5);
  };
  EXPECT_EQ(std::vector<double>(received[0].begin(), received[0].begin() + 5), plane(0, 0));
  const std::vector<double> last = plane(1, 15);
  EXPECT_NE(std::search(received[1].begin(), received[1].end(), last.begin(), last.end()),
            received[1].end());
}

} // namespace
} // namespace hybridfft::lfb
