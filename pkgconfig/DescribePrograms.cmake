# Manual pages and shell completion of the installed programs. The manual pages are made from --help, so builds whose
# programs cannot run have none.

# The completions of bash and zsh both include candidates.sh.
set(names "hybridfft-bench hybridfft-cluster hybridfft-compare hybridfft-elastic hybridfft-euler \
hybridfft-generate hybridfft-info hybridfft-kspace hybridfft-levelset hybridfft-model hybridfft-phantom \
hybridfft-plot hybridfft-study hybridfft-transform hybridfft-verify hybridfft-view kspaceFirstOrder-OMP kspaceFirstOrder-CUDA")
file(READ ${PROJECT_SOURCE_DIR}/pkgconfig/completion/candidates.sh candidates)
set(HFFT_COMPLETION ${PROJECT_BINARY_DIR}/completion)
foreach(shell bash zsh)
  configure_file(${PROJECT_SOURCE_DIR}/pkgconfig/completion/${shell}.in ${HFFT_COMPLETION}/${shell} @ONLY)
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/pkgconfig/completion/candidates.sh)

# hfft_describe_programs(component PROGRAMS file... [DEPENDS target...]): installs a manual page and completion
# in bash and zsh for each program. DEPENDS are further programs that these start.
function(hfft_describe_programs component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PROGRAMS;DEPENDS")
  set(script ${PROJECT_SOURCE_DIR}/pkgconfig/manual_page.cmake)
  set(pages "")
  foreach(program IN LISTS arg_PROGRAMS)
    string(REGEX REPLACE "^.*[/:]([^/:>]+)>?$" "\\1" name ${program})
    # bash looks for a file of the program's name.
    install(FILES ${HFFT_COMPLETION}/bash RENAME ${name}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
    if(HFFT_SANITIZE OR CMAKE_CROSSCOMPILING)
      continue()
    endif()
    set(page ${CMAKE_CURRENT_BINARY_DIR}/man/${name}.1)
    add_custom_command(OUTPUT ${page} DEPENDS ${program} ${arg_DEPENDS} ${script}
      ${PROJECT_SOURCE_DIR}/pkgconfig/manual_sections ${PROJECT_SOURCE_DIR}/docs/environment.md
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=${program} -DVERSION=${PROJECT_VERSION} -DPAGE=${page} -P ${script}
      VERBATIM)
    if(HFFT_DEBIAN) # Debian's policy requires compressed manual pages
      add_custom_command(OUTPUT ${page}.gz DEPENDS ${page} COMMAND gzip -9nkf ${page} VERBATIM)
      string(APPEND page .gz)
    endif()
    list(APPEND pages ${page})
  endforeach()
  set(zsh_folder site-functions)
  if(HFFT_DEBIAN) # Debian's zsh has another folder for the completions of packages
    set(zsh_folder vendor-completions)
  endif()
  # One zsh file serves all programs. Debian packages must not share files, so only hybridfft-tools contains it. Other
  # packages with programs depend on this package.
  if(NOT HFFT_DEBIAN OR component STREQUAL tools)
    install(FILES ${HFFT_COMPLETION}/zsh RENAME _hybridfft
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} COMPONENT ${component})
  endif()
  add_custom_target(hybridfft_manual_pages_of_${component} ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()
