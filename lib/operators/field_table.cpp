#include "operators/field_table.h"

#include <algorithm>

namespace hybridfft {

void FieldTable::check(int field) const {
  if (field < 0 || field >= size())
    refuse_operator(HFFT_ERROR_ARGUMENT, "field " + std::to_string(field) + ", expected 0 to " +
                                             std::to_string(size() - 1));
}

void FieldTable::check_read(int field, Turn turn) const {
  check(field);
  const Turn found = turns_[static_cast<std::size_t>(field)];
  if (found == turn || found == Turn::either) return;
  refuse_operator(HFFT_ERROR_ARGUMENT,
                  std::string("a sweep over ") + (turn == Turn::planes ? "planes" : "lines") +
                      " reads field " + std::to_string(field) + ", expected a sweep over " +
                      (turn == Turn::planes ? "lines" : "planes") + " to have written it before");
}

void FieldTable::check_written(std::span<const int> fields) const {
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    check(*field);
    if (std::find(fields.begin(), field, *field) != field)
      refuse_operator(HFFT_ERROR_ARGUMENT,
                      "a sweep writes field " + std::to_string(*field) + " twice");
  }
}

void FieldTable::set(std::span<const int> fields, Turn turn) {
  for (const int field : fields)
    turns_[static_cast<std::size_t>(field)] = turn;
}

} // namespace hybridfft
