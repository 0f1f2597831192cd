/// Tables of the dynamic linker: which program or shared library calls which functions of others,
/// and where those calls go.
#pragma once

#include <link.h>

#include <functional>

namespace hybridfft::fftw3_mpi {

/// The program or library that contains an address; nullptr where there is none.
const link_map *module_of(const void *address) noexcept;

/// This library.
const link_map *own_module() noexcept;

/// The program; the libraries follow as they were loaded (l_next).
const link_map *first_module() noexcept;

/// The file of a module, for messages.
const char *name_of(const link_map &module) noexcept;

/// Calls `use(name, target)` for each function or object that a module takes from outside. The
/// target lies within the module itself as long as the linker has not looked the name up.
void for_each_import(const link_map &module,
                     const std::function<void(const char *name, const void *target)> &use);

/// The module that a call of an imported function goes to. One that has not been looked up yet goes
/// to the symbol that this library finds under the name, unless that is the stub of a program that
/// is linked to fixed addresses: then to this library or `other`, whichever was loaded first.
const link_map *destination(const link_map &from, const char *name, const void *target,
                            const link_map *other);

/// The definition of a name that a module itself exports; nullptr if it has none.
void *symbol_of(const link_map &module, const char *name) noexcept;

} // namespace hybridfft::fftw3_mpi
