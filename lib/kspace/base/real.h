/// The type of the solver's numbers: fields, tables, factors and records.
///
/// Sources that depend on it are compiled once for each precision, into an inline namespace of its
/// own; files that include this header, directly or not, declare their names in that namespace. The
/// rest of the program sees the solver through simulation.h, which does not depend on it.
#pragma once

#ifdef HFFT_KSPACE_DOUBLE
#define HFFT_KSPACE_PRECISION inline in_double
#else
#define HFFT_KSPACE_PRECISION inline in_single
#endif

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

#ifdef HFFT_KSPACE_DOUBLE
using Real = double;
inline constexpr const char *real_data_type = "double"; ///< attribute data_type of arrays in files
#else
using Real = float;
inline constexpr const char *real_data_type = "float";
#endif

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
