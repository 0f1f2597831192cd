#include "device/cuda/cufft.h"

#include "device/cuda/shared_library.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

namespace {

Cufft load() {
  SharedLibrary library("libcufft.so." + std::to_string(CUFFT_VER_MAJOR));
  Cufft f;
  library.find(f.get_version, "cufftGetVersion");
  library.find(f.create, "cufftCreate");
  library.find(f.destroy, "cufftDestroy");
  library.find(f.set_auto_allocation, "cufftSetAutoAllocation");
  library.find(f.make_plan_many, "cufftMakePlanMany64");
  library.find(f.get_size_many, "cufftGetSizeMany64");
  library.find(f.set_work_area, "cufftSetWorkArea");
  library.find(f.set_stream, "cufftSetStream");
  library.find(f.exec_r2c, "cufftExecR2C");
  library.find(f.exec_c2r, "cufftExecC2R");
  library.find(f.exec_d2z, "cufftExecD2Z");
  library.find(f.exec_z2d, "cufftExecZ2D");
  if (!library.problem().empty())
    throw Error(HFFT_ERROR_UNSUPPORTED, "Fourier transforms on the GPU need cuFFT " +
                                            std::to_string(CUFFT_VER_MAJOR) +
                                            ", which cannot be loaded: " + library.problem() +
                                            "; LD_LIBRARY_PATH may name its directory");
  return f;
}

const char *name_of(cufftResult status) {
  switch (status) {
  case CUFFT_INVALID_PLAN:
    return "CUFFT_INVALID_PLAN";
  case CUFFT_ALLOC_FAILED:
    return "CUFFT_ALLOC_FAILED";
  case CUFFT_INVALID_TYPE:
    return "CUFFT_INVALID_TYPE";
  case CUFFT_INVALID_VALUE:
    return "CUFFT_INVALID_VALUE";
  case CUFFT_INTERNAL_ERROR:
    return "CUFFT_INTERNAL_ERROR";
  case CUFFT_EXEC_FAILED:
    return "CUFFT_EXEC_FAILED";
  case CUFFT_SETUP_FAILED:
    return "CUFFT_SETUP_FAILED";
  case CUFFT_INVALID_SIZE:
    return "CUFFT_INVALID_SIZE";
  case CUFFT_UNALIGNED_DATA:
    return "CUFFT_UNALIGNED_DATA";
  case CUFFT_INVALID_DEVICE:
    return "CUFFT_INVALID_DEVICE";
  case CUFFT_NO_WORKSPACE:
    return "CUFFT_NO_WORKSPACE";
  case CUFFT_NOT_IMPLEMENTED:
    return "CUFFT_NOT_IMPLEMENTED";
  case CUFFT_NOT_SUPPORTED:
    return "CUFFT_NOT_SUPPORTED";
  default:
    return "an unknown result";
  }
}

} // namespace

const Cufft &cufft() {
  static const Cufft functions = load();
  return functions;
}

void check(cufftResult status, const char *call) {
  if (status == CUFFT_SUCCESS) return;
  throw Error(status == CUFFT_ALLOC_FAILED ? HFFT_ERROR_OUT_OF_MEMORY : HFFT_ERROR_INTERNAL,
              std::string("cuFFT: ") + call + " failed: " + name_of(status) + " (" +
                  std::to_string(static_cast<int>(status)) + ")");
}

} // namespace hybridfft::device::cuda
