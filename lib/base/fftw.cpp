#include "base/fftw.h"

namespace hybridfft {

std::mutex &fftw_planner_mutex() {
  static std::mutex mutex;
  return mutex;
}

} // namespace hybridfft
