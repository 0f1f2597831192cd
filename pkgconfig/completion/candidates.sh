# _hybridfft_candidates PROGRAM PREVIOUS WORD PLACE: prints completions, one a line, from the program's --help on
# standard input: values of the option PREVIOUS, options if WORD begins with a hyphen, and subcommands in place 1.
# It prints nothing if a file name is expected.
_hybridfft_candidates() {
  awk -v program="${1##*/}" -v previous="$2" -v word="$3" -v place="$4" '
    function print_list(list, n, parts, i) {
      n = split(list, parts, /[ ,]/)
      for (i = 1; i <= n; ++i) print parts[i]
    }
    # The set {a,b} of the option in a line; "" if its values are not a set.
    function set_of(line) {
      sub(/^ +/, "", line)
      if (!match(line, /^-[^{]*\{[^}]*\}/) || line ~ /^-[^{]*   /) return ""
      line = substr(line, 1, RLENGTH - 1)
      sub(/^[^{]*\{/, "", line)
      return line
    }
    function has_option(line, i, n, parts) {
      sub(/^ +/, "", line)
      sub(/  .*/, "", line)
      n = split(line, parts, /[ ,=]+/)
      for (i = 1; i <= n; ++i) if (parts[i] == previous) return 1
      return 0
    }
    BEGIN { # options of k-Wave, whose help has no sets
      if (program ~ /^(hybridfft-kspace|kspaceFirstOrder-)/) {
        values["--precision"] = "single double"
        values["--writer"] = "thread none"
        values["--verbose"] = "0 1 2"
        values["--basis"] = "global local auto"
        values["--coarse_level"] = "on off"
        values["--device"] = "cpu gpu gpu+cpu"
        values["--transport"] = "staged cuda_aware nccl auto"
      }
      if (previous in values) { print_list(values[previous]); found = 1; exit }
    }
    previous ~ /^-/ && !known && /^ +-/ && has_option($0) {
      known = 1
      if (set_of($0) != "") { print_list(set_of($0)); found = 1; exit }
    }
    /^  \{[a-z,]*\}$/ && place == 1 && word !~ /^-/ {
      list = $1
      gsub(/[{}]/, "", list)
      print_list(list)
      exit
    }
    word ~ /^-/ && /^ +-/ {
      line = $0
      sub(/^ +/, "", line)
      sub(/  .*/, "", line)
      while (match(line, /(^|[ ,])--?[A-Za-z][A-Za-z0-9_-]*/)) {
        option = substr(line, RSTART, RLENGTH)
        sub(/^[ ,]/, "", option)
        print option
        line = substr(line, RSTART + RLENGTH)
      }
    }'
}
