/// Ranks that only write files while the other ranks compute.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/background_writer.h"

namespace hybridfft::io {

/// Divides the ranks of a communicator: the last ones are writers, all others compute. A computing
/// rank sends its data, with their offsets in a file, to one writer. The writer writes them without
/// HDF5. At most two batches of a rank are in flight.
class WriterRanks {
public:
  /// Collective over comm. \param writers number of writers, less than the number of ranks
  WriterRanks(MPI_Comm comm, int writers);
  /// If release() has not been called, releases this rank's writer with the status of a failure.
  ~WriterRanks();
  WriterRanks(const WriterRanks &) = delete;
  WriterRanks &operator=(const WriterRanks &) = delete;

  /// True on a writer.
  bool writes() const { return writes_; }
  /// Communicator of the computing ranks; on writers, of the writers.
  MPI_Comm group() const { return group_; }

  /// Writes the data that ranks send, until all ranks of this writer have released it. Only on
  /// writers.
  /// \return the maximum of the ranks' statuses
  int serve();

  /// Begins a batch of data, after the batch before the previous one is written. This function and
  /// all below are for computing ranks only.
  void begin_batch();
  /// Sends data with their offsets in the file; see BackgroundWriter::add().
  void send(const std::string &path, std::unique_ptr<std::byte[]> data,
            const std::vector<ByteRun> &runs);
  /// Waits until all data sent for a file are on the disk.
  void drain(const std::string &path);
  /// Reason of the first failure to write; empty if there was none.
  std::string failure();
  /// Tells this rank's writer that no more data follow. \param status of the program
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
