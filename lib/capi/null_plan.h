/// Executions of plans that do not exist: programs written for FFTW never look at return codes.
#pragma once

#include <string>

namespace hybridfft::capi {

/// Remembers why the last plan call of this process returned NULL.
void remember_plan_failure(const std::string &reason) noexcept;

/// Handles the execution of a NULL plan: sets the last error, whose message is the reason why the
/// last plan failed, and calls the error handler of MPI_COMM_WORLD with an error code that carries
/// the message, after a line on standard error where that handler is MPI_ERRORS_ARE_FATAL. Returns
/// HFFT_ERROR_NULL_POINTER when the handler returns; while MPI does not run there is none to call,
/// and the error is HFFT_ERROR_MPI_NOT_RUNNING.
int tell_null_plan() noexcept;

} // namespace hybridfft::capi
