/// State of each field of an operator plan: the kind of sweep that may read it next.
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

/// The two halves of an operator: sweeps over planes and sweeps over lines. Each sends its written
/// fields to the other half.
enum class Half : char { planes, lines };

class FieldTable {
public:
  explicit FieldTable(int fields) : readers_(static_cast<std::size_t>(fields)) {}
  int size() const { return static_cast<int>(readers_.size()); }

  /// Throws Failure(HFFT_ERROR_ARGUMENT) unless `by` may read the field: the last write must have
  /// come from the other half.
  void check_read(int field, Half by) const;
  /// Throws Failure(HFFT_ERROR_ARGUMENT) for unknown or repeated fields.
  void check_written(std::span<const int> fields) const;
  /// Records that a half has written the fields, completely or in part. Both halves may read a
  /// partly written field.
  void note_written(std::span<const int> fields, Half by, bool all);
  /// Marks all fields as not written.
  void forget();

private:
  enum class Reader : char { none, planes, lines, either };

  void check(int field) const;

  std::vector<Reader> readers_; ///< none: never written
};

} // namespace hybridfft
