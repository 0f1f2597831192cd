#include "plan/pass_list.h"

#include <string>
#include <utility>

#include "base/threads.h"

namespace hybridfft::plan {

namespace {

class PassList final : public local::Pass {
public:
  explicit PassList(std::vector<std::unique_ptr<local::Pass>> passes)
      : Pass(1), passes_(std::move(passes)) {}

  void execute(std::byte *source, std::byte *destination, local::RowRange,
               const Poll &poll) const override {
    for (const auto &p : passes_)
      p->execute(source, destination, {0, p->rows()}, poll);
  }
  bool in_place() const override { return false; }
  std::string describe() const override {
    return passes_.front()->describe() + ", in " + std::to_string(passes_.size()) + " parts";
  }
  std::size_t scratch_bytes() const override {
    std::size_t bytes = 0;
    for (const auto &p : passes_)
      bytes += p->scratch_bytes();
    return bytes;
  }

private:
  std::vector<std::unique_ptr<local::Pass>> passes_;
};

class PlaneListPass final : public local::Pass {
public:
  /// Steps in bytes, from one plane to the next.
  PlaneListPass(std::vector<PlaneWorker> workers, std::ptrdiff_t planes, std::ptrdiff_t source_step,
                std::ptrdiff_t destination_step)
      : Pass(1), workers_(std::move(workers)), planes_(planes), source_step_(source_step),
        destination_step_(destination_step) {}

  void execute(std::byte *source, std::byte *destination, local::RowRange,
               const Poll &poll) const override {
    parallel_ranges(planes_, static_cast<int>(workers_.size()),
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      // The parts of a plane are nothing to observe.
                      const PartObserver observer = std::exchange(part_observer, {});
                      for (std::ptrdiff_t i = first; i < last; ++i) {
                        transform(workers_[static_cast<std::size_t>(thread)],
                                  source + i * source_step_, destination + i * destination_step_);
                        if (thread == 0) poll();
                      }
                      part_observer = observer;
                    });
  }
  bool in_place() const override { return false; }
  std::string describe() const override {
    const PlaneWorker &w = workers_.front();
    return w.lines.front()->describe() + ", then " + w.columns.front()->describe() +
           ", of planes in cache, in " + std::to_string(w.lines.size()) + " and " +
           std::to_string(w.columns.size()) + " parts";
  }
  std::size_t scratch_bytes() const override {
    std::size_t bytes = 0;
    for (const PlaneWorker &w : workers_) {
      bytes += w.tile.bytes();
      for (const auto *list : {&w.lines, &w.columns})
        for (const auto &p : *list)
          bytes += p->scratch_bytes();
    }
    return bytes;
  }

private:
  static void transform(const PlaneWorker &w, std::byte *source, std::byte *destination) {
    for (const auto &p : w.lines)
      p->execute(source, w.tile.data(), {0, p->rows()}, Poll());
    for (const auto &p : w.columns)
      p->execute(w.tile.data(), destination, {0, p->rows()}, Poll());
  }

  std::vector<PlaneWorker> workers_;
  std::ptrdiff_t planes_, source_step_, destination_step_;
};

} // namespace

std::unique_ptr<local::Pass> make_pass_list(std::vector<std::unique_ptr<local::Pass>> passes) {
  return std::make_unique<PassList>(std::move(passes));
}

std::unique_ptr<local::Pass> make_plane_list_pass(std::vector<PlaneWorker> workers,
                                                  std::ptrdiff_t planes, std::ptrdiff_t source_step,
                                                  std::ptrdiff_t destination_step) {
  return std::make_unique<PlaneListPass>(std::move(workers), planes, source_step, destination_step);
}

} // namespace hybridfft::plan
