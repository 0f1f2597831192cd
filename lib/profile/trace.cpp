#include "profile/trace.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <thread>

#include "base/agreement.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/files.h"
#include "base/mpi.h"
#include "exchange/communicator.h"
#include "hybridfft/trace.hpp"

namespace hybridfft::profile {

namespace {

/// Maximum number of events per thread, of 24 bytes each.
constexpr std::size_t max_events = std::size_t{1} << 16;

/// Beginning of the file of a trace. It contains the first event; a comma precedes each further
/// one.
constexpr const char *head = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
                             "{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": 0, "
                             "\"args\": {\"sort_index\": 0}}";
constexpr const char *tail = "\n]}\n";

/// Returns the trace of this process. It is never destroyed, because MPI_Finalize writes it, and
/// the destructor of a global object may call MPI_Finalize.
std::unique_ptr<Trace> &own_trace() {
  static auto &trace = *new std::unique_ptr<Trace>;
  return trace;
}

/// Returns true on the thread that made the first plan; only this thread is traced. Concurrent
/// threads would overwrite each other's events, and could not agree with other ranks on a common
/// start.
bool is_traced_thread() {
  int level = MPI_THREAD_SINGLE;
  mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level < MPI_THREAD_MULTIPLE) return true;
  static const std::thread::id first = std::this_thread::get_id();
  return first == std::this_thread::get_id();
}

/// Called by MPI_Finalize when it frees MPI_COMM_SELF, before it does anything else (MPI 3.1,
/// section 8.7.1). It is the last opportunity for communication.
int leave(MPI_Comm, int, void *, void *) {
  own_trace()->write();
  own_trace().reset();
  return MPI_SUCCESS;
}

void write_on_finalize() {
  int keyval = MPI_KEYVAL_INVALID;
  mpi::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &keyval, nullptr),
             "MPI_Comm_create_keyval");
  mpi::check(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr), "MPI_Comm_set_attr");
  // The keyval exists as long as the attribute.
  mpi::check(MPI_Comm_free_keyval(&keyval), "MPI_Comm_free_keyval");
}

std::string wanted_file() { return environment_value("HFFT_TRACE"); }

/// Inserts a rank: "trace.json" becomes "trace.3.json" for first = 3.
std::string numbered(const std::string &file, int first) {
  if (first == 0) return file;
  const std::size_t folder = file.rfind('/');
  const std::size_t dot = file.rfind('.');
  const bool extension = dot != std::string::npos && (folder == std::string::npos || dot > folder);
  const std::size_t at = extension ? dot : file.size();
  return file.substr(0, at) + "." + std::to_string(first) + file.substr(at);
}

/// Runs f, and converts a FileError to a Failure.
template <class F> void writing(const std::string &file, const F &f) {
  try {
    f();
  } catch (const FileError &e) {
    throw wrong_variable("HFFT_TRACE", file,
                         "a file that can be written: " + std::string(e.what()));
  }
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

/// Formats microseconds with three decimals.
std::string microseconds(std::chrono::steady_clock::duration d) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.3f",
                std::chrono::duration<double, std::micro>(d).count());
  return text.data();
}

/// Passes the texts of all ranks to `take` on the first rank, in the order of ranks. Texts are sent
/// in pieces, since their total size may exceed MPI's counts.
template <class Take> void collect(const std::string &mine, MPI_Comm comm, const Take &take) {
  constexpr std::size_t piece = std::size_t{1} << 24;
  const int rank = mpi::rank(comm);
  for (int source = 0; source < mpi::size(comm); ++source) {
    if (rank != 0 && rank != source) continue;
    if (source == 0) {
      take(mine);
      continue;
    }
    unsigned long long left = mine.size();
    if (rank == 0)
      MPI_Recv(&left, 1, MPI_UNSIGNED_LONG_LONG, source, 0, comm, MPI_STATUS_IGNORE);
    else
      MPI_Send(&left, 1, MPI_UNSIGNED_LONG_LONG, 0, 0, comm);
    std::string text;
    for (std::size_t at = 0; left > 0; at += text.size(), left -= text.size()) {
      text.resize(std::min<unsigned long long>(left, piece));
      const int count = static_cast<int>(text.size());
      if (rank == 0) {
        MPI_Recv(text.data(), count, MPI_CHAR, source, 0, comm, MPI_STATUS_IGNORE);
        take(text);
      } else {
        MPI_Send(mine.data() + at, count, MPI_CHAR, 0, 0, comm);
      }
    }
  }
}

} // namespace

std::int64_t Trace::wanted() { return static_cast<std::int64_t>(wanted_file().size()); }

Trace *Trace::join(MPI_Comm comm, int threads, std::int64_t wanted) {
  if (wanted == 0) return nullptr;
  std::string file;
  std::unique_ptr<Trace> fresh;
  bool has_one = false;
  // [0]: 1 if a rank calls from an untraced thread; [1]: 1 if a rank has no trace
  std::array<std::int64_t, 2> missing{};
  mpi::all_or_none(
      comm,
      [&] {
        file.resize(static_cast<std::size_t>(wanted));
        if (mpi::rank(comm) == 0) file = wanted_file();
        const bool traced = is_traced_thread();
        has_one = traced && own_trace() != nullptr;
        if (!has_one) fresh.reset(new Trace);
        missing = {traced ? 0 : 1, has_one ? 0 : 1};
      },
      missing);
  mpi::check(MPI_Bcast(file.data(), static_cast<int>(wanted), MPI_CHAR, 0, comm), "MPI_Bcast");
  if (missing[0] != 0) return nullptr;
  int first = 0;
  if (missing[1] != 0) {
    MPI_Comm group = MPI_COMM_NULL;
    mpi::check(MPI_Comm_split(comm, has_one ? MPI_UNDEFINED : 0, mpi::rank(MPI_COMM_WORLD), &group),
               "MPI_Comm_split");
    if (fresh) first = fresh->begin(group);
  }
  mpi::all_or_none(comm, [&] {
    (fresh ? *fresh : *own_trace()).reserve(threads);
    if (!fresh) return;
    fresh->file_ = numbered(file, first);
    if (mpi::rank(fresh->group_) != 0) return;
    writing(fresh->file_, [&] {
      AtomicFile empty(fresh->file_);
      empty.append(std::string(head) + tail);
      empty.commit();
    });
  });
  if (fresh) {
    own_trace() = std::move(fresh);
    write_on_finalize();
  }
  return own_trace().get();
}

int Trace::begin(MPI_Comm group) {
  group_ = group;
  process_ = mpi::rank(MPI_COMM_WORLD);
  int first = process_;
  mpi::check(MPI_Bcast(&first, 1, MPI_INT, 0, group_), "MPI_Bcast");
  // All ranks take the time after a barrier as zero, because their clocks may differ.
  mpi::check(MPI_Barrier(group_), "MPI_Barrier");
  start_ = std::chrono::steady_clock::now();
  return first;
}

Trace::~Trace() {
  if (group_ != MPI_COMM_NULL && mpi::running()) MPI_Comm_free(&group_);
}

void Trace::reserve(int threads) {
  const auto wanted = static_cast<std::size_t>(threads);
  while (threads_.size() < wanted) {
    Thread thread;
    thread.events.reserve(max_events);
    threads_.push_back(std::move(thread));
  }
}

int Trace::label(const std::string &name, const std::string &details) {
  const auto same = std::find_if(labels_.begin(), labels_.end(), [&](const Label &l) {
    return l.name == name && l.details == details;
  });
  if (same != labels_.end()) return static_cast<int>(same - labels_.begin());
  labels_.push_back({name, details});
  return static_cast<int>(labels_.size()) - 1;
}

void Trace::add(int label, int thread, Time begin, Time end) noexcept {
  const auto t = static_cast<std::size_t>(thread);
  if (t >= threads_.size()) return;
  Thread &own = threads_[t];
  if (own.events.size() < max_events)
    own.events.push_back({label, begin, end});
  else
    ++own.dropped;
}

std::string Trace::events() const {
  const std::string rank = std::to_string(process_);
  const std::string process = "\"pid\": " + rank + ", \"tid\": ";
  std::string text = ",\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": " + rank +
                     ", \"args\": {\"name\": \"rank " + rank + "\"}}";
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const std::string place = process + std::to_string(t);
    for (const TracedSpan &e : threads_[t].events) {
      const Label &l = labels_[static_cast<std::size_t>(e.label)];
      text += ",\n{\"ph\": \"X\", \"name\": " + quoted(l.name) + ", " + place +
              ", \"ts\": " + microseconds(e.begin - start_) +
              ", \"dur\": " + microseconds(e.end - e.begin);
      if (!l.details.empty()) text += ", \"args\": {\"what\": " + quoted(l.details) + "}";
      text += "}";
    }
    if (threads_[t].dropped > 0)
      text += ",\n{\"ph\": \"i\", \"s\": \"t\", \"name\": \"later events were dropped\", " + place +
              ", \"ts\": " + microseconds(threads_[t].events.back().end - start_) +
              ", \"args\": {\"dropped\": " + std::to_string(threads_[t].dropped) + "}}";
  }
  return text;
}

void Trace::write() noexcept {
  std::unique_ptr<AtomicFile> file; // file of the first rank; reset after a failure
  const auto try_to = [&](const auto &step) {
    run_reporting([&] { writing(file_, step); },
                  [&file](hfft_error, const char *reason) {
                    std::fprintf(stderr, "libhybridfft: %s\n", reason);
                    file.reset();
                  });
  };
  std::string mine; // stays empty if memory is exhausted
  try_to([&] { mine = events(); });
  try_to([&] {
    if (mpi::rank(group_) != 0) return;
    file = std::make_unique<AtomicFile>(file_);
    file->append(head);
  });
  // Ranks send their texts even if the file cannot be written.
  try_to([&] {
    collect(mine, group_, [&](const std::string &text) {
      try_to([&] {
        if (file) file->append(text);
      });
    });
  });
  try_to([&] {
    if (!file) return;
    file->append(tail);
    file->commit();
  });
}

} // namespace hybridfft::profile

namespace hybridfft {

struct TracedStages::Impl {
  std::shared_ptr<exchange::Communicator> comm;
  profile::Trace *trace = nullptr;
  std::vector<int> labels;
};

TracedStages::TracedStages(MPI_Comm comm, const std::vector<std::string> &stages, int rows)
    : impl_(std::make_unique<Impl>()) {
  mpi::require_running();
  impl_->comm = exchange::acquire(comm);
  std::int64_t traced = 0;
  Agreement agreement(impl_->comm->get());
  agreement.reach([&] {
    if (rows < 1)
      throw Failure(HFFT_ERROR_ARGUMENT,
                    "traced stages in " + std::to_string(rows) + " rows, expected at least 1");
    traced = profile::Trace::wanted();
    agreement.first(traced);
  });
  impl_->trace = profile::Trace::join(impl_->comm->get(), rows, traced);
  if (impl_->trace == nullptr) return;
  mpi::all_or_none(impl_->comm->get(), [&] {
    for (const std::string &stage : stages)
      impl_->labels.push_back(impl_->trace->label(stage, ""));
  });
}

TracedStages::~TracedStages() = default;
TracedStages::TracedStages(TracedStages &&) noexcept = default;
TracedStages &TracedStages::operator=(TracedStages &&) noexcept = default;

bool TracedStages::active() const { return impl_->trace != nullptr; }

void TracedStages::add(std::size_t stage, int row, Time begin, Time end) noexcept {
  if (active()) impl_->trace->add(impl_->labels[stage], row, begin, end);
}

} // namespace hybridfft
