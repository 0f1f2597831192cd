// The extension module hybridfft._core.
#include "bindings.h"

NB_MODULE(_core, m) {
  m.doc() = "The compiled part of the package hybridfft. Private.";
  hybridfft::python::bind_errors();
  hybridfft::python::bind_library(m);
  hybridfft::python::bind_layout(m);
  hybridfft::python::bind_plan(m);
}
