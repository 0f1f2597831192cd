#include "io/background_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <thread>

#include "base/mpi.h"
#include "io/hdf5.h"

namespace hybridfft::io {

namespace {

constexpr std::size_t max_queued = std::size_t{256} << 20;
constexpr int nothing_written = -1; ///< the write failed, but the system gave no reason

int open_existing(const std::string &path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) throw IoError("cannot open '" + path + "': " + std::strerror(errno));
  return file;
}

} // namespace

int write_runs(int file, const std::byte *data, const std::vector<ByteRun> &runs) {
  for (const ByteRun &run : runs)
    for (std::size_t done = 0; done < run.bytes;) {
      const ssize_t written = ::pwrite(file, data + run.memory + done, run.bytes - done,
                                       static_cast<off_t>(run.file + done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      if (written == 0) return nothing_written;
      done += static_cast<std::size_t>(written);
    }
  return 0;
}

int flush_file(int file) {
  return ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

std::string reason_of(int failure) {
  if (failure == nothing_written) return "nothing could be written";
  return failure == 0 ? "" : std::strerror(failure);
}

BackgroundWriter::BackgroundWriter(const std::string &path)
    : file_(open_existing(path)), thread_([this] { work(); }) {}

BackgroundWriter::~BackgroundWriter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
  ::close(file_);
}

void BackgroundWriter::add(std::unique_ptr<std::byte[]> data, std::vector<ByteRun> runs) {
  std::size_t bytes = 0;
  for (const ByteRun &run : runs)
    bytes += run.bytes;
  if (bytes == 0) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queued_ + bytes <= std::max(max_queued, 2 * bytes); });
  queued_ += bytes;
  jobs_.push_back({std::move(data), std::move(runs), bytes});
  lock.unlock();
  changed_.notify_all();
}

void BackgroundWriter::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.empty(); });
  if (failure_ == 0) failure_ = flush_file(file_);
}

std::string BackgroundWriter::failure() {
  const std::lock_guard lock(mutex_);
  return reason_of(failure_);
}

void BackgroundWriter::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
    if (stop_) return;
    // The owner only appends to the queue, so this reference stays valid while the mutex is
    // released.
    const Job &job = jobs_.front();
    const bool useless = failure_ != 0;
    lock.unlock();
    const int failure = useless ? 0 : write_runs(file_, job.data.get(), job.runs);
    lock.lock();
    if (failure_ == 0) failure_ = failure;
    queued_ -= job.bytes;
    jobs_.pop_front();
    changed_.notify_all();
  }
}

namespace {

enum Order : std::int64_t { write_data, flush_data, release_writer };
enum Tag { tag_head, tag_data, tag_answer };

constexpr std::size_t message = std::size_t{1} << 30; ///< maximum bytes of data in a message

/// Beginning of a message to a writer. The runs and the path follow.
struct Head {
  std::int64_t order = 0, bytes = 0, runs = 0, status = 0;
};

std::size_t bytes_of(const std::vector<ByteRun> &runs) {
  std::size_t end = 0;
  for (const ByteRun &run : runs)
    end = std::max(end, run.memory + run.bytes);
  return end;
}

std::vector<std::byte> packed(const Head &head, const std::string &path,
                              const std::vector<ByteRun> &runs) {
  std::vector<std::byte> all(sizeof head + runs.size() * sizeof(ByteRun) + path.size());
  std::memcpy(all.data(), &head, sizeof head);
  if (!runs.empty())
    std::memcpy(all.data() + sizeof head, runs.data(), runs.size() * sizeof(ByteRun));
  if (!path.empty()) std::memcpy(all.data() + all.size() - path.size(), path.data(), path.size());
  return all;
}

/// The open files of a writer rank.
class OpenFiles {
public:
  OpenFiles() = default;
  ~OpenFiles() {
    for (const auto &[path, file] : files_)
      if (file >= 0) ::close(file);
  }
  OpenFiles(const OpenFiles &) = delete;
  OpenFiles &operator=(const OpenFiles &) = delete;

  /// write() and flush() return 0, or a number for reason_of().
  int write(const std::string &path, const std::byte *data, const std::vector<ByteRun> &runs) {
    const int file = open(path);
    if (file < 0) return -file;
    return write_runs(file, data, runs);
  }
  int flush(const std::string &path) {
    const int file = open(path);
    if (file < 0) return -file;
    return flush_file(file);
  }

private:
  int open(const std::string &path) {
    const auto [entry, is_new] = files_.try_emplace(path, -1);
    if (is_new) {
      entry->second = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (entry->second < 0) entry->second = -errno;
    }
    return entry->second;
  }
  std::map<std::string, int> files_;
};

} // namespace

WriterRanks::WriterRanks(MPI_Comm comm, int writers) {
  const int size = mpi::size(comm), rank = mpi::rank(comm), computing = size - writers;
  writes_ = rank >= computing;
  mpi::check(MPI_Comm_dup(comm, &all_), "MPI_Comm_dup");
  mpi::check(MPI_Comm_split(comm, writes_ ? 1 : 0, rank, &group_), "MPI_Comm_split");
  writer_ = computing + rank % writers;
  if (writes_) clients_ = (computing + writers - 1 - (rank - computing)) / writers;
}

WriterRanks::~WriterRanks() {
  try {
    if (!writes_ && !released_) release(1);
  } catch (const std::exception &) {
    // The rank fails for an earlier reason, which it reports.
  }
  MPI_Comm_free(&group_);
  MPI_Comm_free(&all_);
}

int WriterRanks::serve() {
  OpenFiles files;
  int status = 0;
  for (int left = clients_; left > 0;) {
    MPI_Status found;
    int there = 0;
    mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, tag_head, all_, &there, &found), "MPI_Iprobe");
    if (there == 0) { // sleep, which leaves the processor to computing ranks
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    int bytes = 0;
    mpi::check(MPI_Get_count(&found, MPI_BYTE, &bytes), "MPI_Get_count");
    std::vector<std::byte> text(static_cast<std::size_t>(bytes));
    const int from = found.MPI_SOURCE;
    mpi::check(MPI_Recv(text.data(), bytes, MPI_BYTE, from, tag_head, all_, MPI_STATUS_IGNORE),
               "MPI_Recv");
    Head head;
    std::memcpy(&head, text.data(), sizeof head);
    if (head.order == release_writer) {
      status = std::max(status, static_cast<int>(head.status));
      --left;
      continue;
    }
    std::vector<ByteRun> runs(static_cast<std::size_t>(head.runs));
    const std::size_t end = sizeof head + runs.size() * sizeof(ByteRun);
    if (!runs.empty()) std::memcpy(runs.data(), text.data() + sizeof head, end - sizeof head);
    const std::string path(reinterpret_cast<const char *>(text.data()) + end, text.size() - end);
    const auto size = static_cast<std::size_t>(head.bytes);
    const auto data = std::make_unique_for_overwrite<std::byte[]>(size);
    for (std::size_t at = 0; at < size; at += message)
      mpi::check(MPI_Recv(data.get() + at, static_cast<int>(std::min(message, size - at)), MPI_BYTE,
                          from, tag_data, all_, MPI_STATUS_IGNORE),
                 "MPI_Recv");
    const std::int64_t answer =
        head.order == flush_data ? files.flush(path) : files.write(path, data.get(), runs);
    mpi::check(MPI_Send(&answer, 1, MPI_INT64_T, from, tag_answer, all_), "MPI_Send");
  }
  return status;
}

void WriterRanks::begin_batch() {
  ++batch_;
  finish(batch_ - 2);
}

void WriterRanks::post(std::int64_t order, const std::string &path,
                       std::unique_ptr<std::byte[]> data, const std::vector<ByteRun> &runs) {
  const std::size_t bytes = bytes_of(runs);
  SentData &job = jobs_.emplace_back();
  job.batch = batch_;
  job.head =
      packed({order, static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(runs.size()), 0},
             path, runs);
  job.data = std::move(data);
  const auto request = [&job] { return &job.requests.emplace_back(MPI_REQUEST_NULL); };
  mpi::check(MPI_Irecv(&job.answer, 1, MPI_INT64_T, writer_, tag_answer, all_, request()),
             "MPI_Irecv");
  mpi::check(MPI_Isend(job.head.data(), static_cast<int>(job.head.size()), MPI_BYTE, writer_,
                       tag_head, all_, request()),
             "MPI_Isend");
  for (std::size_t at = 0; at < bytes; at += message)
    mpi::check(MPI_Isend(job.data.get() + at, static_cast<int>(std::min(message, bytes - at)),
                         MPI_BYTE, writer_, tag_data, all_, request()),
               "MPI_Isend");
}

void WriterRanks::send(const std::string &path, std::unique_ptr<std::byte[]> data,
                       const std::vector<ByteRun> &runs) {
  if (bytes_of(runs) > 0) post(write_data, path, std::move(data), runs);
}

void WriterRanks::drain(const std::string &path) {
  post(flush_data, path, nullptr, {});
  finish(batch_);
}

void WriterRanks::finish(std::int64_t last_batch) {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const int count = static_cast<int>(job->requests.size());
    int done = 1;
    if (job->batch <= last_batch)
      mpi::check(MPI_Waitall(count, job->requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    else
      mpi::check(MPI_Testall(count, job->requests.data(), &done, MPI_STATUSES_IGNORE),
                 "MPI_Testall");
    if (done == 0) return; // later batches are not finished either
    if (error_ == 0) error_ = job->answer;
    job = jobs_.erase(job);
  }
}

std::string WriterRanks::failure() { return reason_of(static_cast<int>(error_)); }

void WriterRanks::release(int status) {
  finish(batch_);
  Head head;
  head.order = release_writer;
  head.status = status;
  mpi::check(MPI_Send(&head, static_cast<int>(sizeof head), MPI_BYTE, writer_, tag_head, all_),
             "MPI_Send");
  released_ = true;
}

} // namespace hybridfft::io
