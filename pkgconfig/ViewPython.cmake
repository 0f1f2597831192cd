# Chooses the Python of hybridfft-view and of the tests that read HDF5 files: the first one of the PATH, else Debian's,
# that imports h5py, matplotlib and numpy. Sets HFFT_PYTHON_WITH_HDF5 to its command, and view_python to the same as
# words. A Python chosen by the user must have the three packages. Without any, a message lists the missing ones.
set(modules_check [[
import sys
lacks = []
for name in ("h5py", "matplotlib", "numpy"):
    try:
        __import__(name)
    except Exception:
        lacks.append(name)
print(sys.executable, "cannot import", ", ".join(lacks))
sys.exit(bool(lacks))
]])
set(view_pythons "/usr/bin/env python3" /usr/bin/python3)
if(HFFT_DEBIAN)
  set(view_pythons /usr/bin/python3)
endif()
list(GET view_pythons 0 view_python)
set(chosen_python "${HFFT_PYTHON_WITH_HDF5}")
if(chosen_python)
  list(JOIN chosen_python " " view_pythons)
endif()
set(found_python "")
set(python_reasons "")
foreach(python IN LISTS view_pythons)
  separate_arguments(command UNIX_COMMAND "${python}")
  execute_process(COMMAND ${command} -c "${modules_check}" RESULT_VARIABLE status OUTPUT_VARIABLE reason
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(found_python ${command})
    set(view_python ${python})
    break()
  elseif(NOT reason)
    set(reason "${python} is no Python that runs")
  endif()
  list(APPEND python_reasons "${reason}")
endforeach()
list(REMOVE_DUPLICATES python_reasons)
list(JOIN python_reasons "; " python_reasons)
if(found_python)
  set(HFFT_PYTHON_WITH_HDF5 ${found_python})
elseif(chosen_python)
  message(FATAL_ERROR "HFFT_PYTHON_WITH_HDF5 is '${view_pythons}': ${python_reasons}. Expected a Python with h5py, "
                      "matplotlib and numpy.")
else()
  message(STATUS "hybridfft-view cannot draw: ${python_reasons}. Install them (Debian: python3-h5py, "
                 "python3-matplotlib), or set HFFT_PYTHON_WITH_HDF5 to a Python that has them.")
endif()
