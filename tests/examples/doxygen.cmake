# cmake -DDOXYGEN=doxygen -DSOURCE=dir -DSCRATCH=dir -P doxygen.cmake
# Doxygen makes pages of the public headers without a warning, and finds the functions that macros
# declare.
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
file(READ ${SOURCE}/docs/Doxyfile config)
file(WRITE ${SCRATCH}/Doxyfile
  "${config}\nOUTPUT_DIRECTORY = \"${SCRATCH}\"\nGENERATE_HTML = NO\nGENERATE_XML = YES\n")
execute_process(COMMAND ${DOXYGEN} ${SCRATCH}/Doxyfile WORKING_DIRECTORY ${SOURCE}
                RESULT_VARIABLE status ERROR_VARIABLE messages OUTPUT_QUIET)
if(NOT status EQUAL 0 OR messages MATCHES "warning:|error:")
  message(FATAL_ERROR "${DOXYGEN} ended with status ${status}\n${messages}")
endif()
file(GLOB pages ${SCRATCH}/xml/*_8h.xml)
set(text "")
foreach(page IN LISTS pages)
  file(READ ${page} one)
  string(APPEND text "${one}")
endforeach()
foreach(function hfft_plan_slabs hfft_plan_dft_3d hfft_plan_layouts hfft_plan_pruned_layout_dft_c2r
        hfft_operator_planes hfft_work_set_memory hfft_execute_wait hfft_last_error)
  if(NOT text MATCHES "<name>${function}</name>")
    message(FATAL_ERROR "the pages do not have ${function}")
  endif()
endforeach()
string(REGEX MATCHALL "<memberdef kind=\"function\"" functions "${text}")
list(LENGTH functions count)
if(count LESS 90)
  message(FATAL_ERROR "the pages have ${count} functions of the C headers, expected 90 or more")
endif()
message(STATUS "${count} functions, no warning")
