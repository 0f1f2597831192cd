/// State of the fields of an operator plan: the kind of sweep allowed to read each of them next.
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

/// Halves of an operator: sweeps over planes and sweeps over lines. Each exchanges its written
/// fields for the other half.
enum class Half : char { planes, lines };

class FieldTable {
public:
  explicit FieldTable(int fields) : readers_(static_cast<std::size_t>(fields)) {}
  int size() const { return static_cast<int>(readers_.size()); }

  /// Throws Failure(HFFT_ERROR_ARGUMENT) unless this half may read the field: the other half must
  /// have been the last to write it.
  void check_read(int field, Half by) const;
  /// Throws Failure(HFFT_ERROR_ARGUMENT) for unknown or repeated fields.
  void check_written(std::span<const int> fields) const;
  /// Records a write of the fields by a half, complete or in part. Both halves may read a partly
  /// written field.
  void note_written(std::span<const int> fields, Half by, bool all);
  /// Marks all fields as not written.
  void forget();

private:
  enum class Reader : char { none, planes, lines, either };

  void check(int field) const;

  std::vector<Reader> readers_; ///< none: never written
};

} // namespace hybridfft
