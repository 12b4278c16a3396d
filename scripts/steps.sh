# Steps of a run that goes on after a failure: for .ci/run and scripts/release-check, which source
# this file. A run calls `step` for each step, and `finish_steps` in the end.
jobs=$(nproc)
passed=0
failed=0
failures=()
summary=()  # a line for each step
# Lines in the output of a test that say why it failed.
causes=': (FATAL )?ERROR: |Sanitizer: |^(FAIL|ERROR): |values: '
findings=$(mktemp)  # the output of failed steps, printed again at the end
trap 'rm -f "$findings"' EXIT

# step <name> <command>...: runs the command, and counts it as one step. If the command is ctest, counts
# its tests instead.
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

# shorten: prints a part of the output of each failed test: the lines with the causes, and the last 60
# lines.
shorten() {
  awk -v causes="$causes" '
    function flush_tail() { for (i = n > 60 ? n - 59 : 1; i <= n; ++i) print tail[i]; n = 0 }
    /\*\*\*/ { flush_tail(); print; next }
    $0 ~ causes { if (++seen[$0] == 1) print }
    { tail[++n] = $0 }
    END { flush_tail() }'
}

# keep_findings <name> <log>: stores the output of the tests that failed. If the step ran no tests,
# stores the end of its log.
keep_findings() {
  local tests
  tests=$(awk '/^ *(Start +[0-9]+:|[0-9]+\/[0-9]+ Test +#)/ { failed = 0 } /\*\*\*/ { failed = 1 } failed' "$2")
  {
    echo "==== $1: failed with"
    if [[ -n $tests ]]; then shorten <<< "$tests"; else tail -n 40 "$2"; fi
  } >> "$findings"
}

# print_causes: prints the names of the failed tests in the findings, and the first lines with causes.
# These lines stand at the end of the output, because a shortened log shows its end.
print_causes() {
  grep -E "\\*\\*\\*|$causes" "$findings" | cut -c1-160 |
    awk '/\*\*\*/ { lines = 0; split("", seen) } !seen[$0]++ && lines++ < 5' | head -n 24
}

# finish_steps: prints the findings and the counts, and returns the status of the run.
finish_steps() {
  cat "$findings"
  print_causes
  if ((${#failures[@]} > 0)); then
    echo "Failed: $(IFS=,; echo "${failures[*]}")"
  fi
  echo "$passed passed, $failed failed"
  ((failed == 0))
}
