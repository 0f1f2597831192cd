// Reads and writes attributes of HDF5 objects: texts and lists of numbers.
#include <algorithm>
#include <utility>

#include "io/file_impl.h"
#include "io/handle.h"

namespace hybridfft::io {

namespace {

std::string label_of(const std::string &path, const std::string &object, const std::string &name) {
  return path + ": attribute '" + name + "' of '" + object + "'";
}

Handle open_object(const File::Impl &file, const std::string &object) {
  if (object != "/" && (!link_exists(file, object) || is_dataset(file, object)))
    return file.open_dataset(object);
  return own(H5Oopen(file.id(), object.c_str(), H5P_DEFAULT), H5Oclose, file.path);
}

std::string variable_length(hid_t attribute, const std::string &label) {
  const Handle type = own(H5Aget_type(attribute), H5Tclose, label);
  char *text = nullptr;
  check(H5Aread(attribute, type.get(), &text), label);
  const std::string value = text != nullptr ? text : "";
  H5free_memory(text);
  return value;
}

std::string fixed_length(hid_t attribute, const std::string &label) {
  const Handle type = own(H5Aget_type(attribute), H5Tclose, label);
  std::string value(H5Tget_size(type.get()), '\0');
  check(H5Aread(attribute, type.get(), value.data()), label);
  value.erase(std::find(value.begin(), value.end(), '\0'), value.end());
  if (H5Tget_strpad(type.get()) == H5T_STR_SPACEPAD) value.erase(value.find_last_not_of(' ') + 1);
  return value;
}

struct OpenAttribute {
  std::string label; ///< names of object and attribute, for errors
  Handle attribute, type, space;
};

OpenAttribute open_attribute(const File::Impl &file, const std::string &object,
                             const std::string &name) {
  std::string label = label_of(file.path, object, name);
  const Handle parent = open_object(file, object);
  if (H5Aexists(parent.get(), name.c_str()) <= 0) throw IoError(label + " is missing");
  Handle attribute = own(H5Aopen(parent.get(), name.c_str(), H5P_DEFAULT), H5Aclose, label);
  Handle type = own(H5Aget_type(attribute.get()), H5Tclose, label);
  Handle space = own(H5Aget_space(attribute.get()), H5Sclose, label);
  return {std::move(label), std::move(attribute), std::move(type), std::move(space)};
}

std::string read_string(const File::Impl &file, const std::string &object,
                        const std::string &name) {
  const auto [label, attribute, type, space] = open_attribute(file, object, name);
  if (H5Tget_class(type.get()) != H5T_STRING)
    throw IoError(label + ": found " + describe_type(type.get()) + ", expected a string");
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count != 1)
    throw IoError(label + ": found " + std::to_string(count) + " strings, expected one");
  return H5Tis_variable_str(type.get()) > 0 ? variable_length(attribute.get(), label)
                                            : fixed_length(attribute.get(), label);
}

std::vector<double> read_numbers(const File::Impl &file, const std::string &object,
                                 const std::string &name) {
  const auto [label, attribute, type, space] = open_attribute(file, object, name);
  if (H5Tget_class(type.get()) != H5T_FLOAT && H5Tget_class(type.get()) != H5T_INTEGER)
    throw IoError(label + ": found " + describe_type(type.get()) + ", expected numbers");
  std::vector<double> values(
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.get()))));
  if (!values.empty()) check(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data()), label);
  return values;
}

void write_attribute(const File::Impl &file, const std::string &object, const std::string &name,
                     hid_t type, hid_t space, const void *value) {
  const std::string label = label_of(file.path, object, name);
  const Handle parent = open_object(file, object);
  if (H5Aexists(parent.get(), name.c_str()) > 0)
    check(H5Adelete(parent.get(), name.c_str()), label + " cannot be replaced");
  const Handle attribute =
      own(H5Acreate2(parent.get(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
          label + " cannot be written");
  check(H5Awrite(attribute.get(), type, value), label + " cannot be written");
}

void write_string(const File::Impl &file, const std::string &object, const std::string &name,
                  const std::string &value) {
  const std::string label = label_of(file.path, object, name);
  const Handle type = own(H5Tcopy(H5T_C_S1), H5Tclose, label);
  check(H5Tset_size(type.get(), value.size() + 1), label);
  const Handle space = own(H5Screate(H5S_SCALAR), H5Sclose, label);
  write_attribute(file, object, name, type.get(), space.get(), value.c_str());
}

} // namespace

bool File::has_attribute(const std::string &object, const std::string &name) const {
  const QuietErrors quiet;
  return asked_at_root(impl_->comm, [&] {
    const Handle parent = open_object(*impl_, object);
    return H5Aexists(parent.get(), name.c_str()) > 0;
  });
}

std::string File::attribute(const std::string &object, const std::string &name) const {
  const QuietErrors quiet;
  return from_root(impl_->comm, [&] { return read_string(*impl_, object, name); });
}

std::vector<double> File::numbers(const std::string &object, const std::string &name) const {
  const QuietErrors quiet;
  return from_root(impl_->comm, [&] { return read_numbers(*impl_, object, name); });
}

template <class T>
void File::set_numbers(const std::string &object, const std::string &name,
                       const std::vector<T> &values) {
  const QuietErrors quiet;
  const std::string label = label_of(impl_->path, object, name);
  impl_->reserve_space(0, 2 * (name.size() + values.size() * sizeof(T) + 512),
                       label + " cannot be written");
  if (impl_->reserving) return;
  together(impl_->comm, [&] {
    const Handle type = element_type<T>();
    const hsize_t count = values.size();
    const Handle space = own(
        count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose, label);
    write_attribute(*impl_, object, name, type.get(), space.get(), values.data());
  });
}

template void File::set_numbers(const std::string &, const std::string &,
                                const std::vector<double> &);
template void File::set_numbers(const std::string &, const std::string &,
                                const std::vector<std::int64_t> &);

void File::set_attribute(const std::string &object, const std::string &name,
                         const std::string &value) {
  const QuietErrors quiet;
  // HDF5 stores names and types of attributes in the object's header. It may move the header to a
  // new place once, so twice the space is reserved.
  const std::size_t bytes = 2 * (name.size() + value.size() + 512);
  impl_->reserve_space(0, bytes, label_of(impl_->path, object, name) + " cannot be written");
  if (impl_->reserving) return;
  together(impl_->comm, [&] { write_string(*impl_, object, name, value); });
}

} // namespace hybridfft::io
