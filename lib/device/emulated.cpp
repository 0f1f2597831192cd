#include "device/emulated.h"

#include "base/cpus.h"
#include "device/emulated_fft.h"
#include "device/emulated_stream.h"

namespace hybridfft::device {

namespace {

class EmulatedRuntime final : public Runtime {
public:
  EmulatedRuntime(const EmulatedOptions &options, int rank_on_node)
      : device_(std::make_shared<EmulatedDevice>(options)),
        number_(rank_on_node % options.devices) {
    compute_ = make_stream();
    copies_ = make_stream();
  }

  std::string describe() const override {
    return name("of " + std::to_string(device_->options().bytes >> 20) + " MiB on ");
  }
  std::string identity() const override { return name("on "); }
  MemoryInfo memory() const override { return device_->memory(); }

  void *allocate(std::size_t bytes) override { return device_->allocate(device_->fields(), bytes); }
  void *allocate_for_messages(std::size_t bytes) override {
    return device_->allocate(device_->messages(), bytes);
  }
  void deallocate(void *memory) noexcept override { device_->deallocate(memory); }
  void pin(void *memory, std::size_t bytes) override { device_->pin(memory, bytes); }
  void unpin(void *memory) noexcept override { device_->unpin(memory); }

  std::unique_ptr<Stream> make_stream() override {
    return std::make_unique<EmulatedStream>(device_);
  }
  std::unique_ptr<Event> make_event() override { return std::make_unique<EmulatedEvent>(device_); }
  std::unique_ptr<Graph> capture(Stream &stream, const std::function<void()> &work) override {
    auto captured = static_cast<EmulatedStream &>(stream).capture(work);
    if (!device_->options().graphs) return nullptr;
    return std::make_unique<EmulatedGraph>(std::move(captured));
  }

  std::unique_ptr<Fft<float>> make_fft_float(const FftShape &shape) override {
    return make_emulated_fft<float>(device_, shape);
  }
  std::unique_ptr<Fft<double>> make_fft_double(const FftShape &shape) override {
    return make_emulated_fft<double>(device_, shape);
  }
  std::size_t fft_work_bytes(const FftShape &, bool) const override { return 0; }

private:
  std::string name(const std::string &with) const {
    return "emulated device " + std::to_string(number_) + " " + with + host_name();
  }

  std::shared_ptr<EmulatedDevice> device_;
  int number_;
};

} // namespace

std::unique_ptr<Runtime> make_emulated(const EmulatedOptions &options, int rank_on_node) {
  return std::make_unique<EmulatedRuntime>(options, rank_on_node);
}

} // namespace hybridfft::device
