// Translates the library's C++ exceptions to Python's hybridfft.errors.Error.
#include "bindings.h"

#include <exception>

#include <hybridfft/error.hpp>

namespace nb = nanobind;

namespace hybridfft::python {

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr &p, void *) {
    try {
      std::rethrow_exception(p);
    } catch (const Error &e) {
      const nb::object type = nb::module_::import_("hybridfft.errors").attr("Error");
      const nb::object error = type(static_cast<int>(e.code()), e.what());
      PyErr_SetObject(type.ptr(), error.ptr());
    }
  });
}

} // namespace hybridfft::python
