/// Element types of datasets, in memory and in files.
#pragma once

#include <hdf5.h>

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "io/handle.h"
#include "io/hdf5.h"

namespace hybridfft::io {

/// The HDF5 type of T, in memory and for new datasets.
template <class T> Handle element_type();
template <> Handle element_type<float>();
template <> Handle element_type<double>();
template <> Handle element_type<std::int8_t>();
template <> Handle element_type<std::int32_t>();
template <> Handle element_type<std::int64_t>();
template <> Handle element_type<std::uint64_t>();
template <> Handle element_type<std::complex<float>>();
template <> Handle element_type<std::complex<double>>();

/// Returns the kind of a type in a file. A complex number is a compound of two floating members "r"
/// and "i".
NumberKind kind_of(hid_t type);

/// Names a type: "32-bit floating", "64-bit unsigned integer", "complex of 32-bit floating",
/// "string", ...
std::string describe_type(hid_t type);

/// Formats the number at an address; returns "one" if it cannot be determined.
std::string describe_value(hid_t type, const void *value);

/// Formats the range of a type: "0 to 255" for integers, else "32-bit floating values".
std::string describe_range(hid_t type);

} // namespace hybridfft::io
