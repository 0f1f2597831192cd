#include "fftw3_mpi/modules.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

namespace hybridfft::fftw3_mpi {

namespace {

/// Position of the symbol's index in a relocation's r_info (ELF64_R_SYM, ELF32_R_SYM).
constexpr unsigned symbol_shift = sizeof(void *) == 8 ? 32 : 8;

/// Relocation table: address, and length in bytes.
struct Table {
  std::uintptr_t address = 0;
  std::uintptr_t bytes = 0;
};

/// Tables in a module's dynamic section that describe its imports.
class Dynamic {
public:
  explicit Dynamic(const link_map &module) : base_(module.l_addr) {
    for (const ElfW(Dyn) *entry = module.l_ld; entry->d_tag != DT_NULL; ++entry)
      read(*entry);
  }

  /// Calls use(name, slot) for each import; the slot is the address of the resolved pointer.
  template <class F> void for_each(const F &use) const {
    if (symbols_ == 0 || strings_ == 0) return;
    for_each_in<ElfW(Rela)>(with_addend_, use);
    for_each_in<ElfW(Rel)>(without_addend_, use);
    if (calls_with_addend_)
      for_each_in<ElfW(Rela)>(calls_, use);
    else
      for_each_in<ElfW(Rel)>(calls_, use);
  }

private:
  /// Returns the address of an entry. Some systems relocate the addresses of this section, others
  /// keep the file's values.
  std::uintptr_t address(const ElfW(Dyn) & entry) const {
    const std::uintptr_t p = entry.d_un.d_ptr;
    return p < base_ ? p + base_ : p;
  }

  void read(const ElfW(Dyn) & entry) {
    switch (entry.d_tag) {
    case DT_SYMTAB:
      symbols_ = address(entry);
      break;
    case DT_STRTAB:
      strings_ = address(entry);
      break;
    case DT_RELA:
      with_addend_.address = address(entry);
      break;
    case DT_RELASZ:
      with_addend_.bytes = entry.d_un.d_val;
      break;
    case DT_REL:
      without_addend_.address = address(entry);
      break;
    case DT_RELSZ:
      without_addend_.bytes = entry.d_un.d_val;
      break;
    case DT_JMPREL:
      calls_.address = address(entry);
      break;
    case DT_PLTRELSZ:
      calls_.bytes = entry.d_un.d_val;
      break;
    case DT_PLTREL:
      calls_with_addend_ = entry.d_un.d_val == DT_RELA;
      break;
    default:
      break;
    }
  }

  template <class Relocation, class F> void for_each_in(const Table &table, const F &use) const {
    const auto *relocation = reinterpret_cast<const Relocation *>(table.address);
    for (std::uintptr_t i = 0; i < table.bytes / sizeof(Relocation); ++i) {
      const std::uintptr_t index = relocation[i].r_info >> symbol_shift;
      if (index == 0) continue;
      const auto &symbol = reinterpret_cast<const ElfW(Sym) *>(symbols_)[index];
      if (symbol.st_shndx == SHN_UNDEF)
        use(reinterpret_cast<const char *>(strings_) + symbol.st_name,
            base_ + relocation[i].r_offset);
    }
  }

  std::uintptr_t base_;
  std::uintptr_t symbols_ = 0, strings_ = 0;
  Table with_addend_, without_addend_, calls_;
  bool calls_with_addend_ = true;
};

} // namespace

const link_map *module_of(const void *address) noexcept {
  Dl_info info{};
  void *found = nullptr;
  return dladdr1(address, &info, &found, RTLD_DL_LINKMAP) != 0 ? static_cast<link_map *>(found)
                                                               : nullptr;
}

const link_map *own_module() noexcept {
  static const link_map *const own = module_of(reinterpret_cast<const void *>(&own_module));
  return own;
}

const link_map *first_module() noexcept {
  const link_map *module = own_module();
  while (module != nullptr && module->l_prev != nullptr)
    module = module->l_prev;
  return module;
}

const char *name_of(const link_map &module) noexcept {
  return module.l_name != nullptr && *module.l_name != '\0' ? module.l_name : "the program";
}

void for_each_import(const link_map &module,
                     const std::function<void(const char *name, const void *target)> &use) {
  Dynamic(module).for_each([&use](const char *name, std::uintptr_t slot) {
    const void *target = nullptr;
    std::memcpy(&target, reinterpret_cast<const void *>(slot), sizeof target);
    use(name, target);
  });
}

const link_map *destination(const link_map &from, const char *name, const void *target,
                            const link_map *other) {
  const link_map *to = module_of(target);
  if (to == &from) to = module_of(dlsym(RTLD_DEFAULT, name));
  if (to != &from) return to;
  for (to = first_module(); to != nullptr; to = to->l_next)
    if (to == own_module() || to == other) return to;
  return nullptr;
}

void *symbol_of(const link_map &module, const char *name) noexcept {
  const bool program = module.l_name == nullptr || *module.l_name == '\0';
  void *library = dlopen(program ? nullptr : module.l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void *found = dlsym(library, name);
  dlclose(library); // the library stays loaded: its code is running
  return found != nullptr && module_of(found) == &module ? found : nullptr;
}

} // namespace hybridfft::fftw3_mpi
