# What the installed programs come with. Where what is built can be run, the manual pages are made of --help.

# hfft_describe_programs(component PROGRAMS file... [DEPENDS target...]): installs a manual page and completion
# in bash for each program. DEPENDS are further programs that these start.
function(hfft_describe_programs component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PROGRAMS;DEPENDS")
  set(script ${PROJECT_SOURCE_DIR}/pkgconfig/manual_page.cmake)
  set(pages "")
  foreach(program IN LISTS arg_PROGRAMS)
    string(REGEX REPLACE "^.*[/:]([^/:>]+)>?$" "\\1" name ${program})
    # bash looks for a file of the program's name.
    install(FILES ${PROJECT_SOURCE_DIR}/pkgconfig/bash-completion RENAME ${name}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
    if(HFFT_SANITIZE OR CMAKE_CROSSCOMPILING)
      continue()
    endif()
    set(page ${CMAKE_CURRENT_BINARY_DIR}/man/${name}.1)
    add_custom_command(OUTPUT ${page} DEPENDS ${program} ${arg_DEPENDS} ${script}
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=${program} -DVERSION=${PROJECT_VERSION} -DPAGE=${page} -P ${script}
      VERBATIM)
    if(HFFT_DEBIAN) # whose policy wants them compressed
      add_custom_command(OUTPUT ${page}.gz DEPENDS ${page} COMMAND gzip -9nkf ${page} VERBATIM)
      string(APPEND page .gz)
    endif()
    list(APPEND pages ${page})
  endforeach()
  add_custom_target(hybridfft_manual_pages_of_${component} ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()
