/// Reads the tables of the dynamic linker: the imported functions of each program or shared
/// library, and their targets.
#pragma once

#include <link.h>

#include <functional>

namespace hybridfft::fftw3_mpi {

/// Returns the program or library with the code at an address; nullptr if there is none.
const link_map *module_of(const void *address) noexcept;

/// This library.
const link_map *own_module() noexcept;

/// Returns the program; the libraries follow in the order of loading (l_next).
const link_map *first_module() noexcept;

/// Returns the file of a module, for messages.
const char *name_of(const link_map &module) noexcept;

/// Calls `use(name, target)` for each function or object imported by a module. The target lies
/// within the module itself until the linker has resolved the name.
void for_each_import(const link_map &module,
                     const std::function<void(const char *name, const void *target)> &use);

/// Returns the module called through an imported function. An unresolved call goes to the symbol
/// that this library finds under the name. In a program linked to fixed addresses the import may be
/// a stub of the program itself: the call then goes to this library or to `other`, whichever was
/// loaded first.
const link_map *destination(const link_map &from, const char *name, const void *target,
                            const link_map *other);

/// Returns the definition of a name exported by the module itself; nullptr if it has none.
void *symbol_of(const link_map &module, const char *name) noexcept;

} // namespace hybridfft::fftw3_mpi
