#include "simd/instruction_set.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/environment.h"
#include "simd/fft.h"
#include "simd/kernels.h"
#include "simd/wire.h"

namespace hybridfft::simd {

// Kernels, defined in the folder of each instruction set. CMake defines HFFT_SIMD_NAME for the sets
// of this build. The test of the processor uses the compiler's built-in, because it also checks
// that the operating system saves the registers.

extern const TransposeKernels scalar_transposes[3];
extern const WireKernels scalar_wire_kernels;

#if HFFT_SIMD_X86
extern const TransposeKernels sse2_transposes[3];
extern const TransposeKernels avx_transposes[3];
extern const TransposeKernels avx2_transposes[3];
extern const WireKernels avx2_wire_kernels;
extern const FftKernels<float> avx2_fft_single;
extern const FftKernels<double> avx2_fft_double;
#endif

#if HFFT_SIMD_AVX512
extern const TransposeKernels avx512_transposes[3];
extern const FftKernels<float> avx512_fft_single;
extern const FftKernels<double> avx512_fft_double;
#endif

#if HFFT_SIMD_NEON
extern const TransposeKernels neon_transposes[3];
extern const WireKernels neon_wire_kernels;
extern const FftKernels<float> neon_fft_single;
extern const FftKernels<double> neon_fft_double;
#endif

namespace {

/// Transposes and conversions of messages without vectors, for any processor.
constexpr InstructionSet scalar{"scalar", 0, [] { return true; }, scalar_transposes,
                                &scalar_wire_kernels};

#if HFFT_SIMD_X86
constexpr InstructionSet sse2{"sse2", 10,
                              [] { return static_cast<bool>(__builtin_cpu_supports("sse2")); },
                              sse2_transposes, &scalar_wire_kernels};
constexpr InstructionSet avx{"avx", 20,
                             [] { return static_cast<bool>(__builtin_cpu_supports("avx")); },
                             avx_transposes, &scalar_wire_kernels};
/// Its FFTs need FMA.
constexpr InstructionSet avx2{
    "avx2",
    30,
    [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); },
    avx2_transposes,
    &avx2_wire_kernels,
    &avx2_fft_single,
    &avx2_fft_double};
#endif

#if HFFT_SIMD_AVX512
/// Its conversions of messages are those of AVX2.
constexpr InstructionSet avx512{
    "avx512",
    40,
    [] { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx2"); },
    avx512_transposes,
    &avx2_wire_kernels,
    &avx512_fft_single,
    &avx512_fft_double};
#endif

#if HFFT_SIMD_NEON
/// Advanced SIMD with double precision is part of AArch64.
constexpr InstructionSet neon{
    "neon",          10, [] { return true; }, neon_transposes, &neon_wire_kernels, &neon_fft_single,
    &neon_fft_double};
#endif

constexpr std::array registry {
  &scalar,
#if HFFT_SIMD_X86
      &sse2, &avx, &avx2,
#endif
#if HFFT_SIMD_AVX512
      &avx512,
#endif
#if HFFT_SIMD_NEON
      &neon,
#endif
};
static_assert(registry.size() <= max_sets);

bool less_preferred(Isa a, Isa b) { return a->preference < b->preference; }

std::string names_of_supported(std::span<const Isa> sets) {
  std::string names;
  for (const Isa isa : sets)
    if (supported(isa)) names += (names.empty() ? "" : ", ") + std::string(name(isa));
  return names;
}

Isa find(std::span<const Isa> sets, std::string_view wanted) {
  const auto at = std::find_if(sets.begin(), sets.end(), [&](Isa i) { return i->name == wanted; });
  return at != sets.end() ? *at : nullptr;
}

} // namespace

std::span<const Isa> instruction_sets() { return registry; }

Isa find(std::string_view name) { return find(instruction_sets(), name); }

Isa select(std::span<const Isa> sets, std::string_view requested) {
  if (requested.empty()) {
    Isa best = sets.front();
    for (const Isa isa : sets)
      if (supported(isa)) best = std::max(best, isa, less_preferred);
    return best;
  }
  const Isa named = find(sets, requested);
  if (supported(named)) return named;
  throw wrong_variable("HFFT_SIMD", std::string(requested),
                       "one of " + names_of_supported(sets) + ", which this machine has");
}

Isa active() {
  static const Isa isa = select(instruction_sets(), environment_value("HFFT_SIMD"));
  return isa;
}

bool can_replace(Isa mine, Isa other) {
  return other == mine || (less_preferred(other, mine) && supported(other));
}

} // namespace hybridfft::simd
