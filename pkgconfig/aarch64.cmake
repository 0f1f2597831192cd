# Toolchain for a cross build on Debian 12 for AArch64, with the arm64 packages of a multiarch root:
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install g++-aarch64-linux-gnu qemu-user-static cmake ninja-build pkg-config libcli11-dev
#   apt-get install lib{openmpi,fftw3,fftw3-mpi,hdf5-openmpi,png,gtest}-dev:arm64
# These packages replace the machine's own openmpi-bin, which can be installed for one architecture only. To keep it,
# install them in a separate root, as tests/install/aarch64.sh does. Programs, and tests on one process, run under
# qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(triplet aarch64-linux-gnu)
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${triplet}/pkgconfig:/usr/share/pkgconfig)

# MPI's compiler wrappers do not run here, because they are programs for AArch64. These are the options that they add.
set(libraries /usr/lib/${triplet})
foreach(language C CXX)
  set(MPI_${language}_COMPILER ${CMAKE_${language}_COMPILER} CACHE STRING "")
  set(MPI_${language}_COMPILER_INCLUDE_DIRS ${libraries}/openmpi/include CACHE STRING "")
  set(MPI_${language}_LIB_NAMES mpi CACHE STRING "")
endforeach()
set(MPI_mpi_LIBRARY ${libraries}/openmpi/lib/libmpi.so CACHE FILEPATH "")
