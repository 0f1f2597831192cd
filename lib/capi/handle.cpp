#include "capi/handle.h"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/error.h"
#include "base/mpi.h"
#include "capi/errors.h"
#include "capi/options.h"
#include "plan/arguments.h"
#include "plan/create.h"

namespace hybridfft::capi {

namespace {

void require_array(const void *p, const char *name) {
  if (p == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, std::string(name) + " is NULL");
}

void fill(const LocalBlock &block, const BlockDistribution &d, int rank) {
  if (block.count != nullptr) *block.count = d.count(rank);
  if (block.start != nullptr) *block.start = d.start(rank);
}

} // namespace

void require_communicator(MPI_Comm comm) {
  mpi::require_running();
  if (comm == MPI_COMM_NULL)
    throw Failure(HFFT_ERROR_NULL_POINTER, "the communicator is MPI_COMM_NULL");
  int inter = 0;
  mpi::check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  if (inter != 0)
    throw Failure(HFFT_ERROR_ARGUMENT,
                  "the communicator is an intercommunicator, expected an intracommunicator");
}

std::unique_ptr<plan::Plan> create(const SlabCall &call, MPI_Comm comm, const hfft_options *options,
                                   const std::function<void()> &prepare) {
  require_communicator(comm);
  const auto complete = [&](int ranks) {
    prepare();
    const hfft_options o = options_of(options);
    if (o.axes != nullptr)
      throw Failure(HFFT_ERROR_ARGUMENT,
                    "options.axes is given to a plan between slabs, expected NULL: all axes");
    plan::Arguments a{kind_of(call.kind), call.sign, call.rank, call.n,   o.howmany,
                      o.iblock,           o.oblock,  call.in,   call.out, o.flags};
    a.real_bytes = call.real_bytes;
    a.modes = o.modes;
    a.kinds = o.kinds;
    a.scale = o.scale;
    a.needs_modes = call.pruned || o.modes != nullptr;
    a.threads = threads_of(o);
    a.time_limit = time_limit_of(o);
    return plan::check(a, ranks);
  };
  return plan::create(comm, {std::cref(complete), notes_of(options), work_of(options)});
}

std::unique_ptr<plan::Plan> create(plan::TranspositionArguments arguments, MPI_Comm comm,
                                   const std::function<void()> &prepare) {
  require_communicator(comm);
  const auto complete = [&](int ranks) {
    prepare();
    const hfft_options o = options_of(nullptr);
    arguments.threads = threads_of(o);
    arguments.time_limit = time_limit_of(o);
    return plan::check(arguments, ranks);
  };
  return plan::create(comm, {std::cref(complete), notes_of(nullptr)});
}

namespace {

void require_executable(plan::Plan *plan, plan::Kind kind, const void *in, const void *out) {
  mpi::require_running();
  require_plan(plan);
  require_array(in, "the input array");
  require_array(out, "the output array");
  if (plan->kind() != kind)
    throw Failure(HFFT_ERROR_ARGUMENT, "the plan was made for another kind of transform");
  if (plan->in_place() != (in == out))
    throw Failure(HFFT_ERROR_ARGUMENT, plan->in_place()
                                           ? "the plan is in place, but in and out differ"
                                           : "the plan is out of place, but in and out are equal");
}

} // namespace

void execute(plan::Plan *plan, plan::Kind kind, void *in, void *out) {
  require_executable(plan, kind, in, out);
  plan->execute(in, out);
}

void start(plan::Plan *plan, plan::Kind kind, void *in, void *out) {
  require_executable(plan, kind, in, out);
  plan->start(in, out);
}

namespace {

/// Returns the size of hfft_stage_profile in the caller's version of the header. Throws Failure.
std::size_t stride_of(const hfft_stage_profile *stages, int capacity) {
  constexpr std::size_t of_0_3 = offsetof(hfft_stage_profile, flops) + sizeof(double);
  if (capacity < 1 || stages->size == 0) return of_0_3;
  if (stages->size < of_0_3)
    throw Failure(HFFT_ERROR_ARGUMENT, "stages[0].size is " + std::to_string(stages->size) +
                                           ", expected sizeof(struct hfft_stage_profile), " +
                                           std::to_string(of_0_3) + " or more");
  return stages->size;
}

} // namespace

void profile(plan::Plan *plan, hfft_stage_profile *stages, int capacity, int *count) {
  mpi::require_running();
  profile::Recorder &recorder = require_plan(plan).recorder();
  const std::vector<profile::Stage> &known = recorder.stages();
  if (count != nullptr) *count = static_cast<int>(known.size());
  if (stages == nullptr) return;
  std::size_t stride = 0;
  mpi::all_or_none(plan->comm()->get(), [&] { stride = stride_of(stages, capacity); });
  const std::vector<profile::StageProfile> times = recorder.profile(plan->comm()->get());
  const auto room = static_cast<std::size_t>(std::max(capacity, 0));
  auto *to = reinterpret_cast<std::byte *>(stages);
  for (std::size_t k = 0; k < std::min(room, known.size()); ++k, to += stride) {
    const profile::StageProfile &t = times[k];
    const hfft_stage_profile stage{
        stride, known[k].name.c_str(), t.calls,       t.seconds, t.min, t.mean,
        t.max,  known[k].bytes,        known[k].flops};
    std::memset(to, 0, stride);
    std::memcpy(to, &stage, std::min(stride, sizeof(stage)));
  }
}

std::ptrdiff_t local_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany,
                          std::ptrdiff_t block0, std::ptrdiff_t block1, MPI_Comm comm,
                          std::size_t real_bytes, LocalBlock first, LocalBlock second) {
  require_communicator(comm);
  const int me = mpi::rank(comm);
  const int ranks = mpi::size(comm);
  const std::ptrdiff_t size =
      plan::slab_size(rank, n, howmany, block0, block1, ranks, me, real_bytes);
  fill(first, BlockDistribution(n[0], ranks, block0), me);
  fill(second, BlockDistribution(n[1], ranks, block1), me);
  return size;
}

std::ptrdiff_t local_size_line(std::ptrdiff_t n, std::ptrdiff_t howmany, MPI_Comm comm,
                               unsigned flags, std::size_t real_bytes, LocalBlock in,
                               LocalBlock out) {
  require_communicator(comm);
  plan::Arguments line;
  line.rank = 1;
  line.n = &n;
  line.howmany = howmany;
  line.flags = flags;
  line.real_bytes = real_bytes;
  const plan::LineLayouts layouts = plan::line_layouts(line, mpi::size(comm));
  const int me = mpi::rank(comm);
  fill(in, layouts.in.axes().front().distribution, me);
  fill(out, layouts.out.axes().front().distribution, me);
  return std::max({std::ptrdiff_t{1}, layouts.in.local_size(me), layouts.out.local_size(me)});
}

std::ptrdiff_t local_size_pruned(int rank, const std::ptrdiff_t *n, const std::ptrdiff_t *modes,
                                 std::ptrdiff_t howmany, std::ptrdiff_t block0,
                                 std::ptrdiff_t block1, MPI_Comm comm, std::size_t real_bytes) {
  require_communicator(comm);
  if (modes == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, "the array of modes is NULL");
  const int ranks = mpi::size(comm);
  const int me = mpi::rank(comm);
  plan::check_extents(rank, n, howmany, 0, 0, ranks, real_bytes);
  plan::check_extents(rank, modes, howmany, block0, block1, ranks, real_bytes);
  std::ptrdiff_t most = 1;
  // A block size refers to the grid or to the spectrum. Blocks too small to cover the extent of an
  // array do not refer to this array.
  const auto consider = [&](const std::ptrdiff_t *extents, int axis, std::ptrdiff_t block) {
    if (block != 0 && block < (extents[axis] + ranks - 1) / ranks) return;
    std::ptrdiff_t points = BlockDistribution(extents[axis], ranks, block).count(me) * howmany;
    points *= n[1 - axis];
    for (int i = 2; i < rank; ++i)
      points *= extents[i];
    most = std::max(most, points);
  };
  for (const std::ptrdiff_t *extents : {n, modes})
    for (const int axis : {0, 1})
      for (const std::ptrdiff_t block : {std::ptrdiff_t{0}, axis == 0 ? block0 : block1})
        consider(extents, axis, block);
  return most;
}

namespace {

struct PlanFailure {
  std::mutex mutex;
  std::string reason;
};

/// Returns the stored failure. The object is never destroyed, because destructors of global objects
/// may make plans.
PlanFailure &last_failure() {
  static auto *instance = new PlanFailure;
  return *instance;
}

std::string message() {
  const std::lock_guard lock(last_failure().mutex);
  const std::string &reason = last_failure().reason;
  return "execution of a NULL plan" +
         (reason.empty() ? std::string() : ": the last plan failed: " + reason);
}

/// Returns an MPI error code with this text; MPI_ERR_OTHER if MPI has no more codes.
int code_with(std::string text) {
  static const int code = []() -> int {
    int error_class = MPI_ERR_OTHER;
    int error_code = MPI_ERR_OTHER;
    if (MPI_Add_error_class(&error_class) != MPI_SUCCESS ||
        MPI_Add_error_code(error_class, &error_code) != MPI_SUCCESS)
      return MPI_ERR_OTHER;
    return error_code;
  }();
  if (code == MPI_ERR_OTHER) return code;
  if (text.size() >= MPI_MAX_ERROR_STRING) text.resize(MPI_MAX_ERROR_STRING - 1);
  MPI_Add_error_string(code, text.data());
  return code;
}

/// Returns true if the handler is MPI's default, which ends the job.
bool ends_the_job() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler) != MPI_SUCCESS) return false;
  const bool fatal = handler == MPI_ERRORS_ARE_FATAL;
  MPI_Errhandler_free(&handler);
  return fatal;
}

void call_error_handler(const std::string &text) {
  // Print the message here, too, because Open MPI loses it in programs started without mpirun.
  if (ends_the_job()) std::fprintf(stderr, "libhybridfft: %s\n", text.c_str());
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, code_with(text));
}

} // namespace

void remember_plan_failure(const std::string &reason) noexcept {
  const std::lock_guard lock(last_failure().mutex);
  run_reporting([&] { last_failure().reason = reason; },
                [](hfft_error, const char *) { last_failure().reason.clear(); });
}

int report_null_plan() noexcept {
  bool running = false;
  const int result = guarded([&] {
    mpi::require_running();
    running = true;
    throw Failure(HFFT_ERROR_NULL_POINTER, message());
  });
  if (running) guarded([] { call_error_handler(last_error_message()); });
  return result;
}

} // namespace hybridfft::capi
