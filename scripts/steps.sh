# Steps of a run that goes on after a failure: for .ci/run and scripts/release-check, which source
# this file. A run calls `step` for each step, and `finish_steps` in the end.
jobs=$(nproc)
passed=0
failed=0
failures=()
summary=()  # a line for each step
findings=$(mktemp)  # the output of failed steps, printed again at the end
trap 'rm -f "$findings"' EXIT

# step <name> <command>...: runs the command, and counts it as one step. Of a ctest, counts the tests.
step() {
  local name=$1 log status=0 started=$SECONDS
  shift
  log=$(mktemp)
  echo "==== $name"
  "$@" 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  count "$name" "$status" "$log"
  summary+=("$name: $([[ $status == 0 ]] && echo passed || echo FAILED) ($((SECONDS - started)) s)")
  echo "==== ${summary[-1]}"
  rm -f "$log"
  return "$status"
}

count() {
  local name=$1 status=$2 log=$3
  local pattern='^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)'
  local line
  line=$(grep -E "$pattern" "$log" | tail -n 1)
  if [[ $line =~ $pattern ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
    if [[ $status != 0 && ${BASH_REMATCH[1]} == 0 ]]; then failed=$((failed + 1)); fi
  elif [[ $status == 0 ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
  if [[ $status != 0 ]]; then
    failures+=("$name")
    keep_findings "$name" "$log"
  fi
}

# keep_findings <name> <log>: the output of the tests that failed, or the end of another step's log.
keep_findings() {
  local tests
  tests=$(awk '/^ *(Start +[0-9]+:|[0-9]+\/[0-9]+ Test +#)/ { failed = 0 } /\*\*\*/ { failed = 1 } failed' "$2")
  {
    echo "==== $1: failed with"
    if [[ -n $tests ]]; then tail -n 100 <<< "$tests"; else tail -n 40 "$2"; fi
  } >> "$findings"
}

# finish_steps: prints the findings and the counts, and returns the status of the run.
finish_steps() {
  cat "$findings"
  if ((${#failures[@]} > 0)); then
    echo "Failed: $(IFS=,; echo "${failures[*]}")"
  fi
  echo "$passed passed, $failed failed"
  ((failed == 0))
}
