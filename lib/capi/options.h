/// Parts shared by the C functions: the user's options of plans and their conversion for the
/// planner, the threads per rank, and wisdom.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "base/memory.h"
#include "hybridfft/hybridfft.h"
#include "local/fft.h"

/// Object behind the handle hfft_work. It owns the work space jointly with the plans that use it.
/// Opaque to users.
struct hfft_work_s {
  std::shared_ptr<hybridfft::WorkMemory> space;
};

namespace hybridfft::capi {

/// Converts user options to this version's; null means the defaults. Throws Failure if the size
/// matches no version, or if members unknown to this version are set.
hfft_options options_of(const hfft_options *options);

/// Returns the threads per rank of a plan with these options. Throws Failure if there are too many.
int threads_of(const hfft_options &options);

/// Returns the function that makes print_plan's lines about the threads of a plan; nullptr if the
/// options set the number of threads. `options` may be null.
std::string (*notes_of(const hfft_options *options))();

/// Returns the shared work space of these options, if any; the options may be null.
std::shared_ptr<WorkMemory> work_of(const hfft_options *options);
/// Returns the work space of a handle. Throws Failure for a null handle.
WorkMemory &require_work(hfft_work work);

/// Set and return the time limit of later plans in seconds; negative: no limit.
void set_time_limit(double seconds);
double planner_time_limit();
/// Returns the time limit of a plan with these options in seconds; negative: no limit.
double time_limit_of(const hfft_options &options);

/// Converts a value of enum hfft_kind. Throws Failure for other numbers.
local::Kind kind_of(int kind);

// Threads per rank of plans: the caller's number, or a default allowed by MPI.

/// Returns the number set by plan_with_nthreads for all threads of the process; 0: the default.
int planner_threads();
/// Sets the number of threads of later plans; 0: the default. Throws Failure for a negative number.
void set_planner_threads(int threads);

/// Returns the threads per rank of the next plan: `wanted`, or if it is 0, the number set by
/// plan_with_nthreads, else OMP_NUM_THREADS, else OpenMP's default. Instead of this default it
/// returns 1 if MPI's thread level allows no more. Throws Failure if `wanted` is negative or above
/// plan::max_threads.
int effective_threads(int wanted = 0);

/// Returns a line for print_plan if MPI's thread level restricts the default to one thread; else an
/// empty string.
std::string why_one_thread();

/// Throws Failure if `threads` is above 1 and MPI's thread level is below MPI_THREAD_FUNNELED.
void require_thread_level(int threads);

// The following functions return 1 on success. On failure they set the last error and return 0.
int export_wisdom(const char *filename);
int import_wisdom(const char *filename);
int import_wisdom_text(const char *text);
int broadcast_wisdom(MPI_Comm comm);
int gather_wisdom(MPI_Comm comm);

/// Returns the process's wisdom as text, freed by the caller with free(); nullptr on failure.
char *wisdom_text();
void forget_wisdom();

} // namespace hybridfft::capi
