/// Exceptions for bad input of the solver, thrown on all ranks alike, and their translation to
/// hybridfft::Error, the only exception type of the public interface. Control characters in
/// messages are escaped by printable().
#pragma once

#include <stdexcept>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "io/hdf5.h"

namespace hybridfft::kspace {

/// The input is wrong. The message names the file, the dataset or attribute, the value found and
/// the value expected.
class InputError : public std::runtime_error {
public:
  explicit InputError(const std::string &message) : std::runtime_error(printable(message)) {}
};

/// The input is valid, but this version lacks physics that the input or the options need.
class Unsupported : public std::runtime_error {
public:
  explicit Unsupported(const std::string &message) : std::runtime_error(printable(message)) {}
};

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
