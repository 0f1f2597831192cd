// Prints the frame, phases and progress bar of k-Wave's programs, with text broken into lines.
#include "support/solver_report.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <vector>

#include "base/text.h"

namespace hybridfft::tools {

namespace {

constexpr int width = 61; ///< width of the text within the frame

std::string line(const char *left, const char *right) {
  std::string text = left;
  for (int i = 0; i < width + 2; ++i)
    text += "─";
  return text + right + "\n";
}

/// Number of UTF-8 characters.
int length(const std::string &text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
  }));
}

/// Breaks a text between words into lines of at most `width` characters; a word longer than this is
/// not broken. Further lines begin with the same spaces as the first one.
std::vector<std::string> wrapped(const std::string &text) {
  const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
  const std::string indent = text.substr(0, spaces);
  std::vector<std::string> lines(1, indent);
  for (std::size_t at = spaces; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at + 1), text.size());
    const std::string word = text.substr(at, end - at); // includes the space before the word
    if (length(lines.back()) > static_cast<int>(spaces) &&
        length(lines.back()) + length(word) > width)
      lines.push_back(indent + word.substr(std::min(word.find_first_not_of(' '), word.size())));
    else
      lines.back() += word;
    at = end;
  }
  return lines;
}

template <class... Args> std::string format(const char *how, Args... args) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), how, args...);
  return text.data();
}

/// True if stdout is a terminal. Open MPI's mpirun gives every rank a pseudo-terminal without a
/// size, even if its own output is a file. In this case the stdout of the parent, mpirun, decides.
bool seen_on_terminal() {
  if (isatty(STDOUT_FILENO) == 0) return false;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return true;
  std::error_code error;
  const auto parent = "/proc/" + std::to_string(getppid()) + "/fd/1";
  const std::string target = std::filesystem::read_symlink(parent, error).string();
  return !error && (target.starts_with("/dev/pts/") || target.starts_with("/dev/tty"));
}

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

} // namespace

std::string duration(double seconds) {
  if (seconds < 60) return format("%.1fs", seconds);
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) return format("%ldm %02lds", whole / 60, whole % 60);
  return format("%ldh %02ldm", whole / 3600, whole % 3600 / 60);
}

void report_fatal_error(const std::string &reason) {
  const auto centred = [](const char *text) {
    const int room = width - static_cast<int>(std::string(text).size());
    return format("│ %*s%s%*s │\n", room / 2, "", text, room - room / 2, "");
  };
  // A long reason stays on one line, so users can search for it.
  std::string text = "Error: " + printable(reason);
  if (text.size() < width) text.resize(width, ' ');
  std::fflush(stdout);
  std::fputs((line("┌", "┐") + centred("!!! K-Wave experienced a fatal error !!!") +
              line("├", "┤") + "│ " + text + " │\n" + line("├", "┤") +
              centred("Execution terminated") + line("└", "┘"))
                 .c_str(),
             stderr);
}

void report_warning(const std::string &program, const std::string &reason) {
  std::fflush(stdout);
  std::fputs((program + ": warning: " + printable(reason) + "\n").c_str(), stderr);
}

SolverReport::SolverReport(bool speaks)
    : speaks_(speaks), terminal_(speaks && seen_on_terminal()) {}

void SolverReport::begin(const std::string &title) {
  if (!speaks_) return;
  std::fputs(line("┌", "┐").c_str(), stdout);
  std::printf("│ %-*s │\n", width, title.c_str());
  rule();
}

void SolverReport::rule() {
  if (speaks_) std::fputs(line("├", "┤").c_str(), stdout);
}

void SolverReport::item(const std::string &label, const std::string &value) {
  if (!speaks_) return;
  const std::string safe = printable(value);
  const int room = width - length(label) - length(safe);
  if (room > 0)
    std::printf("│ %s%*s%s │\n", label.c_str(), room, "", safe.c_str());
  else
    text(label + " " + safe);
}

void SolverReport::text(const std::string &lines) {
  if (!speaks_) return;
  std::istringstream in(lines);
  for (std::string one; std::getline(in, one);)
    for (const std::string &part : wrapped(printable(one)))
      std::printf("│ %s%*s │\n", part.c_str(), std::max(0, width - length(part)), "");
}

void SolverReport::phase(const std::string &label, const std::function<void()> &work,
                         LineOutput how) {
  const int room = width - static_cast<int>(label.size());
  if (speaks_) {
    if (how == LineOutput::whole) std::fflush(stdout);
    std::printf("│ %s", label.c_str());
    if (terminal_ || how == LineOutput::halves) std::fflush(stdout);
  }
  const auto outcome = [&](const char *word) {
    if (speaks_) std::printf("%*s │\n", room, word);
  };
  try {
    work();
  } catch (...) {
    outcome("Failed");
    if (speaks_) std::fputs(line("└", "┘").c_str(), stdout);
    throw;
  }
  outcome("Done");
}

void SolverReport::end(const std::string &title) {
  if (!speaks_) return;
  rule();
  std::printf("│ %-*s │\n", width, title.c_str());
  std::fputs(line("└", "┘").c_str(), stdout);
}

void SolverReport::begin_progress(std::int64_t total, int interval, std::int64_t done) {
  total_ = total;
  first_ = done;
  interval_ = interval;
  next_percent_ = static_cast<int>(100 * done / total) / interval * interval + interval;
  started_ = drawn_ = std::chrono::steady_clock::now();
  if (!speaks_ || terminal_) return;
  rule();
  std::printf("│ %-*s%*s%*s │\n", 19, "Simulation progress", 21, "Elapsed", 21, "Remaining");
  rule();
}

void SolverReport::progress(std::int64_t done) {
  if (!speaks_) return;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double elapsed = seconds_since(started_);
  const double remaining =
      elapsed * static_cast<double>(total_ - done) / static_cast<double>(done - first_);
  if (terminal_) {
    if (done < total_ && seconds_since(drawn_) < 0.1) return;
    drawn_ = std::chrono::steady_clock::now();
    bar(share, elapsed, remaining);
    if (done == total_) std::putchar('\n');
  } else if (const int percent = static_cast<int>(100 * share);
             percent >= next_percent_ || done == total_) {
    next_percent_ = percent / interval_ * interval_ + interval_;
    std::printf("│ %17d %%%*s%*s │\n", percent, 21, duration(elapsed).c_str(), 21,
                duration(remaining).c_str());
  }
  std::fflush(stdout);
}

void SolverReport::bar(double share, double elapsed, double remaining) {
  constexpr int cells = 24;
  const int full = static_cast<int>(share * cells);
  std::string drawn;
  for (int i = 0; i < cells; ++i)
    drawn += i < full ? "█" : "░";
  std::printf("\r│ %s %3d %%%*s%*s │", drawn.c_str(), static_cast<int>(100 * share), 15,
              duration(elapsed).c_str(), 16, (duration(remaining) + " left").c_str());
}

} // namespace hybridfft::tools
