# cmake -DCC=compiler -DCXX=compiler -DMPI=mpi -DINCLUDES=list -DMPI_INCLUDES=list -P header.cmake
# The C headers must stop the compiler if <mpi.h> is of another MPI than the library's, with a message that names both.
# The C++ headers must refuse C++17 in their first message. error.h and error.hpp must compile without MPI.
function(expect_error regex)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX MATCH "[^\n]*error:[^\n]*" first "${text}")
  if(status EQUAL 0 OR NOT first MATCHES "${regex}")
    message(FATAL_ERROR "${ARGN}\nended with status ${status}, its first error is\n${first}\n"
                        "expected one that matches ${regex}")
  endif()
endfunction()
list(TRANSFORM INCLUDES PREPEND -I)
list(TRANSFORM MPI_INCLUDES PREPEND -isystem)
set(foreign ${CMAKE_CURRENT_LIST_DIR}/mpich)

foreach(header hybridfft.h layout.h)
  expect_error("built for ${MPI}.*MPICH's" ${CC} -I${foreign} ${INCLUDES}
               -fsyntax-only -include hybridfft/${header} -x c /dev/null)
endforeach()
foreach(header hybridfft.hpp layout.hpp operators.hpp pencils.hpp trace.hpp)
  expect_error("C\\+\\+20.*-std=c\\+\\+20" ${CXX} -std=c++17 ${INCLUDES} ${MPI_INCLUDES}
               -fsyntax-only -include hybridfft/${header} -x c++ /dev/null)
endforeach()
foreach(language c c++) # with the right MPI there is no warning
  execute_process(COMMAND ${CXX} ${INCLUDES} ${MPI_INCLUDES} -fsyntax-only -Wall -Wextra -pedantic
                          -Werror -include hybridfft/hybridfft.h -x ${language} /dev/null
                  RESULT_VARIABLE status ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "hybridfft.h as ${language} by default: ${text}")
  endif()
endforeach()
foreach(header error.h error.hpp)
  execute_process(COMMAND ${CXX} -std=c++20 ${INCLUDES} -H -fsyntax-only -Wall -Wextra -pedantic
                          -Werror -include hybridfft/${header} -x c++ /dev/null
                  RESULT_VARIABLE status ERROR_VARIABLE text)
  if(NOT status EQUAL 0 OR text MATCHES "mpi\\.h")
    message(FATAL_ERROR "${header} without MPI: ${text}")
  endif()
endforeach()
