#include "io/hdf5.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>

#include "base/mpi.h"
#include "base/text.h"
#include "io/file_impl.h"
#include "io/handle.h"
#include "io/temporary.h"

namespace hybridfft::io {

std::string printable(std::string_view text) { return hybridfft::printable(text); }

namespace {

/// Upper bound of HDF5's metadata in a file with few objects, in bytes.
constexpr std::size_t room_for_metadata = std::size_t{256} << 10;

/// Checks a file on one rank before MPI-IO opens it, because MPI-IO reports errors without a useful
/// reason.
void require_hdf5(const std::string &path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw IoError("cannot open '" + path + "': " + std::strerror(errno));
  struct stat status {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  ::close(file);
  if (!regular) throw IoError("cannot open '" + path + "': it is not a regular file");
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw IoError("cannot open '" + path + "': it is not an HDF5 file");
}

Handle access_properties(MPI_Comm comm) {
  Handle properties = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "HDF5 file access");
  check(H5Pset_fapl_mpio(properties.get(), comm, MPI_INFO_NULL), "HDF5 file access by MPI");
  return properties;
}

/// Waits until all ranks are closing the file, and returns true. If an exception closes the file,
/// the function waits only some seconds and may return false. If no other rank closes the file, the
/// exception is then still reported.
bool all_are_here(MPI_Comm comm) {
  constexpr double patience = 5; // seconds
  const bool unwinding = std::uncaught_exceptions() > 0;
  const double deadline = MPI_Wtime() + patience;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(comm, &request) != MPI_SUCCESS) return false;
  int done = 0;
  while (done == 0 && (!unwinding || MPI_Wtime() < deadline))
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

/// Opens a file on each rank without MPI-IO, on rank 0 first. No rank then waits inside HDF5 for a
/// rank that failed. Links to other files, virtual datasets and filters work as in serial programs.
Handle open_for_reading(const std::string &path, MPI_Comm comm) {
  const QuietErrors quiet;
  const bool root = mpi::rank(comm) == 0;
  Handle file;
  together(comm, [&] {
    if (!root) return;
    require_hdf5(path);
    file = open_serially(path, path);
  });
  together(comm, [&] {
    if (!root) file = open_serially(path, path);
  });
  return file;
}

/// Opens a file by MPI-IO. HDF5 reads metadata collectively and hangs if this fails on one rank, so
/// rank 0 checks the whole file first.
Handle open_for_changing(const std::string &path, const std::string &on_disk, MPI_Comm comm) {
  const QuietErrors quiet;
  together(comm, [&] {
    if (mpi::rank(comm) == 0) require_sound(path, on_disk);
  });
  Handle file;
  together(comm, [&] {
    file = own(H5Fopen(on_disk.c_str(), H5F_ACC_RDWR, access_properties(comm).get()), H5Fclose,
               "cannot open '" + path + "'");
  });
  return file;
}

} // namespace

File::Impl::~Impl() {
  if (mpi::running() && (file || !temporary.empty())) discard();
}

void File::Impl::discard() {
  const QuietErrors quiet;
  background.reset();
  const bool root = mpi::rank(comm) == 0;
  // HDF5 writes its caches when it closes a file and cannot handle a full disk at that point. The
  // data of an abandoned file are removed first to free space for the caches.
  if (root && !temporary.empty()) [[maybe_unused]]
    const int full_anyway = ::truncate(temporary.c_str(), 0);
  if (all_are_here(comm))
    file.close();
  else
    file.release();
  if (root && !temporary.empty()) remove_temporary(temporary);
}

void File::Impl::reserve_space(std::size_t data_bytes, std::size_t metadata_bytes,
                               const std::string &context) {
  const auto take = [&](std::size_t &ahead, std::size_t &bytes) {
    const std::size_t taken = reserving ? 0 : std::min(ahead, bytes);
    ahead -= taken;
    bytes -= taken;
  };
  take(data_ahead, data_bytes);
  take(metadata_ahead, metadata_bytes);
  together(comm, [&] {
    if (mpi::rank(comm) == 0)
      io::reserve(on_disk(), data_in_file() + data_bytes, metadata + metadata_bytes, context);
  });
  data += data_bytes;
  metadata += metadata_bytes;
  if (!reserving) return;
  data_ahead += data_bytes;
  metadata_ahead += metadata_bytes;
}

void File::Impl::count_existing() {
  const std::vector<std::uint64_t> bytes = from_root(comm, [&] {
    std::error_code error;
    const std::uintmax_t found = std::filesystem::file_size(on_disk(), error);
    return std::vector<std::uint64_t>{error ? 0 : found};
  });
  data = static_cast<std::size_t>(bytes[0]);
}

std::size_t File::Impl::data_in_file() const {
  std::error_code error;
  const std::uintmax_t bytes = compressed ? std::filesystem::file_size(on_disk(), error) : 0;
  return error ? data : std::max(data, static_cast<std::size_t>(bytes));
}

void File::Impl::require_space(std::size_t bytes, const std::string &context) {
  compressed = true;
  together(comm, [&] {
    if (mpi::rank(comm) == 0) io::reserve(on_disk(), data_in_file(), metadata + bytes, context);
  });
}

std::unique_ptr<RunWriter> File::Impl::make_writer() const {
  if (writers) return std::make_unique<RemoteWriter>(*writers, on_disk());
  return std::make_unique<BackgroundWriter>(on_disk());
}

void File::Impl::require_background_success() const {
  const std::string reason = background ? background->failure() : "";
  if (!reason.empty()) throw IoError(path + ": cannot be written: " + reason);
}

void File::Impl::keep_links_inside() {
  access = own(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "HDF5 dataset access");
  const auto refuse = [](const char *, const char *, const char *, const char *, unsigned *, hid_t,
                         void *) -> herr_t { return -1; };
  check(H5Pset_elink_cb(access.get(), refuse, nullptr), "HDF5 dataset access");
  // Without a property list for linked files, HDF5 would copy this file's list, with its
  // communicator, before it calls `refuse`.
  const Handle serial = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "HDF5 file access");
  check(H5Pset_elink_fapl(access.get(), serial.get()), "HDF5 dataset access");
}

std::string File::Impl::label(const std::string &dataset) const {
  return path + ": dataset '" + dataset + "'";
}

hid_t File::Impl::id() const {
  if (!file) throw IoError(path + ": the file is closed");
  return file.get();
}

File::File(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
File::File(File &&) noexcept = default;
File &File::operator=(File &&) noexcept = default;
File::~File() = default;

const std::string &File::path() const { return impl_->path; }
MPI_Comm File::comm() const { return impl_->comm; }

File File::open(const std::string &path, MPI_Comm comm) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->comm = comm;
  impl->file = open_for_reading(path, comm);
  return File(std::move(impl));
}

File File::create(const std::string &path, MPI_Comm comm) {
  const QuietErrors quiet;
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->comm = comm;
  impl->target = from_root(comm, [&] { return resolve_target(path); });
  impl->temporary = from_root(comm, [&] { return create_temporary(impl->target, path); });
  const std::string failed = "cannot create '" + path + "'";
  together(comm, [&] {
    if (mpi::rank(comm) == 0) io::reserve(impl->temporary, 0, room_for_metadata, failed);
  });
  together(comm, [&] {
    impl->file = own(H5Fcreate(impl->temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT,
                               access_properties(comm).get()),
                     H5Fclose, failed);
  });
  impl->reserve_space(0, room_for_metadata, failed);
  return File(std::move(impl));
}

File File::create_copy(const std::string &path, MPI_Comm comm) {
  const QuietErrors quiet;
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->comm = comm;
  together(comm, [&] {
    if (mpi::rank(comm) == 0) require_hdf5(path);
  });
  impl->target = from_root(comm, [&] { return resolve_target(path); });
  impl->temporary = from_root(comm, [&] { return create_temporary(impl->target, path); });
  together(comm, [&] {
    if (mpi::rank(comm) == 0) copy_into(impl->temporary, impl->target, path);
  });
  impl->count_existing();
  impl->reserve_space(0, room_for_metadata, "cannot change '" + path + "'");
  impl->keep_links_inside();
  impl->file = open_for_changing(path, impl->temporary, comm);
  return File(std::move(impl));
}

void File::reserve(const std::function<void()> &create) {
  impl_->reserving = true;
  try {
    create();
  } catch (...) {
    impl_->reserving = false;
    throw;
  }
  impl_->reserving = false;
}

bool File::reserving() const { return impl_->reserving; }

void File::keep_alive() const {
  if (mpi::rank(impl_->comm) == 0 && !impl_->temporary.empty()) io::keep_alive(impl_->temporary);
}

void File::use_writers(std::shared_ptr<WriterRanks> writers) {
  impl_->writers = std::move(writers);
}

void File::settle() {
  together(impl_->comm, [&] {
    if (impl_->background) impl_->background->drain();
    impl_->require_background_success();
  });
}

void File::commit() {
  const QuietErrors quiet;
  settle();
  impl_->background.reset();
  const std::string failed = impl_->path + ": cannot be written";
  impl_->reserve_space(0, 0, failed);
  together(impl_->comm, [&] { check(H5Fflush(impl_->id(), H5F_SCOPE_GLOBAL), failed); });
  together(impl_->comm, [&] {
    if (!impl_->file.close()) throw IoError(failed + ": " + last_reason());
  });
  if (impl_->temporary.empty()) return;
  together(impl_->comm, [&] {
    if (mpi::rank(impl_->comm) == 0) publish(impl_->temporary, impl_->target, impl_->path);
  });
  impl_->temporary.clear();
}

} // namespace hybridfft::io
