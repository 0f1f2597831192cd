/// Options of plans as the user gave them, and their translation for the planner.
#pragma once

#include <memory>
#include <string>

#include "base/memory.h"
#include "hybridfft/hybridfft.h"
#include "local/fft.h"

/// The target of hfft_work, which shares ownership with the plans that use it. Opaque to users.
struct hfft_work_s {
  std::shared_ptr<hybridfft::WorkMemory> space;
};

namespace hybridfft::capi {

/// The user's options as those of this version; the defaults for null. Throws Failure if the size
/// is that of no version, or if members that this version does not have are set.
hfft_options options_of(const hfft_options *options);

/// Threads per rank of a plan with these options. Throws Failure where there cannot be so many.
int threads_of(const hfft_options &options);

/// Lines for print_plan about the threads of a plan with these options, which may be null; none
/// where the options name a number.
std::string (*notes_of(const hfft_options *options))();

/// The work space that a plan with these options, which may be null, shares, if any.
std::shared_ptr<WorkMemory> work_of(const hfft_options *options);
/// Throws Failure for null.
WorkMemory &require_work(hfft_work work);

/// Seconds for plans made from now on; negative: no limit.
void set_time_limit(double seconds);
double planner_time_limit();
/// Seconds for a plan with these options; negative: no limit.
double time_limit_of(const hfft_options &options);

/// The kind for a number of enum hfft_kind. Throws Failure for other numbers.
local::Kind kind_of(int kind);

} // namespace hybridfft::capi
