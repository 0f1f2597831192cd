/// cuFFT's functions, from its shared library.
#pragma once

#include <cufft.h>

#include <string>

namespace hybridfft::device::cuda {

/// The functions that are used here, under their names without "cufft".
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

/// Throws Error(HFFT_ERROR_UNSUPPORTED), with the loader's reason, where there is none.
const Cufft &cufft();

/// Throws Error for a result of cuFFT that is no success; HFFT_ERROR_OUT_OF_MEMORY for too little
/// memory.
void check(cufftResult status, const char *call);

} // namespace hybridfft::device::cuda
