#include "communicator.h"

#include <cstdint>
#include <string>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace hybridfft::python {

MPI_Comm communicator_of(nb::handle comm) {
  const nb::module_ mpi = nb::module_::import_("mpi4py.MPI");
  if (!nb::isinstance(comm, mpi.attr("Comm"))) {
    const std::string type =
        nb::cast<std::string>(nb::str(nb::handle(comm.type()).attr("__name__")));
    throw nb::type_error(("comm is of type " + type + ", expected mpi4py.MPI.Comm").c_str());
  }
  const auto address = nb::cast<std::uintptr_t>(mpi.attr("_addressof")(comm));
  return *reinterpret_cast<const MPI_Comm *>(address); // NOLINT(performance-no-int-to-ptr)
}

std::string mpi_library_version() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

} // namespace hybridfft::python
