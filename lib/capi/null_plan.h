/// Executions of NULL plans: programs written for FFTW never check return codes.
#pragma once

#include <string>

namespace hybridfft::capi {

/// Stores the reason of the last plan call of this process that returned NULL.
void remember_plan_failure(const std::string &reason) noexcept;

/// Handles the execution of a NULL plan. It sets the last error to the stored reason and calls the
/// error handler of MPI_COMM_WORLD with an error code of this message. If the handler is
/// MPI_ERRORS_ARE_FATAL, it first prints a line on standard error. Returns HFFT_ERROR_NULL_POINTER
/// if the handler returns. If MPI does not run there is no handler, and the error is
/// HFFT_ERROR_MPI_NOT_RUNNING.
int report_null_plan() noexcept;

} // namespace hybridfft::capi
