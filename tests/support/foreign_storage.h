/// Datasets in the forms of storage of other programs: external links, virtual datasets,
/// external files, filters. Each function replaces a three-dimensional dataset of the HDF5 file
/// `path` by a dataset with the same values in one of these forms. One rank alone calls it.
#pragma once

#include <hdf5.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace hybridfft::test {

/// A dataset removed from its file, with the data to recreate it.
class TakenDataset {
public:
  TakenDataset(const std::string &path, const std::string &name) : name_(name) {
    file_ = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    type_ = H5Dget_type(dataset);
    if (H5Sget_simple_extent_ndims(space) != 3) throw std::logic_error(name + ": not 3 dimensions");
    H5Sget_simple_extent_dims(space, shape_.data(), nullptr);
    values_.resize(H5Tget_size(type_) * shape_[0] * shape_[1] * shape_[2]);
    H5Dread(dataset, type_, H5S_ALL, H5S_ALL, H5P_DEFAULT, values_.data());
    H5Sclose(space);
    H5Dclose(dataset);
    H5Ldelete(file_, name.c_str(), H5P_DEFAULT);
  }
  ~TakenDataset() {
    H5Tclose(type_);
    H5Fclose(file_);
  }
  TakenDataset(const TakenDataset &) = delete;
  TakenDataset &operator=(const TakenDataset &) = delete;

  hid_t file() const { return file_; }
  hid_t type() const { return type_; }
  const std::array<hsize_t, 3> &shape() const { return shape_; }
  const char *values(hsize_t plane = 0) const {
    return values_.data() + plane * (values_.size() / shape_[0]);
  }

  /// Creates the dataset in a file, with its attributes. Writes its values if `values` is true
  /// (false for a virtual dataset, which has no values of its own).
  void put(hid_t file, const char *name, hid_t properties, bool values) const {
    const hid_t space = H5Screate_simple(3, shape_.data(), nullptr);
    const hid_t dataset =
        H5Dcreate2(file, name, type_, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (dataset < 0) throw std::logic_error(name_ + ": cannot be created");
    if (values) H5Dwrite(dataset, type_, H5S_ALL, H5S_ALL, H5P_DEFAULT, values_.data());
    attribute(dataset, "data_type", H5Tget_class(type_) == H5T_FLOAT ? "float" : "long");
    attribute(dataset, "domain_type", "real");
    H5Dclose(dataset);
    H5Sclose(space);
  }

private:
  static void attribute(hid_t dataset, const char *name, const std::string &text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, text.size() + 1);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t a = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, type, text.c_str());
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
  }

  std::string name_;
  hid_t file_ = -1;
  hid_t type_ = -1;
  std::array<hsize_t, 3> shape_{};
  std::vector<char> values_;
};

inline std::string file_beside(const std::string &path, const std::string &other) {
  return (std::filesystem::path(path).parent_path() / other).string();
}

/// Moves a dataset to the new file `other` in the same folder, and links to it.
inline void link_out(const std::string &path, const std::string &name, const std::string &other) {
  const TakenDataset taken(path, name);
  const hid_t file =
      H5Fcreate(file_beside(path, other).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  taken.put(file, "elsewhere", H5P_DEFAULT, true);
  H5Fclose(file);
  H5Lcreate_external(other.c_str(), "/elsewhere", taken.file(), name.c_str(), H5P_DEFAULT,
                     H5P_DEFAULT);
}

/// Replaces the dataset by a virtual one. Its planes along the first dimension are datasets of the
/// new file `other`.
inline void make_virtual(const std::string &path, const std::string &name,
                         const std::string &other) {
  const TakenDataset taken(path, name);
  const hid_t file =
      H5Fcreate(file_beside(path, other).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 3> plane{1, taken.shape()[1], taken.shape()[2]};
  const hid_t source_space = H5Screate_simple(3, plane.data(), nullptr);
  const hid_t space = H5Screate_simple(3, taken.shape().data(), nullptr);
  for (hsize_t z = 0; z < taken.shape()[0]; ++z) {
    const std::string source = "plane" + std::to_string(z);
    const hid_t dataset = H5Dcreate2(file, source.c_str(), taken.type(), source_space, H5P_DEFAULT,
                                     H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, taken.type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, taken.values(z));
    H5Dclose(dataset);
    const std::array<hsize_t, 3> start{z, 0, 0};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, plane.data(), nullptr);
    H5Pset_virtual(properties, space, other.c_str(), source.c_str(), source_space);
  }
  taken.put(taken.file(), name.c_str(), properties, false);
  H5Sclose(space);
  H5Sclose(source_space);
  H5Pclose(properties);
  H5Fclose(file);
}

/// Stores the raw values in the new file `other`, which is not an HDF5 file.
inline void store_outside(const std::string &path, const std::string &name,
                          const std::string &other) {
  const TakenDataset taken(path, name);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(properties, file_beside(path, other).c_str(), 0, H5F_UNLIMITED);
  taken.put(taken.file(), name.c_str(), properties, true);
  H5Pclose(properties);
}

/// Stores the dataset in one chunk with the filters shuffle, deflate and Fletcher-32.
inline void compress(const std::string &path, const std::string &name) {
  const TakenDataset taken(path, name);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 3, taken.shape().data());
  H5Pset_shuffle(properties);
  H5Pset_deflate(properties, 6);
  H5Pset_fletcher32(properties);
  taken.put(taken.file(), name.c_str(), properties, true);
  H5Pclose(properties);
}

/// Number of the filter of store_unreadably(). HDF5 has no filter of this number.
constexpr H5Z_filter_t unknown_filter = 30717;

/// Stores the dataset with a filter and then removes the filter: the dataset cannot be read.
inline void store_unreadably(const std::string &path, const std::string &name) {
  H5Z_class2_t filter{};
  filter.version = H5Z_CLASS_T_VERS;
  filter.id = unknown_filter;
  filter.encoder_present = filter.decoder_present = 1;
  filter.name = "secret";
  filter.filter = [](unsigned, size_t, const unsigned *, size_t bytes, size_t *, void **) {
    return bytes;
  };
  H5Zregister(&filter);
  {
    const TakenDataset taken(path, name);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 3, taken.shape().data());
    H5Pset_filter(properties, unknown_filter, H5Z_FLAG_OPTIONAL, 0, nullptr);
    taken.put(taken.file(), name.c_str(), properties, true);
    H5Pclose(properties);
  }
  H5Zunregister(unknown_filter);
}

} // namespace hybridfft::test
