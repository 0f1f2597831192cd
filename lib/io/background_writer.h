/// A thread that writes to a file while its rank computes.
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

/// Bytes that are contiguous in memory and in a file.
struct Run {
  std::size_t memory; ///< offset in the data
  std::size_t file;   ///< offset in the file
  std::size_t bytes;
};

/// The thread calls the operating system only, neither MPI nor HDF5, so any MPI thread level will
/// do. All members are called by one thread, the owner.
class BackgroundWriter {
public:
  /// Opens an existing file and starts the thread. Throws IoError.
  explicit BackgroundWriter(const std::string &path);
  /// Discards values that are not written yet.
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter &) = delete;
  BackgroundWriter &operator=(const BackgroundWriter &) = delete;

  /// Hands over the runs of some data. Waits while more than 256 MiB would be queued, or two times
  /// this data if that is more.
  void add(std::unique_ptr<std::byte[]> data, std::vector<Run> runs);
  /// Waits till everything is on the disk.
  void drain();
  /// Why something could not be written; empty while all went well.
  std::string failure();

private:
  struct Job {
    std::unique_ptr<std::byte[]> data;
    std::vector<Run> runs;
    std::size_t bytes;
  };
  void work();
  /// The system's reason when it fails.
  std::string write(const Job &job) const;

  int file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_; ///< the first one is being written
  std::size_t queued_ = 0;
  bool stop_ = false;
  std::string failure_;
  std::thread thread_; ///< started last
};

} // namespace hybridfft::io
