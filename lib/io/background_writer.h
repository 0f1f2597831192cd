/// Writes to a file in a thread, while the rank computes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hybridfft::io {

/// A range of bytes, contiguous in memory and in a file.
struct ByteRun {
  std::size_t memory; ///< offset in the data
  std::size_t file;   ///< offset in the file
  std::size_t bytes;
};

/// Writes queued data in a thread. The thread calls the operating system only, neither MPI nor
/// HDF5, so any MPI thread level is sufficient. One thread, the owner, calls all members.
class BackgroundWriter {
public:
  /// Opens an existing file and starts the thread.
  /// \throws IoError
  explicit BackgroundWriter(const std::string &path);
  /// Discards unwritten data.
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter &) = delete;
  BackgroundWriter &operator=(const BackgroundWriter &) = delete;

  /// Queues data. Waits while the queue would exceed 256 MiB, or twice the size of this data if it
  /// is larger.
  /// \param runs parts of the data and their offsets in the file
  void add(std::unique_ptr<std::byte[]> data, std::vector<ByteRun> runs);
  /// Waits until all queued data is on the disk.
  void drain();
  /// Reason of the first failure to write; empty if there was none.
  std::string failure();

private:
  struct Job {
    std::unique_ptr<std::byte[]> data;
    std::vector<ByteRun> runs;
    std::size_t bytes;
  };
  void work();
  /// Writes one job.
  /// \return the system's reason of a failure, or an empty string
  std::string write(const Job &job) const;

  int file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_; ///< the thread is writing the first job
  std::size_t queued_ = 0;
  bool stop_ = false;
  std::string failure_;
  std::thread thread_; ///< started after all other members
};

} // namespace hybridfft::io
