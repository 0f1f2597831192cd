# cmake -DEXPECTED=text [-DERROR=regex] -P expect_output.cmake -- command...
# Runs the command. Fails unless its exit status is 0, its standard output equals EXPECTED (\n is a line end), and its
# standard error matches ERROR. (CTest's PASS_REGULAR_EXPRESSION would ignore the exit status.)
include(${CMAKE_CURRENT_LIST_DIR}/../support/command_after_separator.cmake)

string(REPLACE "\\n" "\n" EXPECTED "${EXPECTED}")
set(capture "")
if(DEFINED ERROR)
  set(capture ERROR_VARIABLE error)
endif()
execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ${capture})
if(NOT status EQUAL 0 OR NOT output STREQUAL EXPECTED)
  message(FATAL_ERROR "${command}\nended with status ${status}, expected 0, and wrote\n${output}"
                      "expected\n${EXPECTED}")
endif()
if(DEFINED ERROR AND NOT error MATCHES "${ERROR}")
  message(FATAL_ERROR "${command}\nwrote to its standard error\n${error}expected ${ERROR}")
endif()
