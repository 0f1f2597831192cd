/// Reads the tables of the dynamic linker: the functions imported by each module (program or shared
/// library), and the modules that they are bound to.
#pragma once

#include <link.h>

#include <functional>

namespace hybridfft::fftw3_mpi {

/// Returns the module with the code at an address; nullptr if there is none.
const link_map *module_of(const void *address) noexcept;

/// Returns the module of the drop-in.
const link_map *own_module() noexcept;

/// Returns the module of the program. The libraries follow in the order of loading (l_next).
const link_map *first_module() noexcept;

/// Returns the file name of a module, for messages.
const char *name_of(const link_map &module) noexcept;

/// Calls use(name, target) for each function or object imported by a module. Before the linker has
/// resolved the name, the target lies within the module itself.
void for_each_import(const link_map &module,
                     const std::function<void(const char *name, const void *target)> &use);

/// Returns the module that a call of an imported function reaches; `name` and `target` are those of
/// for_each_import(). An unresolved import will be bound to the first definition of the name. In a
/// program linked to fixed addresses, this may be a stub in the program itself. The call then goes
/// to the drop-in or to `other`, whichever was loaded first.
const link_map *destination(const link_map &from, const char *name, const void *target,
                            const link_map *other);

/// Returns the definition of a name exported by a module itself; nullptr if it has none.
void *symbol_of(const link_map &module, const char *name) noexcept;

} // namespace hybridfft::fftw3_mpi
