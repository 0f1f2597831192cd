/// Writes data to files while the ranks compute: in a thread of each rank, or on ranks that only
/// write.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace hybridfft::io {

/// A range of bytes, contiguous in memory and in a file.
struct ByteRun {
  std::size_t memory; ///< offset in the data
  std::size_t file;   ///< offset in the file
  std::size_t bytes;
};

/// Writes data to a file after add() has returned. One thread, the owner, calls all members.
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

  /// Appends data to the queue. First waits while the queue would exceed the larger of 256 MiB and
  /// twice the size of `data`.
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

/// Divides the ranks of a communicator: the last ones are writers, all others compute. A computing
/// rank sends its data, with their offsets in a file, to one writer. The writer writes them without
/// HDF5. At most two batches of a rank are in flight.
class WriterRanks {
public:
  /// Collective over comm. \param writers number of writers, less than the number of ranks
  WriterRanks(MPI_Comm comm, int writers);
  /// Calls release(1), the status of a failure, if the program has not called release().
  ~WriterRanks();
  WriterRanks(const WriterRanks &) = delete;
  WriterRanks &operator=(const WriterRanks &) = delete;

  /// True on a writer.
  bool writes() const { return writes_; }
  /// Communicator of the computing ranks; on writers, of the writers.
  MPI_Comm group() const { return group_; }

  /// For writers only: writes the data sent by the computing ranks assigned to this writer, until
  /// all of them have called release().
  /// \return the maximum of the statuses passed to release()
  int serve();

  /// Waits until the batch before the previous one is written, and begins a new batch of data.
  /// begin_batch() and the public functions below are for computing ranks only.
  void begin_batch();
  /// Sends data to this rank's writer. Empty runs are not sent.
  /// \param runs parts of the data and their offsets in the file
  void send(const std::string &path, std::unique_ptr<std::byte[]> data,
            const std::vector<ByteRun> &runs);
  /// Waits until all data sent for a file are on the disk.
  void drain(const std::string &path);
  /// Reason of the first failure to write; empty if there was none.
  std::string failure();
  /// Tells this rank's writer that no more data follow.
  /// \param status exit status of the program on this rank
  void release(int status);

private:
  struct SentData {
    std::int64_t batch = 0;
    std::vector<std::byte> head;
    std::unique_ptr<std::byte[]> data;
    std::vector<MPI_Request> requests; ///< the writer's answer and the sent messages
    std::int64_t answer = 0;           ///< 0, or a number for reason_of()
  };
  void post(std::int64_t order, const std::string &path, std::unique_ptr<std::byte[]> data,
            const std::vector<ByteRun> &runs);
  /// Waits until batches up to `last_batch` are written, and frees all written data.
  void finish(std::int64_t last_batch);

  MPI_Comm all_ = MPI_COMM_NULL, group_ = MPI_COMM_NULL;
  bool writes_ = false, released_ = false;
  int writer_ = 0; ///< rank of this rank's writer in all_
  int clients_ = 0;
  std::int64_t batch_ = 0, error_ = 0;
  std::list<SentData> jobs_;
};

/// Writes to a file by sending the data to a writer rank.
class RemoteWriter final : public RunWriter {
public:
  RemoteWriter(WriterRanks &ranks, std::string path) : ranks_(ranks), path_(std::move(path)) {}
  void add(std::unique_ptr<std::byte[]> data, std::vector<ByteRun> runs) override {
    ranks_.send(path_, std::move(data), runs);
  }
  void drain() override { ranks_.drain(path_); }
  std::string failure() override { return ranks_.failure(); }

private:
  WriterRanks &ranks_;
  std::string path_;
};

} // namespace hybridfft::io
