/// Instruction sets: the processor features that they require, and their kernels. One list has the
/// sets of this build, and the library chooses from it at run time. No set needs to contain another
/// one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace hybridfft::simd {

struct TransposeKernels;
struct WireKernels;
template <class Real> struct FftKernels;

/// One instruction set: a constant in instruction_set.cpp.
struct InstructionSet {
  const char *name; ///< value of the environment variable HFFT_SIMD for this set
  /// The library chooses the supported set with the largest number. All numbers differ; scalar has
  /// 0.
  int preference;
  /// Returns true if processor, operating system and build support the kernels.
  bool (*supported)();
  const TransposeKernels *transposes; ///< three, for elements of 4, 8 and 16 bytes
  const WireKernels *wire;
  /// FFT kernels in single and in double precision; nullptr: FFTW computes these FFTs.
  const FftKernels<float> *fft_single = nullptr;
  const FftKernels<double> *fft_double = nullptr;
};

/// A set of this build; sets are compared by address.
using Isa = const InstructionSet *;

/// Maximum length of a list of sets.
inline constexpr std::size_t max_sets = 16;

/// Returns all sets of this build. Scalar, supported by every processor, is the first one.
std::span<const Isa> instruction_sets();
/// Returns the set with this name; nullptr if this build lacks it.
Isa find(std::string_view name);

inline const char *name(Isa isa) { return isa->name; }
inline bool supported(Isa isa) { return isa != nullptr && isa->supported(); }

/// Returns the set in use on this rank. It is the preferred supported set, or the set named by the
/// environment variable HFFT_SIMD (empty counts as unset). The variable is read once. Throws
/// Failure (HFFT_ERROR_ENVIRONMENT) for an unknown or unsupported set.
Isa active();

/// Returns the set that active() chooses among `sets` if the value of HFFT_SIMD is `requested`;
/// empty: the variable is not set.
Isa select(std::span<const Isa> sets, std::string_view requested);

/// Returns true if a rank with the set `mine` can use `other` instead, to agree with ranks that
/// lack `mine`. `other` must be supported by this rank. It must not be preferred to `mine`, because
/// HFFT_SIMD may have named `mine`.
bool can_replace(Isa mine, Isa other);

} // namespace hybridfft::simd
