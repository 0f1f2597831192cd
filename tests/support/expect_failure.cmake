# cmake -DCOMMAND="program;arguments" -DEXPECT="regex;regex" -P expect_failure.cmake
# Succeeds if the command fails and its output (stdout and stderr) matches every expression.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
message("${output}")
if(status EQUAL 0)
  message(FATAL_ERROR "exit status 0, a failure was expected")
endif()
foreach(expression IN LISTS EXPECT)
  if(NOT output MATCHES "${expression}")
    message(FATAL_ERROR "no match for \"${expression}\" in the output")
  endif()
endforeach()
