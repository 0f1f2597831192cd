/// Handles of HybridFFT's plans as fftw_plan. They are addresses of a reserved range, so one
/// comparison distinguishes them from FFTW's plans.
#pragma once

#include <memory>

#include "fftw3_mpi/accelerated.h"

namespace hybridfft::fftw3_mpi {

/// Returns true if another handle is available.
bool room_for_handle() noexcept;

/// Returns a handle for a plan; nullptr if none is available. All these functions are thread-safe.
void *add_handle(std::unique_ptr<Accelerated> plan);

/// Returns true if a handle is, or was, one of HybridFFT's.
bool is_ours(const void *handle) noexcept;

/// Returns the plan of a handle of HybridFFT; nullptr after its removal.
Accelerated *plan_of(const void *handle) noexcept;

/// Invalidates a handle of HybridFFT and returns its plan; nullptr after its removal.
std::unique_ptr<Accelerated> remove_handle(const void *handle);

} // namespace hybridfft::fftw3_mpi
