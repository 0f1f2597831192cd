// The extension module hybridfft._core.
#include "bindings.h"

NB_MODULE(_core, m) {
  m.doc() = "The compiled part of the package hybridfft. Private.";
  // Plans existing at the end of a program are leaked on purpose: destroying them would be
  // collective.
  nanobind::set_leak_warnings(false);
  hybridfft::python::bind_errors();
  hybridfft::python::bind_library(m);
  hybridfft::python::bind_layout(m);
  hybridfft::python::bind_plan(m);
  hybridfft::python::bind_vote(m);
}
