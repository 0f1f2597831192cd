/// Represents plans of HybridFFT as fftw_plan handles. Handles are addresses of a reserved range,
/// so one comparison distinguishes them from FFTW's plans.
#pragma once

#include <memory>

#include "fftw3_mpi/accelerated.h"

namespace hybridfft::fftw3_mpi {

/// Returns true if another handle is available.
bool room_for_handle() noexcept;

/// Returns a new handle for a plan, or nullptr if none is available. This function and all
/// functions below are thread-safe.
void *add_handle(std::unique_ptr<Accelerated> plan);

/// Returns true if a handle is, or was, a handle of HybridFFT.
bool is_ours(const void *handle) noexcept;

/// Returns the plan of a handle; nullptr for other pointers and after its removal.
Accelerated *plan_of(const void *handle) noexcept;

/// Invalidates a handle and returns its plan; nullptr for other pointers and after its removal.
std::unique_ptr<Accelerated> remove_handle(const void *handle);

} // namespace hybridfft::fftw3_mpi
