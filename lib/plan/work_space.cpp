#include "plan/work_space.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace hybridfft::plan {

namespace {

void require_room(std::size_t found, std::size_t needed) {
  if (found < needed)
    throw Failure(HFFT_ERROR_ARGUMENT, "the work space has " + std::to_string(found) +
                                           " bytes, expected " + std::to_string(needed) +
                                           " or more");
}

} // namespace

void WorkSpace::reserve(std::size_t bytes, int threads) {
  require_free();
  if (is_given_) {
    require_room(given_, bytes);
  } else if (data_ == nullptr || bytes > own_.bytes()) {
    own_ = {}; // before the larger one
    data_ = nullptr;
    own_ = Memory(std::max(bytes, needed_), threads);
    data_ = own_.data();
  }
  needed_ = std::max(needed_, bytes);
  threads_ = threads;
}

void WorkSpace::give(void *memory, std::size_t bytes) {
  require_free();
  if (memory == nullptr) {
    if (is_given_) own_ = Memory(needed_, threads_);
    data_ = own_.data();
  } else {
    require_room(bytes, needed_);
    if (reinterpret_cast<std::uintptr_t>(memory) % alignment != 0)
      throw Failure(HFFT_ERROR_ARGUMENT,
                    "the memory of the work space begins " +
                        std::to_string(reinterpret_cast<std::uintptr_t>(memory) % alignment) +
                        " bytes after a multiple of " + std::to_string(alignment) +
                        ", expected a multiple");
    own_ = {};
    data_ = static_cast<std::byte *>(memory);
  }
  is_given_ = memory != nullptr;
  given_ = bytes;
}

void WorkSpace::require_free() const {
  if (in_use)
    throw Failure(HFFT_ERROR_ARGUMENT,
                  "the work space is used by an execution of another plan that "
                  "has been started and not been waited for");
}

} // namespace hybridfft::plan
