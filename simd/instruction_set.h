/// Instruction sets: the processors that each one needs, and its kernels. The sets of this build
/// are in one list, from which the library chooses when it runs. None of them need contain another
/// one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace hybridfft::simd {

struct TransposeKernels;
struct WireKernels;
template <class Real> struct FftKernels;

/// One instruction set: a constant that the set's folder defines.
struct InstructionSet {
  const char *name; ///< its value of the environment variable HFFT_SIMD
  /// Its rank among the sets that a processor has: the largest one is chosen. No two are alike, and
  /// scalar has 0.
  int preference;
  /// Returns whether processor, operating system and build have all that the kernels need.
  bool (*supported)();
  const TransposeKernels *transposes; ///< three, for elements of 4, 8 and 16 bytes
  const WireKernels *wire;
  const FftKernels<float> *fft_single = nullptr;  ///< nullptr: FFTW does all FFTs
  const FftKernels<double> *fft_double = nullptr; ///< kernels in double precision, likewise
};

/// A set of this build; sets are compared by their addresses.
using Isa = const InstructionSet *;

/// The most sets that a list may have.
inline constexpr std::size_t most_sets = 16;

/// All sets of this build. Scalar, which every processor has, is the first one.
std::span<const Isa> instruction_sets();
/// The set of that name; nullptr where this build has none.
Isa find(std::string_view name);

inline const char *name(Isa isa) { return isa->name; }
inline bool supported(Isa isa) { return isa != nullptr && isa->supported(); }

/// The set in use on this rank: the one preferred among those supported, or the one that the
/// environment variable HFFT_SIMD names (empty is as good as unset). The variable is read once.
/// Throws Failure (HFFT_ERROR_ENVIRONMENT) when it names an unknown set or one that is not
/// supported.
Isa active();

/// The choice among `sets` that active() makes for a value of HFFT_SIMD, which is empty if it is
/// not set.
Isa select(std::span<const Isa> sets, std::string_view requested);

/// Returns true if a rank that uses `mine` can use `other` for work with ranks that lack `mine`:
/// `other` is supported and not preferred to `mine`, which HFFT_SIMD may have named.
bool can_replace(Isa mine, Isa other);

} // namespace hybridfft::simd
