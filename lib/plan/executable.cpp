#include "plan/executable.h"

#include "base/error.h"

namespace hybridfft::plan {

namespace {

[[noreturn]] void refuse_background() {
  throw Failure(HFFT_ERROR_UNSUPPORTED,
                "plans between layouts cannot be executed in the background, expected a plan "
                "between slabs");
}

} // namespace

void Executable::start(void *, void *) { refuse_background(); }
bool Executable::test() { refuse_background(); }
void Executable::wait() { refuse_background(); }

} // namespace hybridfft::plan
