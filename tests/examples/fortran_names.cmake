# cmake -DMODULE=hybridfft.f90 -DLIBRARY=libhybridfft.so -DNM=nm -P fortran_names.cmake
# Fails unless the Fortran module binds exactly the exported functions of the library. A function with a communicator
# is bound by the name ..._f03, any other by its C name.
cmake_minimum_required(VERSION 3.20)

execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T hfftf?_[a-z0-9_]+" exported "${symbols}")
list(TRANSFORM exported REPLACE " T " "")
file(READ ${MODULE} text)
string(REGEX MATCHALL "bind\\(C, name='hfft[a-z0-9_]+'" bound "${text}")
list(TRANSFORM bound REPLACE "bind\\(C, name='([a-z0-9_]+)'" "\\1")

set(wrong "")
foreach(name IN LISTS bound)
  if(NOT name IN_LIST exported)
    list(APPEND wrong "${name} is bound, but not exported")
  endif()
endforeach()
foreach(name IN LISTS exported)
  if(NOT name IN_LIST bound AND NOT "${name}_f03" IN_LIST bound)
    list(APPEND wrong "${name} is exported, but not bound")
  endif()
endforeach()
list(LENGTH bound count)
if(wrong OR count LESS 80)
  list(JOIN wrong "\n" wrong)
  message(FATAL_ERROR "${MODULE} binds ${count} functions of ${LIBRARY}\n${wrong}")
endif()
