#include "io/handle.h"

#include <cctype>

#include "io/hdf5.h"

namespace hybridfft::io {

namespace {

/// Chooses one of the nested descriptions of an HDF5 error. The innermost is the most precise, but
/// errors of the operating system or of MPI are preferred. For a missing filter the outer one is
/// chosen, because the innermost is about a folder of plugins.
herr_t choose(unsigned n, const H5E_error2_t *error, void *data) {
  auto &reason = *static_cast<std::string *>(data);
  const std::string text = error->desc != nullptr ? error->desc : "";
  if (text.starts_with("required filter")) {
    reason = text;
    return 1;
  }
  const bool from_outside = error->min_num == H5E_MPIERRSTR ||
                            text.find("error message") != std::string::npos ||
                            text.find("errno") != std::string::npos;
  if (n == 0 || from_outside) reason = text;
  return 0;
}

/// Extracts the summary from "..., errno = 28, error message = 'No space left on device', ...".
std::string message_part(const std::string &text) {
  const std::string key = "error message = '";
  const std::size_t start = text.find(key);
  if (start == std::string::npos) return text;
  const std::size_t end = text.find('\'', start + key.size());
  return text.substr(start + key.size(), end - start - key.size());
}

} // namespace

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

std::string last_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, choose, &reason);
  reason = message_part(reason);
  while (!reason.empty() && std::isspace(static_cast<unsigned char>(reason.back())) != 0)
    reason.pop_back();
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

void check(herr_t status, const std::string &context) {
  if (status < 0) throw IoError(context + ": " + last_reason());
}

Handle own(hid_t id, Handle::Close close, const std::string &context) {
  if (id < 0) throw IoError(context + ": " + last_reason());
  return {id, close};
}

} // namespace hybridfft::io
