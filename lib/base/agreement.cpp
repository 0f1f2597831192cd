#include "base/agreement.h"

#include <cstdint>
#include <limits>
#include <string>

#include "base/error.h"

namespace hybridfft {

void Agreement::add(AgreedNumber entry, std::initializer_list<std::int64_t> numbers) {
  if (used_numbers_ + numbers.size() > numbers_.size())
    throw Failure(HFFT_ERROR_INTERNAL, "more statements than ranks can agree on");
  entry.number = used_numbers_;
  for (const std::int64_t n : numbers)
    numbers_[used_numbers_++] = n;
  entries_[used_entries_++] = entry;
}

void Agreement::same(std::initializer_list<ConsistencyCheck> statements) {
  // One reduction yields maximum and minimum: the maximum of the negative value is minus the
  // minimum.
  for (const ConsistencyCheck &s : statements)
    add({Of::all, s}, {s.value, -s.value});
}

void Agreement::least(std::int64_t &value) { add({Of::least, {}, &value}, {-value}); }

void Agreement::first(std::int64_t &value) {
  add({Of::first, {}, &value},
      {mpi::rank(comm_) == 0 ? value : std::numeric_limits<std::int64_t>::min()});
}

void Agreement::settle() const {
  for (std::size_t i = 0; i < used_entries_; ++i) {
    const AgreedNumber &e = entries_[i];
    const std::int64_t largest = numbers_[e.number];
    if (e.of == Of::first) *e.value = largest;
    if (e.of == Of::least) *e.value = -largest;
    if (e.of != Of::all) continue;
    const std::int64_t smallest = -numbers_[e.number + 1];
    if (largest == smallest) continue;
    mpi::fail(HFFT_ERROR_MISMATCH, [&] {
      std::string reason = std::string("the ranks disagree on ") + e.statement.name;
      if (e.statement.number)
        reason += ": " + std::to_string(smallest) + " and " + std::to_string(largest);
      return reason;
    });
  }
}

} // namespace hybridfft
