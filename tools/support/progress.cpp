// Prints at most five updates per second on a terminal, and one line for each tenth of the work
// elsewhere.
#include "support/progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace hybridfft::tools {

namespace {

constexpr double patience = 2.0; // seconds before the first output
constexpr double refresh = 0.2;  // seconds between two updates

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

ProgressLine::ProgressLine(std::string label, std::size_t total, bool speaks)
    : label_(std::move(label)), total_(total), speaks_(speaks && total > 0),
      terminal_(isatty(STDERR_FILENO) == 1), last_(now() + patience) {}

ProgressLine::~ProgressLine() {
  if (drawn_ && terminal_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::update(std::size_t done) {
  if (!speaks_ || now() < last_) return;
  const auto percent =
      static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total_));
  if (terminal_) {
    std::fprintf(stderr, "\r%s %3d %%", label_.c_str(), percent);
    last_ = now() + refresh;
  } else if (percent >= 10 * next_tenth_) {
    std::fprintf(stderr, "%s %3d %%\n", label_.c_str(), percent);
    next_tenth_ = percent / 10 + 1;
  }
  std::fflush(stderr);
  drawn_ = true;
}

} // namespace hybridfft::tools
