/// The fields of an operator plan, and which half of the program may read each of them next.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace hybridfft {

/// Throws Failure with this code.
[[noreturn]] inline void refuse_operator(hfft_error code, const std::string &reason) {
  throw Failure(code, "operator plan: " + reason);
}

/// The halves of an operator: sweeps over planes and sweeps over lines. Each exchanges the fields
/// that it writes, so that the other half finds them.
enum class Half : char { planes, lines };

class FieldTable {
public:
  explicit FieldTable(int fields) : readers_(static_cast<std::size_t>(fields)) {}
  int size() const { return static_cast<int>(readers_.size()); }

  /// Throws Failure(HFFT_ERROR_ARGUMENT) unless this half may read the field: unless the other one
  /// was the last to write it.
  void check_read(int field, Half by) const;
  /// Throws Failure(HFFT_ERROR_ARGUMENT) for fields that do not exist, or are there twice.
  void check_written(std::span<const int> fields) const;
  /// Notes which half has written the fields: all of each, or a part, which both halves may read.
  void note_written(std::span<const int> fields, Half by, bool all);
  /// No field has been written.
  void forget();

private:
  enum class Reader : char { none, planes, lines, either };

  void check(int field) const;

  std::vector<Reader> readers_; ///< none: never written
};

} // namespace hybridfft
