// The extension module hybridfft._core, and its functions without a plan: wisdom, threads, lengths
// of transforms, memory, errors and communicators.
#include "bindings.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include <hybridfft/error.hpp>
#include <hybridfft/hybridfft.hpp>
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

namespace {

[[noreturn]] void raise() { detail::Api<double>::raise(); }

void require(bool ok) {
  if (!ok) raise();
}

/// Bytes of the library's aligned memory, first touched by the threads of the next plan. Python
/// accesses them through the buffer protocol.
class Bytes {
public:
  explicit Bytes(std::size_t size) : bytes_(size) {}
  static int show(PyObject *self, Py_buffer *view, int flags) {
    Buffer<std::byte> &bytes = nb::inst_ptr<Bytes>(self)->bytes_;
    return PyBuffer_FillInfo(view, self, bytes.data(), static_cast<Py_ssize_t>(bytes.size()), 0,
                             flags);
  }

private:
  Buffer<std::byte> bytes_;
};

/// Calls a communicating function of the C API without Python's lock.
template <class F> void collective(F &&f) {
  bool ok = false;
  {
    const nb::gil_scoped_release release;
    ok = f();
  }
  require(ok);
}

} // namespace

void bind_library(nb::module_ &m) {
  m.def("is_running", [] { return hfft_init() == HFFT_SUCCESS; });
  // Ends MPI at exit like mpi4py, except in a child of fork().
  m.def("finalize_at_exit", [] {
    Py_AtExit([] {
      if (hfft_init() == HFFT_SUCCESS) MPI_Finalize();
    });
  });
  m.def("require_running", [] { require(hfft_init() == HFFT_SUCCESS); });
  // Throws for an invalid communicator, for which local sizes are -1.
  m.def("require_communicator", [](nb::handle comm) {
    require(hfft_local_size_2d(1, 1, communicator_of(comm), nullptr, nullptr) >= 0);
  });
  // A kept object outlives the interpreter unless it is released later.
  m.def("keep", [](nb::handle object) { object.inc_ref(); });
  m.def("release", [](nb::handle object) { object.dec_ref(); });
  m.attr("mpi") = HFFT_MPI;
  m.attr("sizeof_communicator") = sizeof(MPI_Comm);
  m.def("mpi_library_version", &mpi_library_version);
  m.def("version", &hfft_version);
  m.def("build_info", &hfft_build_info);
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void *>(&Bytes::show)},
                                {0, nullptr}};
  nb::class_<Bytes>(m, "Bytes", nb::type_slots(slots))
      .def(nb::init<std::size_t>(), nb::call_guard<nb::gil_scoped_release>());
  m.def("kind_of_length",
        [](std::ptrdiff_t n) { return static_cast<int>(hfft_kind_of_length(n)); });
  m.def("next_fast_length", [](std::ptrdiff_t n) {
    const std::ptrdiff_t next = hfft_next_fast_length(n);
    require(next > 0);
    return next;
  });
  m.def("set_threads",
        [](int threads) { require(hfft_plan_with_nthreads(threads) == HFFT_SUCCESS); });
  m.def("threads", &hfft_planner_nthreads);
  m.def("set_time_limit", &hfft_set_timelimit);
  m.def("cleanup", &hfft_cleanup);
  m.def("export_wisdom", &export_wisdom);
  m.def("import_wisdom", &import_wisdom);
  m.def("save_wisdom", [](const std::string &file) {
    require(hfft_export_wisdom_to_filename(file.c_str()) != 0);
  });
  m.def("load_wisdom", [](const std::string &file) {
    require(hfft_import_wisdom_from_filename(file.c_str()) != 0);
  });
  m.def("forget_wisdom", &hfft_forget_wisdom);
  m.def("broadcast_wisdom", [](nb::handle comm) {
    collective([c = communicator_of(comm)] { return hfft_broadcast_wisdom(c) != 0; });
  });
  m.def("gather_wisdom", [](nb::handle comm) {
    collective([c = communicator_of(comm)] { return hfft_gather_wisdom(c) != 0; });
  });
}
} // namespace hybridfft::python

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
