/// Progress of long work on the standard error stream of rank 0.
#pragma once

#include <cstddef>
#include <string>

namespace hybridfft::tools {

/// Silent for the first seconds; then a percentage that is drawn anew on a terminal, and a line per
/// tenth of the work elsewhere.
class Progress {
public:
  /// \param speaks false on all ranks but one
  Progress(std::string label, std::size_t total, bool speaks);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void update(std::size_t done);

private:
  std::string label_;
  std::size_t total_;
  bool speaks_;
  bool terminal_;
  bool drawn_ = false;
  double last_;        ///< when something was drawn, seconds
  int next_tenth_ = 1; ///< to be reported where there is no terminal
};

} // namespace hybridfft::tools
