#include "io/element.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

namespace hybridfft::io {

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
  // The result describes a value that does not fit. It is unknown whether HDF5 has already
  // converted a foreign byte order, so such values are not printed.
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
