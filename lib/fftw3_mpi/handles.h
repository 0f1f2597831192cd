/// The fftw_plans that are ours: addresses of a range that nothing else has, so that one comparison
/// distinguishes them from FFTW's.
#pragma once

#include <memory>

#include "fftw3_mpi/accelerated.h"

namespace hybridfft::fftw3_mpi {

/// True if there can be another handle.
bool room_for_handle() noexcept;

/// A handle for a plan; nullptr for none. Any thread may call any of these.
void *add_handle(std::unique_ptr<Accelerated> plan);

/// True if a handle is, or was, one of ours.
bool is_ours(const void *handle) noexcept;

/// The plan of a handle of ours; nullptr when it has been removed.
Accelerated *plan_of(const void *handle) noexcept;

/// Invalidates a handle of ours, and returns its plan; nullptr when it has been removed.
std::unique_ptr<Accelerated> remove_handle(const void *handle);

} // namespace hybridfft::fftw3_mpi
