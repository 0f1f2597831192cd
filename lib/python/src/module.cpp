// The extension module hybridfft._core.
#include "bindings.h"

NB_MODULE(_core, m) {
  m.doc() = "The compiled part of the package hybridfft. Private.";
  // Plans that programs still have when they end are not ended: that would be collective.
  nanobind::set_leak_warnings(false);
  hybridfft::python::bind_errors();
  hybridfft::python::bind_library(m);
  hybridfft::python::bind_layout(m);
  hybridfft::python::bind_plan(m);
  hybridfft::python::bind_vote(m);
}
