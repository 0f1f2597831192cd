#include "fftw3_mpi/lookups.h"

#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "fftw3_mpi/modules.h"
#include "fftw3_mpi/original.h"

namespace hybridfft::fftw3_mpi {

namespace {

using Lookup = void *(*)(void *, const char *);

/// Returns the C library's dlsym. It must not allocate memory, because allocators call dlsym.
Lookup next_lookup() noexcept {
  static constinit std::atomic<Lookup> known{nullptr};
  Lookup found = known.load(std::memory_order_relaxed);
  if (found != nullptr) return found;
  // Symbol versions: glibc 2.34 and later, and the first versions on 64-bit Arm and x86.
  for (const char *version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
    if (found == nullptr) found = reinterpret_cast<Lookup>(dlvsym(RTLD_NEXT, "dlsym", version));
  known.store(found, std::memory_order_relaxed);
  return found;
}

bool is_of_fftw(const char *text) noexcept {
  const std::string_view name = text;
  return name.starts_with("fftw") || name.starts_with("dfftw_") || name.starts_with("sfftw_");
}

/// Returns true if a module must find FFTW's own function: a module with its own definition of the
/// name, since it wraps FFTW like the drop-in, and libhybridfft, since it calls FFTW.
bool wants_original(const link_map &module, const char *name) {
  return symbol_of(module, name) != nullptr || symbol_of(module, "hfft_execute") != nullptr;
}

/// Returns the result of a lookup by `caller`: the drop-in's function if `found` is FFTW's function
/// of this name, otherwise `found`.
void *in_place_of(void *found, const char *name, const void *caller) noexcept {
  if (found == nullptr) return found;
  const link_map *from = module_of(caller);
  if (from == own_module() || (from != nullptr && wants_original(*from, name))) return found;
  void *ours = symbol_of(*own_module(), name);
  return ours != nullptr && found == original_if_any(name) ? ours : found;
}

} // namespace

std::string why_lookups_may_pass() {
  for (const link_map *m = first_module(); m != nullptr; m = m->l_next) {
    const link_map *to = own_module();
    for_each_import(*m, [&](const char *name, const void *target) {
      if (std::string_view(name) == "dlsym") to = destination(*m, name, target, nullptr);
    });
    if (to != own_module())
      return std::string(name_of(*m)) +
             " looks functions up past the drop-in: its dlsym is that of " +
             (to != nullptr ? name_of(*to) : "an unknown library");
  }
  return "";
}

} // namespace hybridfft::fftw3_mpi

#ifdef __clang__
#define HFFT_TAIL_CALL [[clang::musttail]]
#define HFFT_WITH_TAIL_CALLS
#else
#define HFFT_TAIL_CALL
#define HFFT_WITH_TAIL_CALLS __attribute__((optimize("O2")))
#endif

using hybridfft::fftw3_mpi::in_place_of;
using hybridfft::fftw3_mpi::is_of_fftw;
using hybridfft::fftw3_mpi::next_lookup;

/// The drop-in's dlsym. RTLD_NEXT searches the libraries after the caller, and the C library
/// identifies the caller by the return address. All lookups, except lookups of FFTW's names in a
/// handle, are therefore tail calls without a stack frame of this function.
extern "C" HFFT_WITH_TAIL_CALLS void *hfft_dlsym(void *library, const char *name) {
  if (library != RTLD_NEXT && library != RTLD_DEFAULT && is_of_fftw(name))
    return in_place_of(next_lookup()(library, name), name, __builtin_return_address(0));
  HFFT_TAIL_CALL return next_lookup()(library, name);
}
extern "C" HFFT_EXPORT decltype(dlsym) dlsym __attribute__((alias("hfft_dlsym")));
