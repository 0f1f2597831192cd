#include "fftw3_mpi/callers.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "fftw3_mpi/modules.h"
#include "fftw3_mpi/original.h"

namespace hybridfft::fftw3_mpi {

namespace {

thread_local const void *caller = nullptr; ///< return address recorded by Entry

/// Names of FFTW's functions in one precision, and addresses in FFTW's two libraries.
template <class Real> struct Names;
template <> struct Names<double> {
  static constexpr std::string_view prefix = "fftw_", legacy_prefix = "dfftw_";
  static constexpr std::string_view planner = "fftw_mkapiplan";
  static constexpr const char *mpi_planner = "fftw_mpi_plan_many_dft";
  static const void *distributed() {
    return reinterpret_cast<const void *>(HFFT_ORIGINAL(fftw_mpi_init));
  }
  static const void *serial() {
    return reinterpret_cast<const void *>(HFFT_ORIGINAL(fftw_execute));
  }
};
template <> struct Names<float> {
  static constexpr std::string_view prefix = "fftwf_", legacy_prefix = "sfftw_";
  static constexpr std::string_view planner = "fftwf_mkapiplan";
  static constexpr const char *mpi_planner = "fftwf_mpi_plan_many_dft";
  static const void *distributed() {
    return reinterpret_cast<const void *>(HFFT_ORIGINAL(fftwf_mpi_init));
  }
  static const void *serial() {
    return reinterpret_cast<const void *>(HFFT_ORIGINAL(fftwf_execute));
  }
};

/// Functions with a plan as argument, without FFTW's prefixes.
constexpr std::array<std::string_view, 13> takers{
    "execute",      "execute_dft", "execute_dft_r2c", "execute_dft_c2r", "execute_r2r",
    "destroy_plan", "copy_plan",   "print_plan",      "fprint_plan",     "sprint_plan",
    "flops",        "cost",        "estimate_cost"};

/// Removes `prefix` from a name. Returns false if the name does not begin with it.
bool strip(std::string_view &name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

/// Properties of an imported function's name, with respect to plans of one precision.
struct Taker {
  bool fftws = false;  ///< FFTW has a function with this name
  bool takes = false;  ///< the function takes a plan
  bool mapped = false; ///< only <hybridfft/fftw3-mpi.h> defines this name
  bool legacy = false; ///< part of the legacy Fortran interface, which no header declares
};
template <class Real> Taker taker(std::string_view name) {
  Taker t;
  t.mapped = strip(name, "hfft_");
  t.legacy = strip(name, Names<Real>::legacy_prefix);
  t.fftws = t.legacy || strip(name, Names<Real>::prefix);
  if (!t.fftws) return {};
  strip(name, "mpi_");
  while (t.legacy && name.ends_with('_'))
    name.remove_suffix(1);
  t.takes = std::find(takers.begin(), takers.end(), name) != takers.end();
  return t;
}

/// FFTW functions imported by a module, found in its dynamic section.
struct Calls {
  bool bound = false;  ///< true if the loader bound a function to the drop-in
  bool here = false;   ///< true if the loader bound a function with a plan argument to the drop-in
  bool mapped = false; ///< true if some name is from <hybridfft/fftw3-mpi.h>
  std::string elsewhere,
      legacy_elsewhere; ///< text with a function and its library, if a call bypasses the drop-in

  /// Returns the reason against plans of HybridFFT; empty if there is none. A module compiled with
  /// <hybridfft/fftw3-mpi.h> calls FFTW's own C functions on purpose, so these are no reason.
  const std::string &reason() const {
    return mapped || elsewhere.empty() ? legacy_elsewhere : elsewhere;
  }
};
template <class Real> Calls calls_of(const link_map &module) {
  Calls calls;
  const link_map *fftw = module_of(Names<Real>::serial());
  for_each_import(module, [&](const char *name, const void *target) {
    const Taker t = taker<Real>(name);
    if (!t.fftws) return;
    const link_map *to = t.mapped ? own_module() : destination(module, name, target, fftw);
    calls.bound = calls.bound || to == own_module();
    if (!t.takes) return;
    if (to != own_module())
      (t.legacy ? calls.legacy_elsewhere : calls.elsewhere) =
          std::string("its ") + name + " is that of " +
          (to != nullptr ? name_of(*to) : "an unknown library");
    calls.here = calls.here || to == own_module();
    calls.mapped = calls.mapped || t.mapped;
  });
  return calls;
}

/// Returns a reason against plans of HybridFFT if FFTW-MPI and the drop-in use different copies of
/// libfftw3; otherwise empty.
template <class Real> std::string why_two_libraries() {
  const link_map *mpi = module_of(Names<Real>::distributed());
  const link_map *serial = module_of(Names<Real>::serial());
  const link_map *planner = serial;
  if (mpi == nullptr || serial == nullptr) return "";
  for_each_import(*mpi, [&](const char *name, const void *target) {
    if (name == Names<Real>::planner) planner = destination(*mpi, name, target, serial);
  });
  if (planner == nullptr || planner == serial) return "";
  return std::string(name_of(*planner)) + " has a libfftw3 of its own";
}

/// Combines the calls of all modules, because plans may be made in one library and executed in
/// another. `here` is true if it is true for any module; `elsewhere` is the first reason found in a
/// module.
template <class Real> Calls calls_of_all(const link_map *fftw_mpi) {
  Calls all;
  const link_map *fftw = module_of(Names<Real>::serial());
  for (const link_map *m = first_module(); m != nullptr; m = m->l_next) {
    if (m == own_module() || m == fftw || m == fftw_mpi) continue;
    const Calls calls = calls_of<Real>(*m);
    all.here = all.here || calls.here;
    if (all.elsewhere.empty() && !calls.reason().empty())
      all.elsewhere = std::string(name_of(*m)) + " calls past the drop-in: " + calls.reason();
  }
  return all;
}

/// Returns the reason against plans of HybridFFT for a calling module; empty if there is none. A
/// module that imports no FFTW function has found the planning function by dlsym. Examples are
/// libffi, used by ctypes and cffi, and code compiled at run time, as in Julia.
template <class Real> std::string find_reason(const link_map *module) {
  const link_map *fftw_mpi = module_of(Names<Real>::distributed());
  if (module != nullptr && (module == fftw_mpi || symbol_of(*module, Names<Real>::mpi_planner)))
    return "called through FFTW's own library";
  const Calls calls = module != nullptr ? calls_of<Real>(*module) : Calls{};
  if (!calls.reason().empty()) return calls.reason();
  if (!calls.mapped)
    if (std::string reason = why_two_libraries<Real>(); !reason.empty()) return reason;
  if (calls.here) return "";
  const Calls all = calls_of_all<Real>(fftw_mpi);
  if (!all.elsewhere.empty()) return all.elsewhere;
  if (!calls.bound) return why_lookups_may_pass();
  return all.here ? "" : std::string(name_of(*module)) + " has no use for a plan here";
}

/// Returns find_reason() of a module, cached: the search is slow, and few modules make plans.
template <class Real> std::string reason_of(const link_map *module) {
  static std::mutex mutex;
  static auto *known = new std::map<std::pair<const link_map *, ElfW(Addr)>, std::string>;
  const std::lock_guard lock(mutex);
  const auto key = std::pair(module, module != nullptr ? module->l_addr : 0);
  const auto found = known->find(key);
  if (found != known->end()) return found->second;
  return known->emplace(key, find_reason<Real>(module)).first->second;
}

} // namespace

template <class Real> bool is_fftws(const void *address) noexcept {
  static const link_map *const fftw_mpi = module_of(Names<Real>::distributed());
  return fftw_mpi != nullptr && module_of(address) == fftw_mpi;
}

Entry::Entry(const void *return_address) noexcept : outermost_(caller == nullptr) {
  if (outermost_) caller = return_address;
}

Entry::~Entry() {
  if (outermost_) caller = nullptr;
}

template <class Real> void require_reach() {
  const std::string reason = reason_of<Real>(module_of(caller));
  if (!reason.empty()) throw Failure(HFFT_ERROR_UNSUPPORTED, reason);
}

template bool is_fftws<float>(const void *) noexcept;
template bool is_fftws<double>(const void *) noexcept;
template void require_reach<float>();
template void require_reach<double>();

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

/// Returns true if dlsym must return FFTW's own function to this module. There are two such cases.
/// A module that defines the name itself wraps FFTW, like the drop-in. libhybridfft calls FFTW.
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
