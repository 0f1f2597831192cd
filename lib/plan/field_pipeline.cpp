#include "plan/field_pipeline.h"

#include <algorithm>

#include "plan/recorder.h"

namespace hybridfft::plan {

FieldPipeline::FieldPipeline(std::vector<FieldStep> steps, std::ptrdiff_t fields,
                             FieldDistances distances, int threads)
    : steps_(std::move(steps)), fields_(fields), distances_(distances) {
  for (std::size_t k = 0; k < steps_.size(); ++k)
    if (!steps_[k].pass) exchanges_.push_back(k);
  assign(threads);
}

/// What an exchange sends and receives is kept for two fields; what lies between two passes is read
/// at once.
void FieldPipeline::assign(int threads) {
  std::vector<std::size_t> bytes;
  const auto buffer = [&](std::size_t size) {
    bytes.push_back(size);
    return static_cast<int>(bytes.size()) - 1;
  };
  std::array<int, 2> passing{-3, -3};
  std::array<int, 2> at{user_in, user_in};
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    Places p{at, {user_out, user_out}};
    if (k + 1 < steps_.size()) {
      const std::size_t size = steps_[k].destination_bytes;
      if (!steps_[k].pass || !steps_[k + 1].pass) {
        p.destination = {buffer(size), buffer(size)};
      } else {
        int &shared = passing[k % 2];
        if (shared < 0) shared = buffer(0);
        std::size_t &room = bytes[static_cast<std::size_t>(shared)];
        room = std::max(room, size);
        p.destination = {shared, shared};
      }
    }
    at = p.destination;
    places_.push_back(p);
  }
  for (const std::size_t size : bytes)
    buffers_.emplace_back(size, threads);
}

std::byte *FieldPipeline::at(int place, std::ptrdiff_t field, const Arrays &arrays) const {
  if (place == user_in) return arrays.in + field * distances_.in;
  if (place == user_out) return arrays.out + field * distances_.out;
  return buffers_[static_cast<std::size_t>(place)].data();
}

std::vector<Memory *> FieldPipeline::buffers() {
  std::vector<Memory *> list;
  for (Memory &m : buffers_)
    list.push_back(&m);
  return list;
}

std::size_t FieldPipeline::bytes() const {
  std::size_t sum = 0;
  for (const Memory &m : buffers_)
    sum += m.owned();
  for (const FieldStep &s : steps_)
    if (s.pass) sum += s.pass->scratch_bytes();
  return sum;
}

void FieldPipeline::poll() const noexcept {
  for (const std::size_t k : exchanges_)
    for (const auto &e : steps_[k].exchanges)
      e->poll();
}

void FieldPipeline::start(std::size_t step, std::ptrdiff_t field, const Arrays &arrays,
                          Recorder *recorder) const {
  const auto odd = static_cast<std::size_t>(field % 2);
  const StageSpan span(recorder, step);
  exchange::ChunkedExchange &e = *steps_[step].exchanges[odd];
  e.start(at(places_[step].source[odd], field, arrays),
          at(places_[step].destination[odd], field, arrays));
  e.rows_written(e.send().rows);
}

/// The passes between two exchanges: after the first has delivered, before the second is started.
void FieldPipeline::run_group(std::size_t group, std::ptrdiff_t field, const Arrays &arrays,
                              Recorder *recorder) const {
  const auto odd = static_cast<std::size_t>(field % 2);
  std::size_t k = 0;
  if (group > 0) {
    k = exchanges_[group - 1];
    const StageSpan span(recorder, k);
    steps_[k++].exchanges[odd]->finish();
  }
  auto progress = [this] { poll(); };
  for (; k < steps_.size() && steps_[k].pass; ++k) {
    const StageSpan span(recorder, k);
    steps_[k].pass->execute(at(places_[k].source[odd], field, arrays),
                            at(places_[k].destination[odd], field, arrays),
                            {0, steps_[k].pass->rows()}, Poll(progress));
  }
  if (k < steps_.size()) start(k, field, arrays, recorder);
}

/// The newest field first: what was sent before is under way meanwhile.
FieldPipeline::Turn FieldPipeline::turn(std::size_t step) const {
  const std::size_t group = step % groups();
  return {group, static_cast<std::ptrdiff_t>(step / groups()) - static_cast<std::ptrdiff_t>(group)};
}

bool FieldPipeline::advance(Progress &progress, const Addresses &addresses, Recorder *recorder,
                            bool waits) const {
  try {
    return go_on(progress, addresses, recorder, waits);
  } catch (...) {
    for (const std::size_t k : exchanges_)
      for (const auto &e : steps_[k].exchanges)
        e->cancel();
    throw;
  }
}

bool FieldPipeline::go_on(Progress &progress, const Addresses &addresses, Recorder *recorder,
                          bool waits) const {
  const Arrays arrays{plan::at(addresses, Place::in), plan::at(addresses, Place::out)};
  const std::size_t end = (static_cast<std::size_t>(fields_) + groups() - 1) * groups();
  for (; progress.step < end; ++progress.step) {
    const Turn t = turn(progress.step);
    if (!has_field(t)) continue;
    if (!waits && !ready(progress)) return false;
    run_group(t.group, t.field, arrays, recorder);
  }
  return true;
}

bool FieldPipeline::ready(const Progress &progress) const noexcept {
  const Turn t = turn(progress.step);
  if (!has_field(t) || t.group == 0) return true;
  const auto odd = static_cast<std::size_t>(t.field % 2);
  return steps_[exchanges_[t.group - 1]].exchanges[odd]->complete();
}

void FieldPipeline::number(int execution) const {
  for (const std::size_t k : exchanges_)
    for (const auto &e : steps_[k].exchanges)
      e->tag_slot(execution);
}

} // namespace hybridfft::plan
