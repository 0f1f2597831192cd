/// Plans of HybridFFT behind fftw_plan handles, and FFTW's functions on them: execute, copy,
/// destroy, print and cost. Handles are addresses of a reserved range, so one comparison
/// distinguishes them from FFTW's plans.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "plan/arguments.h"
#include "plan/create.h"

namespace hybridfft::fftw3_mpi {

/// Plan of HybridFFT behind an fftw_plan of the program.
struct Accelerated {
  explicit Accelerated(std::unique_ptr<plan::Plan> made);

  std::unique_ptr<plan::Plan> plan;
  double flops = 0;           ///< flops of one execution on this rank
  double bytes = 0;           ///< bytes read and written by one execution on this rank
  void *planned_in = nullptr; ///< arrays passed to the planner, used by fftw_execute()
  void *planned_out = nullptr;
  double seconds = 0; ///< seconds of one execution, measured during planning; 0: not measured
};

/// Makes the plan of a transform. Collective.
/// \param arguments returns the arguments; if it throws on any rank, all ranks throw Failure
std::unique_ptr<Accelerated> make_transform(MPI_Comm comm,
                                            const std::function<plan::Arguments()> &arguments);

/// Makes the plan of a transposition (fftw_mpi_plan_many_transpose). Collective.
/// \param arguments as for make_transform()
std::unique_ptr<Accelerated>
make_transposition(MPI_Comm comm, const std::function<plan::TranspositionArguments()> &arguments);

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

/// Execute a plan of HybridFFT on the planned arrays, or on other arrays. Return false for plans of
/// FFTW. FFTW's functions return no errors, so failures are printed to stderr and passed to the
/// error handler of MPI_COMM_WORLD.
bool execute_ours(const void *plan) noexcept;
bool execute_ours(const void *plan, void *in, void *out) noexcept;

/// Counts a copy of a plan of either library. A copy is the plan itself, but needs one more
/// destruction. FFTW has copy_plan since 3.3.11; the drop-in provides it with older versions.
void copy_plan(const void *plan);

/// Destroys a plan of HybridFFT. Returns true if nothing remains to be done, false if FFTW must
/// destroy the plan. A plan of either library with copies loses only one copy, and nothing remains
/// to be done. Plans of FFTW-MPI are not destroyed after MPI_Finalize.
bool destroy_ours(const void *plan) noexcept;

/// Returns the text of print_plan for a plan of HybridFFT.
std::string describe_ours(const void *plan);

/// Returns a cost comparable to FFTW's estimates: flops, plus a fraction of the bytes moved.
double estimated_cost(const Accelerated &plan);

} // namespace hybridfft::fftw3_mpi
