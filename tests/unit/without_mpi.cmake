# cmake -DCOMMANDS=compile_commands.json -DSOURCES=dir -DMPI_INCLUDES=list -DCXX=c++ -P without_mpi.cmake
# Checks the compile commands of simd/, lib/local, lib/layout and the part of lib/base without MPI. The folder
# base/without_mpi, whose <mpi.h> stops the compiler, must be in the include path. MPI's own folders must not.
set(guard ${SOURCES}/lib/base/without_mpi)
file(STRINGS ${COMMANDS} lines REGEX "^ *\"command\":")
foreach(target process simd local)
  set(commands ${lines})
  list(FILTER commands INCLUDE REGEX "hybridfft_${target}\\.dir/")
  list(LENGTH commands count)
  if(count EQUAL 0)
    message(FATAL_ERROR "${COMMANDS}: found no file of hybridfft_${target}")
  endif()
  foreach(command IN LISTS commands)
    string(REGEX REPLACE "^.*\"command\": \"" "" command "${command}")
    string(REGEX MATCH " -I[^ ]*" first "${command}")
    if(NOT first STREQUAL " -I${guard}")
      message(FATAL_ERROR "expected -I${guard} before all others in\n${command}")
    endif()
    foreach(folder IN LISTS MPI_INCLUDES)
      if(command MATCHES "(-I|-isystem )${folder}[ \"]")
        message(FATAL_ERROR "found MPI's ${folder} in\n${command}")
      endif()
    endforeach()
  endforeach()
endforeach()
foreach(target objects base) # targets with MPI compile none of these sources
  set(commands ${lines})
  list(FILTER commands INCLUDE REGEX "hybridfft_${target}\\.dir/(local|layout|simd)/")
  if(commands)
    message(FATAL_ERROR "expected these in hybridfft_local:\n${commands}")
  endif()
endforeach()

# The guard also works if MPI's headers are in the include path.
list(TRANSFORM MPI_INCLUDES PREPEND -isystem)
execute_process(COMMAND ${CXX} -std=c++20 -I${guard} -I${SOURCES}/lib -I${SOURCES}/include ${MPI_INCLUDES}
                        -fsyntax-only ${SOURCES}/lib/base/mpi.cpp
                RESULT_VARIABLE status ERROR_VARIABLE text)
if(status EQUAL 0 OR NOT text MATCHES "compiled without MPI")
  message(FATAL_ERROR "a file that includes <mpi.h> ended with status ${status}\n${text}")
endif()
