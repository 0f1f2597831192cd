#include "operators/field_table.h"

#include <algorithm>

namespace hybridfft {

namespace {

std::string name_of(Half half) { return half == Half::planes ? "planes" : "lines"; }
Half other(Half half) { return half == Half::planes ? Half::lines : Half::planes; }

} // namespace

void FieldTable::check(int field) const {
  if (field < 0 || field >= size())
    refuse_operator(HFFT_ERROR_ARGUMENT, "field " + std::to_string(field) + ", expected 0 to " +
                                             std::to_string(size() - 1));
}

void FieldTable::check_read(int field, Half by) const {
  check(field);
  const Reader found = readers_[static_cast<std::size_t>(field)];
  if (found == Reader::either || found == (by == Half::planes ? Reader::planes : Reader::lines))
    return;
  refuse_operator(HFFT_ERROR_ARGUMENT, "a sweep over " + name_of(by) + " reads field " +
                                           std::to_string(field) + ", expected a sweep over " +
                                           name_of(other(by)) + " to have written it before");
}

void FieldTable::check_written(std::span<const int> fields) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    check(fields[i]);
    const auto before = fields.first(i);
    if (std::find(before.begin(), before.end(), fields[i]) != before.end())
      refuse_operator(HFFT_ERROR_ARGUMENT,
                      "a sweep writes field " + std::to_string(fields[i]) + " twice");
  }
}

void FieldTable::note_written(std::span<const int> fields, Half by, bool all) {
  const Reader reader = by == Half::planes ? Reader::lines : Reader::planes;
  for (const int field : fields)
    readers_[static_cast<std::size_t>(field)] = all ? reader : Reader::either;
}

void FieldTable::forget() { std::fill(readers_.begin(), readers_.end(), Reader::none); }

} // namespace hybridfft
