#include "capi/options.h"

#include <mpi.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/mpi.h"
#include "capi/errors.h"
#include "capi/handle.h"
#include "plan/problem.h"
#include "wisdom/store.h"

namespace hybridfft::capi {

namespace {

std::atomic<double> time_limit{HFFT_NO_TIMELIMIT};

/// Size in bytes of the first version of hfft_options.
constexpr std::size_t smallest = offsetof(hfft_options, work) + sizeof(hfft_work);

/// Returns true if the caller passed options of at least the size of the first version.
bool is_readable(const hfft_options *options) {
  return options != nullptr && options->size >= smallest;
}

/// Throws Failure if a program compiled with a later version sets members that this version does
/// not have.
void require_nothing_more(const hfft_options *options) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(options);
  if (std::any_of(bytes + sizeof(hfft_options), bytes + options->size,
                  [](unsigned char b) { return b != 0; }))
    throw Failure(HFFT_ERROR_UNSUPPORTED,
                  "options.size is " + std::to_string(options->size) +
                      ", that of a later version, with options that version " HFFT_VERSION
                      " of the library, whose size is " +
                      std::to_string(sizeof(hfft_options)) + ", does not know");
}

} // namespace

WorkMemory &require_work(hfft_work work) {
  if (work == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, "the work space is NULL");
  return *work->space;
}

hfft_options options_of(const hfft_options *options) {
  hfft_options known = HFFT_OPTIONS_INIT;
  if (options == nullptr) return known;
  if (options->size < smallest)
    throw Failure(HFFT_ERROR_ARGUMENT, "options.size is " + std::to_string(options->size) +
                                           ", expected " + std::to_string(sizeof(known)) +
                                           ": initialise with HFFT_OPTIONS_INIT");
  if (options->size > sizeof(known)) require_nothing_more(options);
  std::memcpy(&known, options, std::min(options->size, sizeof(known)));
  known.size = sizeof(known);
  return known;
}

int threads_of(const hfft_options &options) {
  if (options.threads < 0 || options.threads > plan::max_threads)
    throw Failure(HFFT_ERROR_ARGUMENT, "options.threads is " + std::to_string(options.threads) +
                                           ", expected 0 (the default) to " +
                                           std::to_string(plan::max_threads));
  const int threads = effective_threads(options.threads);
  require_thread_level(threads);
  return threads;
}

std::string (*notes_of(const hfft_options *options))() {
  return is_readable(options) && options->threads > 0 ? nullptr : why_one_thread;
}

std::shared_ptr<WorkMemory> work_of(const hfft_options *options) {
  return is_readable(options) && options->work != nullptr ? options->work->space : nullptr;
}

void set_time_limit(double seconds) { time_limit = seconds; }

double planner_time_limit() { return time_limit; }

double time_limit_of(const hfft_options &options) {
  if (std::isnan(options.time_limit))
    throw Failure(HFFT_ERROR_ARGUMENT,
                  "options.time_limit is not a number, expected seconds, or -1 for the default");
  return options.time_limit < 0 ? planner_time_limit() : options.time_limit;
}

local::Kind kind_of(int kind) {
  switch (kind) {
  case HFFT_C2C:
    return local::Kind::c2c;
  case HFFT_R2C:
    return local::Kind::r2c;
  case HFFT_C2R:
    return local::Kind::c2r;
  case HFFT_R2R:
    return local::Kind::r2r;
  default:
    throw Failure(HFFT_ERROR_ARGUMENT, "kind is " + std::to_string(kind) +
                                           ", expected HFFT_C2C, HFFT_R2C, HFFT_C2R or HFFT_R2R");
  }
}

} // namespace hybridfft::capi

using hybridfft::capi::guarded;

extern "C" {

void hfft_options_init(hfft_options *options) {
  if (options != nullptr) *options = HFFT_OPTIONS_INIT;
}

hfft_work hfft_work_create(void) {
  hfft_work work = nullptr;
  guarded([&] { work = new hfft_work_s{std::make_shared<hybridfft::WorkMemory>()}; });
  return work;
}

void hfft_work_destroy(hfft_work work) { delete work; }

size_t hfft_work_size(hfft_work work) {
  size_t bytes = 0;
  guarded([&] { bytes = hybridfft::capi::require_work(work).needed(); });
  return bytes;
}

int hfft_work_set_memory(hfft_work work, void *memory, size_t bytes) {
  return guarded([=] { hybridfft::capi::require_work(work).give(memory, bytes); });
}
}

namespace hybridfft::capi {

namespace {

std::atomic<int> of_process{0};

void require_count(int threads) {
  if (threads < 0 || threads > plan::max_threads)
    throw Failure(HFFT_ERROR_ARGUMENT, "nthreads is " + std::to_string(threads) +
                                           ", expected 0 (OMP_NUM_THREADS) to " +
                                           std::to_string(plan::max_threads));
}

/// Returns MPI's thread level. Before MPI_Init it returns MPI_THREAD_FUNNELED, because the program
/// may still request this level.
int thread_level() {
  if (!mpi::running()) return MPI_THREAD_FUNNELED;
  int level = MPI_THREAD_SINGLE;
  mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

bool is_default() {
  if (of_process > 0) return false;
  const char *variable = std::getenv("OMP_NUM_THREADS");
  return variable == nullptr || *variable == '\0';
}

/// Returns true if MPI's thread level limits the default number of threads to one. Only the default
/// is reduced; a number set by the program or by OMP_NUM_THREADS is refused with an error.
bool held_to_one() { return is_default() && thread_level() < MPI_THREAD_FUNNELED; }

} // namespace

int planner_threads() { return of_process; }

void set_planner_threads(int threads) {
  require_count(threads);
  of_process = threads;
}

int effective_threads(int wanted) {
  require_count(wanted);
  if (wanted > 0) return wanted;
  if (of_process > 0) return of_process;
  return held_to_one() ? 1 : std::min(omp_get_max_threads(), plan::max_threads);
}

std::string why_one_thread() {
  if (!held_to_one() || omp_get_max_threads() == 1) return "";
  return "one thread, as MPI provides MPI_THREAD_SINGLE: for " +
         std::to_string(omp_get_max_threads()) + " call MPI_Init_thread with MPI_THREAD_FUNNELED\n";
}

void require_thread_level(int threads) {
  if (threads > 1 && thread_level() < MPI_THREAD_FUNNELED)
    throw Failure(HFFT_ERROR_THREAD_LEVEL,
                  std::to_string(threads) +
                      " threads per rank need MPI_THREAD_FUNNELED, but MPI provides "
                      "MPI_THREAD_SINGLE: call MPI_Init_thread, or set one thread "
                      "(OMP_NUM_THREADS=1 or hfft_plan_with_nthreads(1))");
}

namespace {

template <class F> int succeeds(const F &body) { return guarded(body) == HFFT_SUCCESS ? 1 : 0; }

const char *required(const char *text, const char *name) {
  if (text == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, std::string(name) + " is NULL");
  return text;
}

} // namespace

int export_wisdom(const char *filename) {
  return succeeds(
      [=] { wisdom::write_wisdom(required(filename, "the file name"), wisdom::known_wisdom()); });
}

int import_wisdom(const char *filename) {
  return succeeds([=] { wisdom::learn(wisdom::read_wisdom(required(filename, "the file name"))); });
}

int import_wisdom_text(const char *text) {
  return succeeds([=] {
    wisdom::learn(
        wisdom::Wisdom::parse(required(text, "the text of wisdom"), "the text of wisdom"));
  });
}

int broadcast_wisdom(MPI_Comm comm) {
  return succeeds([=] {
    require_communicator(comm);
    wisdom::broadcast_wisdom(*exchange::acquire(comm));
  });
}

int gather_wisdom(MPI_Comm comm) {
  return succeeds([=] {
    require_communicator(comm);
    wisdom::gather_wisdom(*exchange::acquire(comm));
  });
}

char *wisdom_text() {
  char *copy = nullptr;
  guarded([&] {
    const std::string text = wisdom::known_wisdom().text();
    copy = static_cast<char *>(std::malloc(text.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
  });
  return copy;
}

void forget_wisdom() {
  guarded([] { wisdom::forget_wisdom(); });
}

} // namespace hybridfft::capi
