# Debian packages by `cpack -G DEB`, one for each component: the library, what programs are compiled with, the
# programs, and the Python package. Paths, documents and control fields as Debian's policy asks.
string(TIMESTAMP debian_date "%a, %d %b %Y 12:00:00 +0000" UTC)
set(HFFT_DEBIAN_MAINTAINER "HybridFFT authors <hybridfft@users.noreply.github.com>" CACHE STRING
    "Maintainer that the Debian packages name")
set(debian_maintainer "${HFFT_DEBIAN_MAINTAINER}")
set(CPACK_PACKAGE_NAME hybridfft)
set(CPACK_PACKAGE_VENDOR "HybridFFT authors")
set(CPACK_PACKAGE_CONTACT "${debian_maintainer}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib
    ${PROJECT_BINARY_DIR}/lib/grid ${PROJECT_BINARY_DIR}/lib/fftw3_mpi)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL library dev tools)
if(HFFT_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(library_package libhybridfft${HFFT_SOVERSION})
set(package_of_library ${library_package})
set(package_of_dev libhybridfft-dev)
set(package_of_tools hybridfft-tools)
set(package_of_python python3-hybridfft)
set(section_of_library libs)
set(section_of_dev libdevel)
set(section_of_tools science)
set(section_of_python python)
set(summary_of_library "distributed Fourier transforms with MPI and OpenMP - libraries")
set(summary_of_dev "distributed Fourier transforms with MPI and OpenMP - headers")
set(summary_of_tools "distributed Fourier transforms, and a k-space wave solver - programs")
set(summary_of_python "distributed Fourier transforms of numpy arrays")
set(more_of_library "This package has the libraries, one of which stands in for FFTW-MPI.")
set(more_of_dev "This package has what programs are compiled and linked with.")
set(more_of_tools "This package has programs that transform, compare and draw HDF5 files,\n that verify transforms, and the solver for the input files of k-Wave.")
set(more_of_python "This package has plans over numpy arrays and communicators of mpi4py, the\n classes of mpi4py-fft, and simulations of k-Wave in one call.")
set(same_library "${library_package} (= ${PROJECT_VERSION})")
set(depends_of_dev "${same_library}, libopenmpi-dev, libfftw3-dev, libfftw3-mpi-dev")
set(depends_of_tools "${same_library}, openmpi-bin, python3 (>= 3.9), python3-h5py, python3-matplotlib")
if(HFFT_PYTHON) # the extension is for one version of Python
  find_package(Python REQUIRED COMPONENTS Interpreter)
  math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
  set(python "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${next_minor})")
  set(depends_of_python "${same_library}, ${python}, python3-numpy, python3-mpi4py")
endif()
set(suggests_of_python "hybridfft-tools, python3-h5py, python3-matplotlib, python3-tqdm, python3-xarray, python3-scipy")

# Documents of each package: who may do what, and what has changed, compressed without a time of its own.
set(documents ${CMAKE_CURRENT_BINARY_DIR}/debian)
file(WRITE ${documents}/changelog
  "hybridfft (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * Release ${PROJECT_VERSION}; CHANGELOG.md of the "
  "sources tells what is new.\n\n -- ${debian_maintainer}  ${debian_date}\n")
execute_process(COMMAND gzip -9nf ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
string(REGEX REPLACE "^[^\n]*\n+" "" license "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n" "\n " license "${license}")
string(REGEX REPLACE "[ \n]+$" "\n" license "${license}")
file(WRITE ${documents}/copyright
  "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
  "Upstream-Name: HybridFFT\nComment: The binaries are linked with FFTW, which is under the GPL, version 2 or\n"
  " later: /usr/share/common-licenses/GPL-2.\n\nFiles: *\nCopyright: 2026 HybridFFT authors\n"
  "License: BSD-3-Clause\n ${license}")
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${package_of_${component}})
  install(FILES ${documents}/changelog.gz ${documents}/copyright DESTINATION share/doc/${package}
          COMPONENT ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section_of_${component}})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends_of_${component}}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS "${suggests_of_${component}}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION
      "${summary_of_${component}}\n HybridFFT computes Fourier transforms of arrays that are spread over many\n machines, behind the calls of FFTW-MPI.\n ${more_of_${component}}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${CPACK_DEBIAN_${upper}_DESCRIPTION}")
endforeach()
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
# Libraries are found by the linker, because they lie where it looks: it is told of new ones. `shlibs` says
# which package programs need that are linked with them.
set(shlibs "")
foreach(target IN LISTS libraries)
  get_target_property(output ${target} OUTPUT_NAME)
  if(NOT output)
    set(output ${target})
  endif()
  string(APPEND shlibs "lib${output} ${HFFT_SOVERSION} ${library_package} (>= ${PROJECT_VERSION})\n")
endforeach()
file(WRITE ${documents}/shlibs "${shlibs}")
file(WRITE ${documents}/triggers "activate-noawait ldconfig\n")
file(CHMOD ${documents}/shlibs ${documents}/triggers PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${documents}/shlibs ${documents}/triggers)
include(CPack)
