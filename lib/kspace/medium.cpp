#include "kspace/medium.h"

namespace hybridfft::kspace {

Medium::Medium(const InputFile &file, const Parameters &parameters, const Slab &slab,
               grid::Host host, const grid::Communicator &comm) {
  speed_squared_ = Coefficient::read_positive(file, "c0", slab, host, comm);
  max_speed_ = speed_squared_.max(comm);
  speed_squared_.transform([](double c) { return c * c; });
  density_ = Coefficient::read_positive(file, "rho0", slab, host, comm);
  const std::array<const char *, 3> names{"rho0_sgx", "rho0_sgy", "rho0_sgz"};
  for (std::size_t a = 0; a < 3; ++a) {
    if (file.is_scalar(names[a]) != density_.uniform())
      file.reject(names[a], density_.uniform() ? "an array" : "a scalar",
                  density_.uniform() ? "a scalar, as rho0 is" : "an array, as rho0 is");
    mobility_[a] = Coefficient::read_positive(file, names[a], slab, host, comm);
    const auto dt = static_cast<double>(parameters.dt);
    mobility_[a].transform([dt](double density) { return dt / density; });
  }
}

} // namespace hybridfft::kspace
