#include "plan/background.h"

#include <mpi.h>

#include <thread>

namespace hybridfft::plan {

namespace {

/// The first one of the thread where threads may call MPI at the same time, else of the process.
Background *&first() noexcept {
  static Background *of_process = nullptr;
  static thread_local Background *of_thread = nullptr;
  static const bool threaded = [] {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
  }();
  return threaded ? of_thread : of_process;
}

} // namespace

void Background::progress_all() noexcept {
  for (Background *b = first(); b != nullptr; b = b->next_)
    b->progress();
}

void Background::complete_all() noexcept {
  const auto all = [] {
    for (const Background *b = first(); b != nullptr; b = b->next_)
      if (!b->complete()) return false;
    return true;
  };
  while (!all()) {
    progress_all();
    std::this_thread::yield();
  }
}

void Background::enter() noexcept {
  next_ = first();
  previous_ = &first();
  if (next_ != nullptr) next_->previous_ = &next_;
  first() = this;
}

void Background::leave() noexcept {
  if (previous_ == nullptr) return;
  *previous_ = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  previous_ = nullptr;
}

bool Background::alone() const noexcept { return first() == this && next_ == nullptr; }

} // namespace hybridfft::plan
