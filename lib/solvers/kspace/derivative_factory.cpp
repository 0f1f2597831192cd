#include "solvers/kspace/derivative_factory.h"

#include <algorithm>
#include <complex>

#include "base/error.h"
#include "base/mpi.h"
#include "grid/device_messages.h"
#include "solvers/kspace/device/fourier.h"
#include "solvers/kspace/operators/axisymmetric_fourier.h"
#include "solvers/kspace/operators/fused_fourier.h"
#include "solvers/kspace/operators/global_fourier.h"
#include "solvers/kspace/operators/local_fourier.h"

namespace hybridfft::kspace {

namespace {

grid::ChosenTransport chosen_transport(const DeviceOptions &options, device::Runtime &device,
                                       const grid::Communicator &comm) {
  try {
    return grid::choose_transport(options.transport, comm, device);
  } catch (const Error &e) {
    if (e.code() != HFFT_ERROR_UNSUPPORTED) throw;
    throw InputError(std::string("--") + e.what() + ", expected another one, or auto");
  }
}

/// Returns host-staged transport, the only one available if some ranks compute on processors.
/// Throws InputError if the user requests another transport. The result includes the reason for the
/// choice, which the report prints.
grid::ChosenTransport staged_for_processors(grid::Transport wanted) {
  if (wanted != grid::Transport::automatic && wanted != grid::Transport::staged)
    throw InputError(std::string("--transport is ") + grid::name_of(wanted) +
                     ", and --device is gpu+cpu, expected staged, or auto");
  return {grid::Transport::staged, "some ranks compute on processors"};
}

template <class Real>
std::unique_ptr<Derivative<Real>> make_on_device(const DerivativeUse &use,
                                                 std::string &device_text) {
  device::Runtime &device = *use.exec.device;
  DeviceUse on{use.exec, grid::Transport::staged, use.options.device.timed, use.at_once};
  if (const double ranks = grid::sum_of_device(use.comm, device, 1); ranks > 1)
    device_text += ", shared by " + std::to_string(static_cast<int>(ranks)) + " ranks";
  if (use.options.device.processors) {
    const double others = use.comm.sum(device.on_processors() ? 1.0 : 0.0);
    device_text += "; " + std::to_string(static_cast<int>(others)) + " of " +
                   std::to_string(use.comm.size()) + " ranks on processors";
  }
  grid::ChosenTransport chosen; // keeps the peer connections open until the derivative, constructed
                                // at the end, also owns them
  if (use.comm.size() > 1) {
    chosen = use.options.device.processors ? staged_for_processors(use.options.device.transport)
                                           : chosen_transport(use.options.device, device, use.comm);
    on.transport = chosen.transport;
    device_text +=
        "; transport " + std::string(grid::name_of(chosen.transport)) + ": " + chosen.reason;
  }
  return std::make_unique<DeviceFourier<Real>>(
      use.parameters, use.decomposition ? &*use.decomposition : nullptr, use.local, use.comm, on);
}

/// Estimates the seconds of a time step per point of this rank. Times the transforms of a small
/// grid and adds a third for the equations.
template <class Real> double seconds_of_step(device::Runtime &device) {
  constexpr grid::Index n = 64;
  constexpr double transforms_of_step = 10;
  const device::FftShape shape{{n, n, n}, 3};
  const auto values = static_cast<std::size_t>(shape.complex_values());
  const device::Array<std::complex<Real>> spectra(device, 3 * values), field(device, values);
  const auto fft = device.make_fft<Real>(shape, spectra.data());
  device.compute().clear(spectra.data(), spectra.bytes());
  device.compute().clear(field.data(), field.bytes());
  device.compute().synchronize();
  const double least = least_seconds_of([&] {
    fft->forward(device.compute(), reinterpret_cast<Real *>(field.data()), spectra.data());
    fft->backward(device.compute(), spectra.data(), shape.batch);
    device.compute().synchronize();
  });
  return 4. / 3 * transforms_of_step / (1 + shape.batch) * least / static_cast<double>(n * n * n);
}

} // namespace

template <class Real>
std::vector<double> seconds_of_ranks(const SimulationOptions &options, device::Runtime *device,
                                     const grid::Communicator &comm) {
  if (device == nullptr || !options.device.processors) return {};
  double mine = 0;
  comm.agree([&] { mine = seconds_of_step<Real>(*device); });
  const bool processors = device->on_processors();
  const double of_gpus = comm.max(processors ? 0 : mine);
  const double of_processors = comm.max(processors ? mine : 0);
  std::vector<double> all(static_cast<std::size_t>(comm.size()));
  const double kind = processors ? of_processors : of_gpus;
  mpi::check(MPI_Allgather(&kind, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, comm.handle()),
             "MPI_Allgather");
  return all;
}

BasisChoice chosen_basis(const SimulationOptions &options, const InputFile &file,
                         const Parameters &p, const grid::Communicator &comm) {
  if (options.basis.kind != BasisOptions::Selection::automatic) return {options.basis, "global"};
  if (options.device.gpu) return choose_basis_on_devices(options.basis, comm);
  return choose_basis(options.basis, p, options.threads, comm,
                      [&] { return read_features(file, p, {options.threads}); });
}

std::optional<Decomposition> decompose(const BasisOptions &options, const Parameters &p,
                                       const std::string &input, const grid::Communicator &comm,
                                       const std::vector<double> &seconds_per_point) {
  if (options.kind == BasisOptions::Selection::global) return std::nullopt;
  return Decomposition(options, p, input, comm, seconds_per_point);
}

std::unique_ptr<device::Runtime> open_device(const SimulationOptions &options, const Parameters &p,
                                             const std::string &input,
                                             const grid::Communicator &comm) {
  if (!options.device.gpu) return nullptr;
  // Axisymmetric and non-uniform grids have no local basis.
  if (const char *flag = p.special_grid_flag(); flag != nullptr && comm.size() > 1)
    throw Unsupported(input + ": dataset " + flag +
                      " is 1, and --device gpu computes such a grid on one rank, found " +
                      std::to_string(comm.size()) + " ranks, expected one, or --device cpu");
  if (options.basis.kind == BasisOptions::Selection::global && comm.size() > 1)
    throw InputError("--device gpu: --basis is global on " + std::to_string(comm.size()) +
                     " ranks, expected one rank, or --basis local");
  if (!options.device.processors) return grid::open_device(comm);
  try {
    return grid::open_device_or_processors(comm, options.threads);
  } catch (const Error &e) {
    if (e.code() != HFFT_ERROR_UNSUPPORTED) throw;
    throw InputError(std::string("--device gpu+cpu: ") + e.what());
  }
}

template <class Real>
LocalGrid part_of(const Parameters &p, const std::optional<Decomposition> &decomposition,
                  const device::Runtime *device, const grid::Communicator &comm) {
  if (device != nullptr)
    return DeviceFourier<Real>::local_grid(p, decomposition ? &*decomposition : nullptr, comm);
  if (decomposition) return LocalFourier<Real>::local_grid(p, *decomposition, comm);
  const bool fused = FusedFourier<Real>::applies(p, comm);
  return LocalGrid::slab(
      p.n, comm, fused ? LocalGrid::Rows::aligned : LocalGrid::Rows::transformable, sizeof(Real));
}

template <class Real>
std::unique_ptr<Derivative<Real>> make_derivative(const DerivativeUse &use, Field<Real> &scratch,
                                                  std::string &device_text) {
  const auto &[options, parameters, decomposition, local, comm, exec, at_once] = use;
  if (exec.device != nullptr) return make_on_device<Real>(use, device_text);
  if (decomposition)
    return std::make_unique<LocalFourier<Real>>(parameters, *decomposition, local, comm, exec.host,
                                                options.effort);
  if (FusedFourier<Real>::applies(parameters, comm))
    return std::make_unique<FusedFourier<Real>>(parameters, local, comm, exec.host);
  std::unique_ptr<Derivative<Real>> derivative;
  if (parameters.axisymmetric)
    derivative = std::make_unique<AxisymmetricFourier<Real>>(parameters, local, comm, exec.host,
                                                             options.effort, scratch);
  else
    derivative = std::make_unique<GlobalFourier<Real>>(parameters, local, comm, exec.host,
                                                       options.effort, scratch);
  // Planning may overwrite the array.
  std::fill(scratch.real().begin(), scratch.real().end(), 0.0F);
  return derivative;
}

template std::vector<double> seconds_of_ranks<float>(const SimulationOptions &options,
                                                     device::Runtime *device,
                                                     const grid::Communicator &comm);
template LocalGrid part_of<float>(const Parameters &p,
                                  const std::optional<Decomposition> &decomposition,
                                  const device::Runtime *device, const grid::Communicator &comm);
template std::vector<double> seconds_of_ranks<double>(const SimulationOptions &options,
                                                      device::Runtime *device,
                                                      const grid::Communicator &comm);
template LocalGrid part_of<double>(const Parameters &p,
                                   const std::optional<Decomposition> &decomposition,
                                   const device::Runtime *device, const grid::Communicator &comm);
template std::unique_ptr<Derivative<float>>
make_derivative(const DerivativeUse &use, Field<float> &scratch, std::string &device_text);
template std::unique_ptr<Derivative<double>>
make_derivative(const DerivativeUse &use, Field<double> &scratch, std::string &device_text);

} // namespace hybridfft::kspace
