/// The user's options of plans, and their conversion for the planner.
#pragma once

#include <memory>
#include <string>

#include "base/memory.h"
#include "hybridfft/hybridfft.h"
#include "local/fft.h"

/// Object of hfft_work; it shares ownership with the plans of the work space. Opaque to users.
struct hfft_work_s {
  std::shared_ptr<hybridfft::WorkMemory> space;
};

namespace hybridfft::capi {

/// Converts user options to this version's; null means the defaults. Throws Failure if the size
/// matches no version, or if members unknown to this version are set.
hfft_options options_of(const hfft_options *options);

/// Returns the threads per rank of a plan with these options. Throws Failure if there are too many.
int threads_of(const hfft_options &options);

/// Returns a function that returns print_plan's lines about the threads of a plan; it returns no
/// lines if the options set the number of threads. `options` may be null.
std::string (*notes_of(const hfft_options *options))();

/// Returns the shared work space of these options, if any; the options may be null.
std::shared_ptr<WorkMemory> work_of(const hfft_options *options);
/// Returns the work space of a handle. Throws Failure for a null handle.
WorkMemory &require_work(hfft_work work);

/// Sets the time limit of later plans in seconds; negative: no limit.
void set_time_limit(double seconds);
double planner_time_limit();
/// Returns the time limit of a plan with these options in seconds; negative: no limit.
double time_limit_of(const hfft_options &options);

/// Converts a value of enum hfft_kind. Throws Failure for other numbers.
local::Kind kind_of(int kind);

} // namespace hybridfft::capi
