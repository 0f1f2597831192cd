/// The fields of an operator plan: which half of its program has written each, and may read it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace hybridfft {

[[noreturn]] inline void refuse_operator(hfft_error code, const std::string &reason) {
  throw Failure(code, "operator plan: " + reason);
}

class FieldTable {
public:
  /// The half that reads a field next; of a field that is written in parts, it is either.
  enum class Turn : char { none, planes, lines, either };

  explicit FieldTable(int fields) : turns_(static_cast<std::size_t>(fields)) {}
  int size() const { return static_cast<int>(turns_.size()); }

  /// Throws Failure unless it is this half's turn to read the field.
  void check_read(int field, Turn turn) const;
  /// Throws Failure where a sweep has a field twice among those that it writes.
  void check_written(std::span<const int> fields) const;
  void set(std::span<const int> fields, Turn turn);

private:
  void check(int field) const;

  std::vector<Turn> turns_;
};

} // namespace hybridfft
