#include "fftw3_mpi/spectral.h"

namespace hybridfft::fftw3_mpi {

namespace {

class Spectral final : public Accelerated {
public:
  explicit Spectral(std::unique_ptr<plan::Plan> plan) : plan_(std::move(plan)) {
    for (const profile::Stage &s : plan_->recorder().stages()) {
      flops_ += s.flops;
      bytes_ += s.bytes;
    }
  }

  void execute(void *in, void *out) override { plan_->execute(in, out); }
  std::string describe() const override { return plan_->describe(); }
  double flops() const override { return flops_; }
  double bytes() const override { return bytes_; }

private:
  std::unique_ptr<plan::Plan> plan_;
  double flops_ = 0;
  double bytes_ = 0;
};

} // namespace

std::unique_ptr<Accelerated> make_spectral(MPI_Comm comm,
                                           const std::function<plan::Arguments()> &arguments) {
  return std::make_unique<Spectral>(plan::create(comm, {[&] { return arguments(); }}));
}

} // namespace hybridfft::fftw3_mpi
