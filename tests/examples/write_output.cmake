# cmake -DFILE=name [-DSAME_AS=name] -P write_output.cmake -- command...
# Runs the command and writes its output to FILE. Fails unless the command succeeds and its output equals the content
# of the file SAME_AS, if given.
include(${CMAKE_CURRENT_LIST_DIR}/../support/command_after_separator.cmake)

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_FILE ${FILE})
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${command}\nended with status ${status}, expected 0")
endif()
if(DEFINED SAME_AS)
  file(READ ${FILE} found)
  file(READ ${SAME_AS} expected)
  if(expected STREQUAL "" OR NOT found STREQUAL expected)
    message(FATAL_ERROR "${command}\nwrote\n${found}expected what is in ${SAME_AS}:\n${expected}")
  endif()
endif()
