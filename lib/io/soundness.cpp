// Checks that HDF5 can read a file and its datasets completely: filters have an implementation,
// chunks are not far larger than their dataset, and the sources of virtual and external datasets
// exist. Without these checks HDF5 may crash, return zeros or exhaust the memory. They are called
// before a user's file is read.
#include "io/handle.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "io/box.h"
#include "io/filtered_chunks.h"
#include "io/hdf5.h"

namespace hybridfft::io {

namespace {

namespace fs = std::filesystem;

/// Formats a filter as "32015 (zstd)".
std::string filter_name(H5Z_filter_t id, const char *name) {
  return std::to_string(id) + (*name != '\0' ? std::string(" (") + name + ")" : "");
}

std::string hdf5_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

/// Returns a mask of the filters skipped by the first chunk. All bits are set if there is no chunk.
unsigned unused_filters(hid_t dataset, const std::string &label) {
  const Handle space = own(H5Dget_space(dataset), H5Sclose, label);
  hsize_t chunks = 0;
  if (H5Dget_num_chunks(dataset, space.get(), &chunks) < 0 || chunks == 0) return ~0U;
  std::vector<hsize_t> offset(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
  unsigned mask = 0;
  haddr_t address = 0;
  hsize_t bytes = 0;
  check(H5Dget_chunk_info(dataset, space.get(), 0, offset.data(), &mask, &address, &bytes), label);
  return mask;
}

/// Throws if HDF5 has no implementation of a filter used by the dataset.
void require_filters(hid_t dataset, hid_t properties, const std::string &label) {
  if (H5Pget_nfilters(properties) == 0) return;
  const unsigned unused = unused_filters(dataset, label);
  for (int i = 0; i < H5Pget_nfilters(properties); ++i) {
    std::array<char, 256> name{};
    std::size_t values = 0;
    unsigned flags = 0;
    unsigned config = 0;
    const H5Z_filter_t id = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values,
                                           nullptr, name.size(), name.data(), &config);
    if (id < 0 || (unused >> i & 1U) != 0 || H5Zfilter_avail(id) > 0) continue;
    throw IoError(label + ": is stored with filter " + filter_name(id, name.data()) +
                  ", which HDF5 " + hdf5_version() +
                  " does not have here; expected another one, or its plugin in a folder of "
                  "HDF5_PLUGIN_PATH (h5repack -f NONE writes a copy without filters)");
  }
}

/// Throws if compressed chunks are far larger than their dataset. HDF5 decompresses whole chunks: a
/// small file with a huge chunk of zeros would take a thousand times its size in memory. Common
/// programs write chunks up to 16 MiB.
void require_small_chunks(hid_t dataset, hid_t properties, const std::string &label) {
  constexpr std::size_t usual = std::size_t{16} << 20;
  if (H5Pget_nfilters(properties) == 0) return;
  const Handle space = own(H5Dget_space(dataset), H5Sclose, label);
  const Handle type = own(H5Dget_type(dataset), H5Tclose, label);
  const Shape chunk = chunk_of(properties);
  std::vector<hsize_t> extent(chunk.size());
  check(H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr), label);
  Shape needed = chunk;
  for (std::size_t d = 0; d < chunk.size(); ++d)
    needed[d] = std::min(needed[d], static_cast<std::size_t>(extent[d]));
  const std::size_t element =
      H5Tget_size(type.get()); // does not overflow below: chunks have at most 4 GiB
  const std::size_t found = volume(chunk, label) * element;
  if (found > std::max(usual, volume(needed, label) * element))
    throw IoError(label + ": is stored in chunks of " + to_string(chunk) + ", " +
                  std::to_string(found) + " bytes, which its shape " +
                  to_string({extent.begin(), extent.end()}) + " does not need; expected " +
                  to_string(needed) + " or at most " + std::to_string(usual) +
                  " bytes (h5repack -l CHUNK=... writes a copy in other chunks)");
}

/// Returns the text copied by get(buffer, size), HDF5's protocol for texts of unknown length.
template <class Get> std::string text_of(const Get &get) {
  const ssize_t length = get(nullptr, std::size_t{0});
  if (length <= 0) return "";
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  get(text.data(), text.size());
  text.pop_back();
  return text;
}

/// Returns the name of the file of an object.
std::string file_of(hid_t object) {
  return text_of([&](char *text, std::size_t size) { return H5Fget_name(object, text, size); });
}

/// Returns the paths searched by HDF5 for the source file `name` of a virtual dataset in `file`.
std::vector<fs::path> places_of(const fs::path &name, const fs::path &file) {
  std::vector<fs::path> places;
  if (name.is_absolute()) places.push_back(name);
  const fs::path relative = name.is_absolute() ? name.filename() : name;
  if (const char *prefixes = std::getenv("HDF5_VDS_PREFIX")) {
    std::istringstream list(prefixes);
    for (std::string one; std::getline(list, one, ':');)
      places.push_back(fs::path(one) / relative);
  }
  std::error_code none;
  places.push_back(file.parent_path() / relative);
  places.push_back(relative);
  places.push_back(fs::weakly_canonical(file, none).parent_path() / relative);
  return places;
}

/// Opens the source file of a virtual dataset; "." is the file itself.
Handle open_source(const std::string &name, const std::string &file, const std::string &label) {
  if (name == ".") return open_serially(file, file);
  for (const fs::path &place : places_of(name, file)) {
    std::error_code none;
    if (fs::is_regular_file(place, none)) return open_serially(place.string(), name);
  }
  throw IoError(label + ": is virtual, and its source file '" + name + "' is missing");
}

/// Returns the path used by HDF5 for the external file `name` of a dataset in `file`.
fs::path place_of_external(const fs::path &name, const fs::path &file) {
  const char *prefix = std::getenv("HDF5_EXTFILE_PREFIX");
  if (prefix == nullptr || name.is_absolute()) return name;
  const std::string_view folder = prefix, origin = "${ORIGIN}";
  if (!folder.starts_with(origin)) return fs::path(folder) / name;
  return fs::absolute(file).parent_path().string() + std::string(folder.substr(origin.size())) +
         "/" + name.string();
}

/// Throws if an external file is too short. HDF5 would read zeros.
void require_external_bytes(hid_t dataset, hid_t properties, const std::string &label) {
  const Handle space = own(H5Dget_space(dataset), H5Sclose, label);
  const Handle type = own(H5Dget_type(dataset), H5Tclose, label);
  auto rest = static_cast<hsize_t>(H5Sget_simple_extent_npoints(space.get())) *
              static_cast<hsize_t>(H5Tget_size(type.get()));
  const int files = H5Pget_external_count(properties);
  for (int i = 0; i < files && rest > 0; ++i) {
    std::array<char, 4096> name{};
    off_t first = 0;
    hsize_t bytes = 0;
    check(H5Pget_external(properties, static_cast<unsigned>(i), name.size() - 1, name.data(),
                          &first, &bytes),
          label);
    bytes = std::min(bytes, rest);
    rest -= bytes;
    std::error_code missing; // ignored, because HDF5 itself reports a missing file
    const auto found = fs::file_size(place_of_external(name.data(), file_of(dataset)), missing);
    const hsize_t expected = static_cast<hsize_t>(first) + bytes;
    if (!missing && found < expected)
      throw IoError(label + ": is stored in the external file '" + name.data() + "', which has " +
                    std::to_string(found) + " bytes, expected " + std::to_string(expected));
  }
}

void require_parts(hid_t dataset, const std::string &label, int depth);

void require_sources(hid_t dataset, hid_t properties, const std::string &label, int depth) {
  if (depth == 0) throw IoError(label + ": is virtual, and its sources are nested too deeply");
  const std::string file = file_of(dataset);
  std::size_t sources = 0;
  check(H5Pget_virtual_count(properties, &sources), label);
  for (std::size_t i = 0; i < sources; ++i) {
    const std::string name = text_of([&](char *text, std::size_t size) {
      return H5Pget_virtual_filename(properties, i, text, size);
    });
    const std::string source = text_of([&](char *text, std::size_t size) {
      return H5Pget_virtual_dsetname(properties, i, text, size);
    });
    // A pattern stands for any number of sources. They are not checked.
    if ((name + source).find('%') != std::string::npos) continue;
    const Handle holder = open_source(name, file, label);
    const std::string where =
        label + ": is virtual, and its source '" + source + "' in file '" + name + "'";
    const Handle object(H5Dopen2(holder.get(), source.c_str(), H5P_DEFAULT), H5Dclose);
    if (!object) throw IoError(where + " is missing");
    require_parts(object.get(), where, depth - 1);
  }
}

void require_parts(hid_t dataset, const std::string &label, int depth) {
  const Handle properties = own(H5Dget_create_plist(dataset), H5Pclose, label);
  const H5D_layout_t layout = H5Pget_layout(properties.get());
  if (layout == H5D_CONTIGUOUS) require_external_bytes(dataset, properties.get(), label);
  if (layout == H5D_CHUNKED) {
    require_filters(dataset, properties.get(), label);
    require_small_chunks(dataset, properties.get(), label);
  }
  if (layout == H5D_VIRTUAL) require_sources(dataset, properties.get(), label, depth);
}

/// Opens an object; for a dataset also its dataspace, type and creation properties.
void open_whole(hid_t file, const char *name) {
  const std::string label = std::string("'") + name + "'";
  const Handle object = own(H5Oopen(file, name, H5P_DEFAULT), H5Oclose, label);
  if (H5Iget_type(object.get()) != H5I_DATASET) return;
  own(H5Dget_space(object.get()), H5Sclose, label);
  own(H5Dget_type(object.get()), H5Tclose, label);
  own(H5Dget_create_plist(object.get()), H5Pclose, label);
}

} // namespace

Handle open_serially(const std::string &on_disk, const std::string &path) {
  const Handle properties = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "HDF5 file access");
#if H5_VERSION_GE(1, 12, 1) || (H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 7)
  check(H5Pset_file_locking(properties.get(), false, true), "HDF5 file access");
#endif
  return own(H5Fopen(on_disk.c_str(), H5F_ACC_RDONLY, properties.get()), H5Fclose,
             "cannot open '" + path + "'");
}

void require_sound(const std::string &path, const std::string &on_disk) {
  const auto visit = [](hid_t file, const char *name, const H5O_info_t *, void *failure) -> herr_t {
    // Exceptions must not propagate through HDF5's C code.
    try {
      open_whole(file, name);
      return 0;
    } catch (const std::exception &e) {
      *static_cast<std::string *>(failure) = e.what();
      return -1;
    }
  };
  const std::string damaged = "cannot open '" + path + "': it is damaged: ";
  const Handle file = open_serially(on_disk, path);
  std::string failure;
  if (H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, visit, &failure, H5O_INFO_BASIC) < 0)
    throw IoError(damaged + (failure.empty() ? last_reason() : failure));
}

void require_readable(hid_t dataset, const std::string &label) {
  constexpr int deepest =
      16; // maximum nesting of virtual datasets, equal to HDF5's limit for links
  require_parts(dataset, label, deepest);
}

} // namespace hybridfft::io
