/// Writes data to a file in a thread while the rank computes.
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

/// Writes data to a file later than add() returns. All members are called by one thread, the owner.
class RunWriter {
public:
  virtual ~RunWriter() = default;
  /// Takes over `data`. \param runs parts of the data and their offsets in the file
  virtual void add(std::unique_ptr<std::byte[]> data, std::vector<ByteRun> runs) = 0;
  /// Waits until all data is on the disk.
  virtual void drain() = 0;
  /// Reason of the first failure to write; empty if there was none.
  virtual std::string failure() = 0;
};

/// Writes parts of `data` to an open file. Returns 0, or a number for reason_of().
int write_runs(int file, const std::byte *data, const std::vector<ByteRun> &runs);
/// Waits until the data of a file are on the disk, if the file system supports it. Returns 0, or a
/// number for reason_of().
int flush_file(int file);
/// Returns the reason of a failure in words; empty for 0.
std::string reason_of(int failure);

/// Writes queued data in a thread. The thread calls only the operating system, neither MPI nor
/// HDF5, so any MPI thread level suffices.
class BackgroundWriter final : public RunWriter {
public:
  /// Opens an existing file and starts the thread.
  /// \throws IoError
  explicit BackgroundWriter(const std::string &path);
  /// Discards unwritten data.
  ~BackgroundWriter() override;
  BackgroundWriter(const BackgroundWriter &) = delete;
  BackgroundWriter &operator=(const BackgroundWriter &) = delete;

  /// Appends data to the queue. First waits while the queue would exceed 256 MiB, or twice the size
  /// of these data if this is larger.
  void add(std::unique_ptr<std::byte[]> data, std::vector<ByteRun> runs) override;
  void drain() override;
  std::string failure() override;

private:
  struct Job {
    std::unique_ptr<std::byte[]> data;
    std::vector<ByteRun> runs;
    std::size_t bytes;
  };
  void work();

  int file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_; ///< the thread is writing the first job
  std::size_t queued_ = 0;
  bool stop_ = false;
  int failure_ = 0;    ///< number for reason_of()
  std::thread thread_; ///< last member: starts after all others exist
};

} // namespace hybridfft::io
