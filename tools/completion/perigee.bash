# Completion of perigee and its other programs for bash. The words come from --help of the program itself, so
# they fit its version. -ORB options come from "perigee -ORBHelp".

# The words of a help text: those under "Subcommands:", or the options.
_perigee_subcommands() {
  sed -n '/^Subcommands:/,$p' | sed -n 's/^  \([a-z][a-z0-9-]*\).*/\1/p'
}
_perigee_options() {
  grep -oE -- '(^|[ ,])--?[A-Za-z][A-Za-z0-9-]*' | tr -d ' ,' | sort -u
}

_perigee() {
  local word=${COMP_WORDS[COMP_CWORD]}
  local command=("${COMP_WORDS[0]}") help position
  help=$("${command[@]}" --help 2> /dev/null)
  for ((position = 1; position < COMP_CWORD; ++position)); do
    local next=${COMP_WORDS[position]}
    if [[ $next == -* ]] || ! _perigee_subcommands <<< "$help" | grep -qxF -- "$next"; then continue; fi
    command+=("$next")
    help=$("${command[@]}" --help 2> /dev/null)
  done
  COMPREPLY=()
  if [[ $word == -ORB* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(perigee -ORBHelp 2> /dev/null | _perigee_options)" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_perigee_options <<< "$help")" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$(_perigee_subcommands <<< "$help")" -- "$word")
  fi
}

# Where nothing fits, bash completes the names of files.
complete -o default -F _perigee perigee perigee-idl perigee-names perigee-events perigee-ifr
