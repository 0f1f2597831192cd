#include "capi/wisdom.h"

#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "capi/errors.h"
#include "capi/handle.h"
#include "wisdom/store.h"

namespace hybridfft::capi {

namespace {

template <class F> int succeeds(const F &body) { return guarded(body) == HFFT_SUCCESS ? 1 : 0; }

const char *required(const char *text, const char *name) {
  if (text == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, std::string(name) + " is NULL");
  return text;
}

} // namespace

int export_wisdom(const char *filename) {
  return succeeds(
      [=] { wisdom::write_wisdom(required(filename, "the file name"), wisdom::known_wisdom()); });
}

int import_wisdom(const char *filename) {
  return succeeds([=] { wisdom::learn(wisdom::read_wisdom(required(filename, "the file name"))); });
}

int import_wisdom_text(const char *text) {
  return succeeds([=] {
    wisdom::learn(
        wisdom::Wisdom::parse(required(text, "the text of wisdom"), "the text of wisdom"));
  });
}

int broadcast_wisdom(MPI_Comm comm) {
  return succeeds([=] {
    require_communicator(comm);
    wisdom::broadcast_wisdom(*exchange::acquire(comm));
  });
}

int gather_wisdom(MPI_Comm comm) {
  return succeeds([=] {
    require_communicator(comm);
    wisdom::gather_wisdom(*exchange::acquire(comm));
  });
}

char *wisdom_text() {
  char *copy = nullptr;
  guarded([&] {
    const std::string text = wisdom::known_wisdom().text();
    copy = static_cast<char *>(std::malloc(text.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
  });
  return copy;
}

void forget_wisdom() {
  guarded([] { wisdom::forget_wisdom(); });
}

} // namespace hybridfft::capi
