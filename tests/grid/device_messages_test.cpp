// Tests repeated messages between devices by each transport, and the choice of a transport. Each
// word received is compared with the value that its sender computed. The emulated device delays its
// work by random times.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "device/emulated.h"
#include "device/runtime.h"
#include "grid/device_messages.h"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft::grid {
namespace {

using device::Runtime;

std::unique_ptr<Runtime> make_device(std::uint64_t seed) {
  const auto rank = static_cast<std::uint64_t>(Communicator(test::world()).rank());
  return device::make_emulated({std::size_t{64} << 20, 1, 100 * seed + rank + 1});
}

/// A stand-in for NCCL, which sends the data of streams by MPI. It is slower, but users of streams
/// see the same behaviour.
class PeersByMpi final : public device::Peers {
public:
  void begin() override {}
  void send(device::Stream &stream, const void *from, std::size_t bytes, int rank) override {
    stream.synchronize();
    MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, rank, 7, test::world(),
              &requests_.emplace_back());
  }
  void receive(device::Stream &stream, void *to, std::size_t bytes, int rank) override {
    stream.synchronize();
    MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, rank, 7, test::world(),
              &requests_.emplace_back());
  }
  void end() override {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

private:
  std::vector<MPI_Request> requests_;
};

/// A stream whose copies to the host end with a wrong byte.
class WrongStream final : public device::Stream {
public:
  WrongStream(std::unique_ptr<device::Stream> stream, const std::set<const void *> &device)
      : stream_(std::move(stream)), device_(device) {}
  void copy(void *to, const void *from, std::size_t bytes) override {
    stream_->copy(to, from, bytes);
    if (device_.contains(to)) return;
    stream_->synchronize();
    static_cast<std::byte *>(to)[bytes - 1] ^= std::byte{1};
  }
  void clear(void *memory, std::size_t bytes) override { stream_->clear(memory, bytes); }
  void record(device::Event &event) override { stream_->record(event); }
  void wait(const device::Event &event) override { stream_->wait(event); }
  void synchronize() override { stream_->synchronize(); }
  using Stream::run;
  void run(std::function<void()> work) override { stream_->run(std::move(work)); }

private:
  std::unique_ptr<device::Stream> stream_;
  const std::set<const void *> &device_;
};

/// An emulated device with a chosen name. It may have a fault: no group id, a group that cannot be
/// joined, or memory that MPI reads wrongly.
class OtherDevice final : public Runtime {
public:
  enum class Kind { with_peers, no_id, no_join, wrong };

  OtherDevice(Kind kind, std::string name)
      : device_(make_device(9)), kind_(kind), name_(std::move(name)) {
    compute_ = device_->make_stream();
    copies_ = device_->make_stream();
    if (kind == Kind::wrong)
      compute_ = std::make_unique<WrongStream>(std::move(compute_), allocated_);
  }
  std::string describe() const override { return name_; }
  std::string identity() const override { return name_; }
  device::MemoryInfo memory() const override { return device_->memory(); }
  void *allocate(std::size_t bytes) override { return allocate_for_messages(bytes); }
  void *allocate_for_messages(std::size_t bytes) override {
    return const_cast<void *>(*allocated_.insert(device_->allocate_for_messages(bytes)).first);
  }
  void deallocate(void *memory) noexcept override { device_->deallocate(memory); }
  void pin(void *memory, std::size_t bytes) override { device_->pin(memory, bytes); }
  void unpin(void *memory) noexcept override { device_->unpin(memory); }
  std::unique_ptr<device::Stream> make_stream() override { return device_->make_stream(); }
  std::unique_ptr<device::Event> make_event() override { return device_->make_event(); }
  std::unique_ptr<device::Graph> capture(device::Stream &, const std::function<void()> &) override {
    return nullptr;
  }
  std::unique_ptr<device::Fft<float>> make_fft_float(const device::FftShape &,
                                                     std::complex<float> *) override {
    return nullptr;
  }
  std::unique_ptr<device::Fft<double>> make_fft_double(const device::FftShape &,
                                                       std::complex<double> *) override {
    return nullptr;
  }
  std::size_t fft_work_bytes(const device::FftShape &, bool) const override { return 0; }
  bool has_peers() const override { return kind_ != Kind::wrong; }
  std::string make_peers_id() override {
    if (kind_ == Kind::no_id) throw Failure(HFFT_ERROR_UNSUPPORTED, "on purpose");
    ++ids;
    return "a group";
  }
  std::unique_ptr<device::Peers> join_peers(const std::string &id, int, int) override {
    if (kind_ == Kind::no_join) throw Failure(HFFT_ERROR_UNSUPPORTED, "on purpose");
    EXPECT_EQ(id, "a group");
    ++groups;
    return std::make_unique<PeersByMpi>();
  }

  int ids = 0, groups = 0; ///< number of ids and of groups made

private:
  std::unique_ptr<Runtime> device_;
  Kind kind_;
  std::string name_;
  std::set<const void *> allocated_;
};

/// Returns a device with a name of its own on each rank.
std::unique_ptr<OtherDevice> other_device(OtherDevice::Kind kind) {
  return std::make_unique<OtherDevice>(kind, std::to_string(Communicator(test::world()).rank()) +
                                                 "th device");
}

/// Returns the number of words from rank a to rank b in a stage. In stage 1 some ranks send none,
/// and rank 1 sends many.
Index words(int a, int b, std::size_t stage) {
  if (stage == 1 && (a + b) % 3 == 0 && a < b) return 0;
  return 100 + 37 * a + 11 * b + (stage == 1 && a == 1 ? 300'000 : 0);
}

std::uint32_t word(int from, int to, std::uint32_t exchange, Index n) {
  return 1'000'003 * exchange + 7'919 * static_cast<std::uint32_t>(8 * from + to) +
         static_cast<std::uint32_t>(n);
}

struct Write {
  std::uint32_t *values;
  int from, to;
  std::uint32_t exchange;
  void operator()(Index, Index, Index k) const { values[k] = word(from, to, exchange, k); }
};
/// Copies received words and clears their source.
struct Take {
  std::uint32_t *from, *to;
  void operator()(Index, Index, Index k) const {
    to[k] = from[k];
    from[k] = 0;
  }
};

/// Messages of two stages. The first stage has the neighbours in a ring, the second also their
/// neighbours.
class Exchanges {
public:
  /// \param kept number of results to keep
  Exchanges(Runtime &runtime, Transport transport, std::size_t kept = 1)
      : runtime_(runtime), stages_(stages()),
        messages_(Communicator(test::world()), stages_, runtime, transport) {
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t result = 0; result < kept; ++result) {
        Taken &taken = taken_[s].emplace_back();
        for (const Traffic &t : stages_[s])
          taken.emplace_back(runtime, static_cast<std::size_t>(t.received / 4) + 1);
      }
  }

  void start(std::size_t s, std::uint32_t exchange) {
    for (std::size_t n = 0; n < stages_[s].size(); ++n) {
      const Traffic &t = stages_[s][n];
      launch(t.sent, Write{reinterpret_cast<std::uint32_t *>(messages_.outgoing(s, n)), rank_,
                           t.rank, exchange});
    }
    messages_.start(s);
  }
  void finish(std::size_t s, std::size_t result = 0) {
    messages_.finish(s);
    for (std::size_t n = 0; n < stages_[s].size(); ++n) {
      const Traffic &t = stages_[s][n];
      launch(t.received, Take{reinterpret_cast<std::uint32_t *>(messages_.incoming(s, n)),
                              taken_[s][result][n].data()});
    }
  }
  void poll(std::size_t s) { messages_.poll(s); }
  void check(std::size_t s, std::uint32_t exchange, std::size_t result = 0) {
    for (std::size_t n = 0; n < stages_[s].size(); ++n) {
      const Traffic &t = stages_[s][n];
      std::vector<std::uint32_t> values(taken_[s][result][n].size());
      runtime_.compute().copy(values.data(), taken_[s][result][n].data(),
                              taken_[s][result][n].bytes());
      runtime_.compute().synchronize();
      Index wrong = 0;
      for (Index k = 0; k < t.received / 4; ++k)
        wrong += values[static_cast<std::size_t>(k)] != word(t.rank, rank_, exchange, k) ? 1 : 0;
      EXPECT_EQ(wrong, 0) << "words from rank " << t.rank << " in exchange " << exchange;
    }
  }

private:
  static std::vector<std::vector<Traffic>> stages() {
    const Communicator world(test::world());
    std::vector<std::vector<Traffic>> all(2);
    for (int other = 0; other < world.size(); ++other) {
      if (other == world.rank()) continue;
      const int distance = (other - world.rank() + world.size()) % world.size();
      for (std::size_t s = 0; s < 2; ++s)
        if (std::min(distance, world.size() - distance) <= static_cast<int>(s) + 1)
          all[s].push_back(
              {other, 4 * words(world.rank(), other, s), 4 * words(other, world.rank(), s)});
    }
    return all;
  }
  using Taken = std::vector<device::Array<std::uint32_t>>; ///< one array per neighbour

  /// Runs on an emulated device only, since the functors are not kernels of CUDA.
  template <class F> void launch(Index bytes, const F &f) {
    runtime_.compute().run([bytes, f] {
      for (Index k = 0; k < bytes / 4; ++k)
        f(0, 0, k);
    });
  }

  Runtime &runtime_;
  int rank_ = Communicator(test::world()).rank();
  std::vector<std::vector<Traffic>> stages_;
  DeviceMessages messages_;
  std::array<std::vector<Taken>, 2> taken_; ///< results kept for each stage
};

/// Runs two objects with exchanges in flight at once. The result of an exchange is checked after
/// the next one has started.
void exchange_again_and_again(Runtime &runtime, Transport transport) {
  Exchanges a(runtime, transport), b(runtime, transport);
  for (std::uint32_t e = 0; e < 5; ++e) {
    a.start(0, 10 * e);
    b.start(1, 10 * e + 1);
    if (Communicator(test::world()).rank() % 2 == 0) b.poll(1);
    if (e % 2 == 0) a.finish(0);
    b.finish(1);
    if (e % 2 != 0) a.finish(0);
    a.start(1, 10 * e + 2);
    a.check(0, 10 * e);
    b.check(1, 10 * e + 1);
    a.finish(1);
    a.check(1, 10 * e + 2);
  }
}

/// Enqueues one exchange after another without waiting, and checks all results at the end.
void exchange_without_looking(Runtime &runtime, Transport transport) {
  constexpr std::uint32_t exchanges = 6;
  Exchanges all(runtime, transport, exchanges);
  for (std::uint32_t e = 0; e < exchanges; ++e) {
    all.start(1, e);
    all.finish(1, e);
  }
  for (std::uint32_t e = 0; e < exchanges; ++e)
    all.check(1, e, e);
}

TEST(DeviceMessages, EachTransport_Arrive) {
  const auto runtime = make_device(3);
  for (const char *halo : {"shared", "messages"}) {
    const test::Variable variable("HFFT_HALO", halo);
    exchange_again_and_again(*runtime, Transport::staged);
    exchange_without_looking(*runtime, Transport::staged);
  }
  exchange_again_and_again(*runtime, Transport::cuda_aware);
  exchange_without_looking(*runtime, Transport::cuda_aware);
}

TEST(DeviceMessages, DestroyedInFlight_OverwriteNoMemory) {
  const auto runtime = make_device(7);
  const test::Variable variable("HFFT_HALO", "messages");
  for (const Transport transport : {Transport::staged, Transport::cuda_aware}) {
    auto exchanges = std::make_unique<Exchanges>(*runtime, transport);
    const auto give_up = [&] {
      exchanges->start(0, 1);
      runtime->compute().synchronize();
      runtime->copies().synchronize();
      exchanges->poll(0);
      exchanges.reset();
    };
    // Even ranks destroy their exchanges, as after a failure. They allocate memory of the same
    // device before odd ranks send.
    const bool even = Communicator(test::world()).rank() % 2 == 0;
    constexpr std::size_t bytes = 1024;
    std::vector<std::byte *> others(even ? 32 : 0);
    if (even) give_up();
    for (std::byte *&memory : others)
      memory = static_cast<std::byte *>(runtime->allocate_for_messages(bytes));
    MPI_Barrier(test::world());
    if (!even) give_up();
    MPI_Barrier(test::world());
    exchange_without_looking(*runtime, transport);
    for (std::byte *memory : others) {
      EXPECT_EQ(std::count(memory, memory + bytes, std::byte{0xff}), bytes) << name_of(transport);
      runtime->deallocate(memory);
    }
  }
}

TEST(DeviceMessages, TwoObjects_ShareGroupOfPeers) {
  const auto runtime = other_device(OtherDevice::Kind::with_peers);
  exchange_again_and_again(*runtime, Transport::nccl);
  exchange_without_looking(*runtime, Transport::nccl);
  EXPECT_EQ(runtime->groups, 2); // one group for each of the two calls above
}

void expect_refusal(Transport transport, Runtime &runtime, const std::string &reason) {
  try {
    choose_transport(transport, Communicator(test::world()), runtime);
    ADD_FAILURE() << reason;
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_UNSUPPORTED);
    EXPECT_EQ(e.what(), reason);
  }
}

TEST(Transport, CudaAware_IsTestedByMessage) {
  const Communicator world(test::world());
  const auto runtime = make_device(4);
  const ChosenTransport direct = choose_transport(Transport::cuda_aware, world, *runtime);
  EXPECT_EQ(direct.transport, Transport::cuda_aware);
  EXPECT_TRUE(direct.reason.starts_with("a message between devices has arrived")) << direct.reason;
  // Only the last rank's device delivers other bytes than MPI.
  const auto other = other_device(world.rank() == world.size() - 1 ? OtherDevice::Kind::wrong
                                                                   : OtherDevice::Kind::with_peers);
  try {
    choose_transport(Transport::cuda_aware, world, *other);
    ADD_FAILURE();
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_UNSUPPORTED);
    EXPECT_TRUE(std::string(e.what()).ends_with("a message between devices had wrong bytes"))
        << e.what();
  }
}

TEST(Transport, NcclOnSharedDevice_IsRefused) {
  const Communicator world(test::world());
  const auto emulated = make_device(5);
  expect_refusal(Transport::nccl, *emulated,
                 "transport nccl between devices: the device has no NCCL");
  const auto own = other_device(OtherDevice::Kind::with_peers);
  EXPECT_EQ(choose_transport(Transport::nccl, world, *own).transport, Transport::nccl);
  if (world.size() == 1) return;
  OtherDevice shared(OtherDevice::Kind::with_peers, "the only device");
  expect_refusal(Transport::nccl, shared,
                 "transport nccl between devices: " + std::to_string(world.size()) +
                     " ranks share 1 device");
}

TEST(Transport, NcclChosenTwice_JoinsOneGroup) {
  const Communicator world(test::world());
  const auto runtime = other_device(OtherDevice::Kind::with_peers);
  const ChosenTransport chosen = choose_transport(Transport::nccl, world, *runtime);
  for (int n = 0; n < 2; ++n) {
    EXPECT_EQ(choose_transport(Transport::nccl, world, *runtime).peers, chosen.peers);
    exchange_without_looking(*runtime, chosen.transport);
  }
  EXPECT_EQ(runtime->groups, 1);
  EXPECT_EQ(runtime->ids, world.rank() == 0 ? 1 : 0);
}

TEST(Transport, NcclFailsToJoin_StagingIsChosen) {
  const Communicator world(test::world());
  for (const auto kind : {OtherDevice::Kind::no_id, OtherDevice::Kind::no_join}) {
    // Only rank 0 makes an id. Only the last rank fails to join.
    const bool cannot = kind == OtherDevice::Kind::no_id || world.rank() == world.size() - 1;
    const auto runtime = other_device(cannot ? kind : OtherDevice::Kind::with_peers);
    const ChosenTransport best = choose_transport(Transport::automatic, world, *runtime);
    EXPECT_EQ(best.transport, Transport::staged);
    EXPECT_TRUE(world.size() == 1 || best.reason.ends_with("no NCCL: on purpose")) << best.reason;
    expect_refusal(Transport::nccl, *runtime, "transport nccl between devices: on purpose");
  }
}

TEST(Transport, AutomaticOnEmulatedDevice_IsStaged) {
  const Communicator world(test::world());
  const auto runtime = make_device(6);
  EXPECT_EQ(choose_transport(Transport::staged, world, *runtime).transport, Transport::staged);
  const ChosenTransport best = choose_transport(Transport::automatic, world, *runtime);
  EXPECT_EQ(best.transport, Transport::staged);
  EXPECT_FALSE(best.reason.empty());
}

} // namespace
} // namespace hybridfft::grid
