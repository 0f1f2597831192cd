/// cuFFT's functions, loaded from its shared library at run time. Programs start without it.
#pragma once

#include <cufft.h>

#include <string>

namespace hybridfft::device::cuda {

/// The functions in use; their names lack the prefix "cufft".
struct Cufft {
  decltype(&cufftGetVersion) get_version = nullptr;
  decltype(&cufftCreate) create = nullptr;
  decltype(&cufftDestroy) destroy = nullptr;
  decltype(&cufftSetAutoAllocation) set_auto_allocation = nullptr;
  decltype(&cufftMakePlanMany64) make_plan_many = nullptr;
  decltype(&cufftGetSizeMany64) get_size_many = nullptr;
  decltype(&cufftSetWorkArea) set_work_area = nullptr;
  decltype(&cufftSetStream) set_stream = nullptr;
  decltype(&cufftExecR2C) exec_r2c = nullptr;
  decltype(&cufftExecC2R) exec_c2r = nullptr;
  decltype(&cufftExecD2Z) exec_d2z = nullptr;
  decltype(&cufftExecZ2D) exec_z2d = nullptr;
};

/// Loads cuFFT at the first call.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) with the loader's reason if cuFFT cannot be loaded
const Cufft &cufft();

/// Throws Error unless `status` is a success: HFFT_ERROR_OUT_OF_MEMORY if memory is short,
/// HFFT_ERROR_INTERNAL otherwise.
void check(cufftResult status, const char *call);

} // namespace hybridfft::device::cuda
