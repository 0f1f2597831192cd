/// Shows the progress of long operations on rank 0's standard error stream.
#pragma once

#include <cstddef>
#include <string>

namespace hybridfft::tools {

/// A line of text with the progress, shown after the first two seconds. On a terminal it updates a
/// percentage; elsewhere it prints a line for each tenth of the work.
class ProgressLine {
public:
  /// \param speaks false on all ranks except one
  ProgressLine(std::string label, std::size_t total, bool speaks);
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  void update(std::size_t done);

private:
  std::string label_;
  std::size_t total_;
  bool speaks_;
  bool terminal_;
  bool drawn_ = false;
  double last_;        ///< earliest time of the next update, in seconds
  int next_tenth_ = 1; ///< next tenth to print without a terminal
};

} // namespace hybridfft::tools
