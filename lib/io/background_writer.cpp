#include "io/background_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

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

} // namespace hybridfft::io
