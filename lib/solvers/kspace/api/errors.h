/// Translation of all exceptions to hybridfft::Error, the only exception type of the public
/// interface.
#pragma once

#include "base/error.h"
#include "io/hdf5.h"
#include "solvers/kspace/base/errors.h"

namespace hybridfft::kspace {

/// Returns body(). Converts each exception of the solver and its files to hybridfft::Error with the
/// matching code. Collective if body is; then all ranks throw the same error.
template <class Body> auto with_public_errors(const Body &body) {
  try {
    return body();
  } catch (const Error &) {
    throw;
  } catch (const InputError &e) {
    throw Error(HFFT_ERROR_ARGUMENT, e.what());
  } catch (const Unsupported &e) {
    throw Error(HFFT_ERROR_UNSUPPORTED, e.what());
  } catch (const io::IoError &e) {
    throw Error(HFFT_ERROR_ARGUMENT, e.what());
  } catch (const std::bad_alloc &e) {
    throw Error(HFFT_ERROR_OUT_OF_MEMORY, reason_of(e));
  } catch (const std::exception &e) {
    throw Error(HFFT_ERROR_INTERNAL, e.what());
  }
}

} // namespace hybridfft::kspace
