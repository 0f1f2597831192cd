/// Precisions of the solver.
#pragma once

#include <type_traits>

namespace hybridfft::kspace {

/// Attribute data_type of arrays in files.
template <class Real>
inline constexpr const char *real_data_type = std::is_same_v<Real, float> ? "float" : "double";

} // namespace hybridfft::kspace
