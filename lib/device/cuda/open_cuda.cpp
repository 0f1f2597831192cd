#include "device/cuda/open_cuda.h"

#include <cstdlib>
#include <string>

#include "device/cuda/fft.h"
#include "device/cuda/library.h"
#include "device/cuda/runtime.h"
#include "device/runtime.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

namespace {

[[noreturn]] void refuse(const std::string &reason) { throw Error(HFFT_ERROR_UNSUPPORTED, reason); }

std::string visible_devices() {
  const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr ? "CUDA_VISIBLE_DEVICES is '" + std::string(visible) + "'"
                            : "CUDA_VISIBLE_DEVICES is not set";
}

/// Throws an error with the reason why CUDA finds no device.
[[noreturn]] void refuse_no_devices(cudaError_t status) {
  ignore(status);
  const std::string expected = version_text(CUDART_VERSION);
  int driver = 0;
  ignore(cudaDriverGetVersion(&driver));
  if (driver == 0)
    refuse("no GPU: found no NVIDIA driver (libcuda.so.1), expected one for CUDA " + expected);
  const std::string found = "found an NVIDIA driver for CUDA " + version_text(driver);
  if (status == cudaErrorInsufficientDriver)
    refuse("no GPU: " + found + ", expected one for CUDA " + expected + " or later");
  if (status == cudaErrorNoDevice || status == cudaSuccess)
    refuse("no GPU: " + found + ", but no device that this process sees; " + visible_devices());
  refuse("no GPU: " + found + ", but " + error_text(status) + "; " + visible_devices());
}

/// Throws an error with the reason why a device does not work.
[[noreturn]] void refuse_device(int device, cudaError_t status) {
  ignore(status);
  cudaDeviceProp properties{};
  ignore(cudaGetDeviceProperties(&properties, device));
  int mode = cudaComputeModeDefault;
  ignore(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device));
  const std::string gpu = "GPU " + std::to_string(device) + " (" + properties.name + ")";
  if (mode == cudaComputeModeProhibited)
    refuse(gpu + " may not be used: its compute mode is 'prohibited', expected 'default' "
                 "(nvidia-smi -c DEFAULT)");
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorUnsupportedPtxVersion ||
      status == cudaErrorInvalidPtx || status == cudaErrorInvalidDeviceFunction)
    refuse(gpu + " has compute capability " + std::to_string(properties.major) + "." +
           std::to_string(properties.minor) + ", and this build has no code for it, but for '" +
           HFFT_CUDA_ARCHITECTURES + "' (CMAKE_CUDA_ARCHITECTURES): " + error_text(status));
  refuse(gpu + " cannot be used: " + error_text(status));
}

/// True if `status` says that another process uses the device in the compute mode 'exclusive'.
bool in_use(int device, cudaError_t status) {
  int mode = cudaComputeModeDefault;
  ignore(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device));
  return mode != cudaComputeModeProhibited &&
         (status == cudaErrorDevicesUnavailable || status == cudaErrorDeviceAlreadyInUse);
}

/// Opens a device.
/// \return nullptr if another process uses it exclusively
std::unique_ptr<Runtime> open_device(int device) {
  cudaError_t status = cudaSetDevice(device);
  if (status == cudaSuccess) status = probe();
  if (status == cudaSuccess) return std::make_unique<CudaRuntime>(device);
  ignore(status);
  if (!in_use(device, status)) refuse_device(device, status);
  return nullptr;
}

} // namespace

} // namespace hybridfft::device::cuda

int hybridfft::device::count_cuda() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess) return devices;
  cuda::ignore(status);
  return 0;
}

std::unique_ptr<hybridfft::device::Runtime> hybridfft::device::open_cuda(int rank_on_node) {
  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (counted != cudaSuccess || devices == 0) cuda::refuse_no_devices(counted);
  cuda::cufft(); // throws unless cuFFT can be loaded
  auto runtime = open_first_free(rank_on_node, devices, cuda::open_device);
  if (runtime == nullptr)
    cuda::refuse("no GPU is free: " + none_is_free(devices) +
                 ", or the compute mode 'default' (nvidia-smi -c DEFAULT); " +
                 cuda::visible_devices());
  return runtime;
}
