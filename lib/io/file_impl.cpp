#include "io/file_impl.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "io/handle.h"

namespace hybridfft::io {

namespace {

Handle open_any(const File::Impl &file, const std::string &name) {
  return {H5Oopen(file.id(), name.c_str(), file.access_list()), H5Oclose};
}

/// Describes the target of an external link: " to '/c0' in the file 'side.h5'". Empty for other
/// links.
std::string describe_target(const File::Impl &file, const std::string &name) {
  H5L_info_t info{};
  if (H5Lget_info(file.id(), name.c_str(), &info, file.access_list()) < 0 ||
      info.type != H5L_TYPE_EXTERNAL)
    return "";
  std::vector<char> value(info.u.val_size);
  unsigned flags = 0;
  const char *target = nullptr;
  const char *object = nullptr;
  if (H5Lget_val(file.id(), name.c_str(), value.data(), value.size(), file.access_list()) < 0 ||
      H5Lunpack_elink_val(value.data(), value.size(), &flags, &target, &object) < 0)
    return "";
  return std::string(" to '") + object + "' in the file '" + target + "'";
}

/// Describes an object other than a dataset, for error messages.
std::string describe_object(const File::Impl &file, const std::string &name) {
  const Handle object = open_any(file, name);
  if (!object) {
    const std::string reason = last_reason();
    const std::string target = describe_target(file, name);
    if (target.empty()) return "a link that leads nowhere";
    return "a link" + target +
           (file.access ? " (in a file that is to be changed)"
                        : ", which cannot be opened (" + reason + ")");
  }
  return H5Iget_type(object.get()) == H5I_GROUP ? "a group" : "a type";
}

/// Returns the names in the root of a file or in a group, in alphabetical order.
std::vector<std::string> all_names(hid_t group) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char *name, const H5L_info_t *, void *data) -> herr_t {
    static_cast<std::vector<std::string> *>(data)->emplace_back(name);
    return 0;
  };
  hsize_t index = 0;
  H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &index, add, &names);
  return names;
}

/// Lists names of a file for error messages, " (the file has a, b, c, ...)". They make a misspelt
/// name obvious.
std::string names_in(hid_t file) {
  constexpr std::size_t most = 12;
  const std::vector<std::string> names = all_names(file);
  if (names.empty()) return " (the file is empty)";
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += (i == 0 ? " (the file has " : ", ") + names[i];
  return text + (names.size() > most ? ", ...)" : ")");
}

} // namespace

bool link_exists(const File::Impl &file, const std::string &name) {
  if (name.empty()) return false;
  // H5Lexists() fails if a group on the path is missing.
  for (std::size_t slash = name.find('/', 1);; slash = name.find('/', slash + 1)) {
    if (H5Lexists(file.id(), name.substr(0, slash).c_str(), file.access_list()) <= 0) return false;
    if (slash == std::string::npos) return true;
  }
}

bool is_dataset(const File::Impl &file, const std::string &name) {
  if (!link_exists(file, name)) return false;
  const Handle object = open_any(file, name);
  return object && H5Iget_type(object.get()) == H5I_DATASET;
}

std::vector<std::string> File::names(const std::string &group) const {
  const std::string joined = from_root(impl_->comm, [&] {
    std::string text;
    if (group != "/" && !link_exists(*impl_, group)) return text;
    const Handle opened = open_any(*impl_, group);
    for (const std::string &name : all_names(opened.get()))
      text += name + '\0';
    return text;
  });
  std::vector<std::string> names;
  for (std::size_t at = 0; at < joined.size(); at += names.back().size() + 1)
    names.emplace_back(joined.c_str() + at);
  return names;
}

Handle File::Impl::open_dataset(const std::string &name) const {
  if (!link_exists(*this, name)) throw IoError(label(name) + " is missing" + names_in(id()));
  if (!is_dataset(*this, name))
    throw IoError(path + ": '" + name + "' is " + describe_object(*this, name) +
                  ", expected a dataset");
  return own(H5Dopen2(id(), name.c_str(), access_list()), H5Dclose, label(name));
}

namespace {

Handle copy_of(hid_t native) { return own(H5Tcopy(native), H5Tclose, "HDF5 type"); }

template <class T> Handle complex_type(hid_t part) {
  Handle type = own(H5Tcreate(H5T_COMPOUND, sizeof(T)), H5Tclose, "HDF5 complex type");
  check(H5Tinsert(type.get(), "r", 0, part), "HDF5 complex type");
  check(H5Tinsert(type.get(), "i", sizeof(T) / 2, part), "HDF5 complex type");
  return type;
}

bool member_is(hid_t type, unsigned index, const char *expected) {
  char *name = H5Tget_member_name(type, index);
  const bool same = name != nullptr && std::strcmp(name, expected) == 0;
  H5free_memory(name);
  return same && H5Tget_member_class(type, index) == H5T_FLOAT;
}

std::string bits(hid_t type) { return std::to_string(8 * H5Tget_size(type)) + "-bit "; }

} // namespace

template <> Handle element_type<float>() { return copy_of(H5T_NATIVE_FLOAT); }
template <> Handle element_type<double>() { return copy_of(H5T_NATIVE_DOUBLE); }
template <> Handle element_type<std::int8_t>() { return copy_of(H5T_NATIVE_INT8); }
template <> Handle element_type<std::int32_t>() { return copy_of(H5T_NATIVE_INT32); }
template <> Handle element_type<std::int64_t>() { return copy_of(H5T_NATIVE_INT64); }
template <> Handle element_type<std::uint64_t>() { return copy_of(H5T_NATIVE_UINT64); }
template <> Handle element_type<std::complex<float>>() {
  return complex_type<std::complex<float>>(H5T_NATIVE_FLOAT);
}
template <> Handle element_type<std::complex<double>>() {
  return complex_type<std::complex<double>>(H5T_NATIVE_DOUBLE);
}

NumberKind kind_of(hid_t type) {
  switch (H5Tget_class(type)) {
  case H5T_FLOAT:
    return NumberKind::floating;
  case H5T_INTEGER:
    return NumberKind::integer;
  case H5T_COMPOUND:
    return H5Tget_nmembers(type) == 2 && member_is(type, 0, "r") && member_is(type, 1, "i")
               ? NumberKind::complex
               : NumberKind::other;
  default:
    return NumberKind::other;
  }
}

std::string describe_type(hid_t type) {
  switch (H5Tget_class(type)) {
  case H5T_FLOAT:
    return bits(type) + "floating";
  case H5T_INTEGER:
    return bits(type) + (H5Tget_sign(type) == H5T_SGN_NONE ? "unsigned integer" : "integer");
  case H5T_COMPOUND:
    if (kind_of(type) != NumberKind::complex) return "compound";
    return "complex of " + std::to_string(4 * H5Tget_size(type)) + "-bit floating";
  case H5T_STRING:
    return "string";
  case H5T_ENUM:
    return "enumeration";
  default:
    return "another type";
  }
}

std::string describe_value(hid_t type, const void *value) {
  const std::size_t size = H5Tget_size(type);
  // HDF5 may or may not have converted the value to this machine's byte order before it reported
  // the error. A value of foreign byte order is therefore not printed.
  if (H5Tget_order(type) != H5Tget_order(H5T_NATIVE_INT)) return "one";
  char text[32] = "one";
  if (H5Tget_class(type) == H5T_FLOAT && size == sizeof(double)) {
    double number = 0;
    std::memcpy(&number, value, size);
    std::snprintf(text, sizeof text, "%.9g", number);
  } else if (H5Tget_class(type) == H5T_INTEGER && size <= sizeof(std::uint64_t)) {
    // Copying the first bytes is right for little-endian numbers, or if all eight bytes are copied.
    if (size < sizeof(std::uint64_t) && H5Tget_order(type) != H5T_ORDER_LE) return text;
    std::uint64_t number = 0;
    std::memcpy(&number, value, size);
    const auto unused = static_cast<int>(64 - 8 * size);
    return H5Tget_sign(type) == H5T_SGN_NONE
               ? std::to_string(number)
               : std::to_string(static_cast<std::int64_t>(number << unused) >> unused);
  }
  return text;
}

std::string describe_range(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_INTEGER || size > 8) return describe_type(type) + " values";
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * size);
  if (H5Tget_sign(type) == H5T_SGN_NONE) return "0 to " + std::to_string(all);
  const std::uint64_t half = all / 2;
  return "-" + std::to_string(half + 1) + " to " + std::to_string(half);
}

} // namespace hybridfft::io
