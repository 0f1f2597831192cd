// The sweeps of an operator plan and the exchanges of its fields. With messages, each field has two
// buffers: one for received data, and one for data being written.
#include "operators/operator_plan.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft {

namespace {

/// Number of buffers in addition to two per field. With a free buffer a field can be sent chunk by
/// chunk while it is written and other fields are in flight.
constexpr std::size_t spare_buffers = 2;

std::string name_of(Half half) { return half == Half::planes ? "planes" : "lines"; }
Half other(Half half) { return half == Half::planes ? Half::lines : Half::planes; }

plan::Operation operation_of(const std::vector<std::shared_ptr<exchange::Exchange>> &exchanges) {
  plan::Operation o;
  o.exchanges = exchanges;
  o.receives_early = o.sends_late = exchanges.front()->chunked() != nullptr;
  return o;
}

} // namespace

FieldProgram::FieldProgram(const exchange::FieldExchanges &exchanges,
                           std::unique_ptr<local::Pass> planes, std::unique_ptr<local::Pass> lines,
                           int threads)
    : exchanges_(exchanges), states_(exchanges.forward.size()), lanes_(2 * states_.size()) {
  std::vector<plan::Operation> operations(4);
  operations[at_planes].pass = std::move(planes);
  operations[at_forward] = operation_of(exchanges_.forward);
  operations[at_lines].pass = std::move(lines);
  operations[at_backward] = operation_of(exchanges_.backward);
  program_ = plan::Program(std::move(operations), {}, threads);
  program_.tag_slot(exchange::Communicator::ordered_tag_slot);
  if (sends_messages()) make_buffers(threads);
}

void FieldProgram::check(int field) const {
  if (field < 0 || field >= fields())
    refuse_operator(HFFT_ERROR_ARGUMENT, "field ", field, ", expected 0 to ", fields() - 1);
}

void FieldProgram::check_read(int field, Half by) const {
  check(field);
  const FieldState &state = states_[static_cast<std::size_t>(field)];
  if (by == Half::planes ? state.for_planes : state.for_lines) return;
  refuse_operator(HFFT_ERROR_ARGUMENT, "a sweep over ", name_of(by), " reads field ", field,
                  ", expected a sweep over ", name_of(other(by)), " to have written it before");
}

void FieldProgram::check_written(std::span<const int> fields) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    check(fields[i]);
    const auto before = fields.first(i);
    if (std::find(before.begin(), before.end(), fields[i]) != before.end())
      refuse_operator(HFFT_ERROR_ARGUMENT, "a sweep writes field ", fields[i], " twice");
  }
}

void FieldProgram::note_written(std::span<const int> fields, Half by, bool all) {
  for (const int field : fields) {
    at(field).for_planes = !all || by == Half::lines;
    at(field).for_lines = !all || by == Half::planes;
  }
}

void FieldProgram::make_buffers(int threads) {
  std::ptrdiff_t elements = 0;
  for (const auto *list : {&exchanges_.forward, &exchanges_.backward})
    for (const auto &e : *list)
      elements = std::max({elements, e->send().elements(), e->receive().elements()});
  const auto bytes = static_cast<std::size_t>(elements) * exchanges_.element_bytes;
  const std::size_t count = 2 * states_.size() + (in_chunks() ? spare_buffers : 0);
  free_.reserve(count);
  for (std::size_t b = 0; b < count; ++b) {
    memory_.emplace_back(bytes, threads);
    free_.push_back(static_cast<int>(b));
  }
}

FieldProgram::~FieldProgram() {
  if (!mpi::running()) return;
  try {
    for (std::size_t f = 0; f < states_.size(); ++f)
      arrive(static_cast<int>(f), nullptr);
  } catch (const Failure &) { // a destructor must not throw
  }
  cancel();
}

/// Returns a free buffer, or `none`.
int FieldProgram::take_free() {
  if (free_.empty()) return none;
  const int buffer = free_.back();
  free_.pop_back();
  return buffer;
}

/// Takes a free buffer; waits for exchanges if there is none. Each field needs at most two buffers:
/// one for received data, and one for data being written.
int FieldProgram::take(profile::Recorder *recorder) {
  for (std::size_t f = 0; f < states_.size() && free_.empty(); ++f)
    arrive(static_cast<int>(f), recorder);
  return take_free();
}

void FieldProgram::give_back(int &buffer) {
  if (buffer != none) free_.push_back(buffer);
  buffer = none;
}

void FieldProgram::arrive(int field, profile::Recorder *recorder) {
  FieldTransfer &t = at(field).last;
  if (!t.in_flight) return;
  program_.end_exchange(t.by, static_cast<std::size_t>(field), recorder);
  t.in_flight = false;
  give_back(t.sent);
}

void FieldProgram::open(Half half, std::span<const int> writes, profile::Recorder *recorder) {
  if (!sends_messages()) return;
  const std::size_t by = after(half);
  // All ranks must post receives in the order of the fields, whether or not they have free buffers.
  bool early = in_chunks();
  for (const int field : writes) {
    FieldState &state = at(field);
    if (state.last.by == by)
      arrive(field, recorder); // the former values were not read, and may be in flight
    state.next = {by, false, take(recorder), none};
    if (early) state.next.received = take_free();
    early = state.next.received != none;
  }
}

auto FieldProgram::side(const SplitRows &rows, const exchange::Exchange &e, int buffer) const
    -> Side {
  return {&rows, e.is_view() ? e.window() : data(buffer)};
}

auto FieldProgram::in(Half half, int field) const -> Side {
  const exchange::Exchange &e = exchange(before(half), field);
  return side(e.receive(), e, states_[static_cast<std::size_t>(field)].last.received);
}

auto FieldProgram::out(Half half, int field) const -> Side {
  const exchange::Exchange &e = exchange(after(half), field);
  return side(e.send(), e, states_[static_cast<std::size_t>(field)].next.sent);
}

void FieldProgram::run(Half half, std::span<const int> reads, std::span<const int> writes,
                       profile::Recorder *recorder) {
  std::size_t arriving = 0;
  for (const int field : reads)
    if (at(field).last.in_flight) {
      lanes_[arriving++] = lane(field, at(field).last);
      at(field).last.in_flight = false;
    }
  std::size_t leaving = 0;
  for (const int field : writes)
    if (at(field).next.received != none) lanes_[arriving + leaving++] = lane(field, at(field).next);
  const std::span<const plan::Lane> all(lanes_);
  program_.sweep(pass_of(half), all.first(arriving), all.subspan(arriving, leaving), recorder);
  for (std::size_t l = 0; l < arriving; ++l)
    give_back(at(static_cast<int>(lanes_[l].number)).last.sent);
  if (!sends_messages()) return;
  for (const int field : writes)
    depart(field, recorder);
}

/// Sends the rest of a completely written field, or all of it if its receive buffer was not
/// available earlier.
void FieldProgram::depart(int field, profile::Recorder *recorder) {
  FieldState &state = at(field);
  arrive(field, recorder);
  give_back(state.last.received);
  if (state.next.received == none) {
    state.next.received = take(recorder);
    program_.begin_exchange(state.next.by, lane(field, state.next), recorder);
  }
  state.last = std::exchange(state.next, {});
  state.last.in_flight = in_chunks();
  if (!state.last.in_flight) give_back(state.last.sent);
}

/// Marks all buffers as free, even if sends still read them. This is safe: the receivers of these
/// sends have lost the field, too.
void FieldProgram::cancel() noexcept {
  if (!program_.cancel())
    for (Memory &m : memory_)
      m.leave();
  for (FieldState &state : states_) {
    for (FieldTransfer *t : {&state.last, &state.next}) {
      give_back(t->sent);
      give_back(t->received);
    }
    state = {};
  }
}

std::size_t FieldProgram::bytes() const {
  std::size_t sum = 0;
  for (const Memory &m : memory_)
    sum += m.bytes();
  for (const auto &e : exchanges_.forward)
    sum += e->window_bytes();
  return sum;
}

} // namespace hybridfft
