# Starts a repository and waits for its reference. The caller has set `folder`, the build folder.
scratch=$(mktemp -d)
server=
finish() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
  rm -rf "$scratch"
}
trap finish EXIT

# serve COMMAND...: the command writes its reference into the file $reference.
reference=$scratch/repository.ior
serve() {
  "$@" >"$scratch/server.txt" 2>&1 &
  server=$!
  until [[ -s $reference ]]; do
    kill -0 "$server" 2>/dev/null || { cat "$scratch/server.txt" >&2; exit 1; }
    sleep 0.05
  done
}

# expect FILE LINE...: the file has all these lines, except for spaces at their ends.
expect() {
  local file=$1 line
  shift
  for line in "$@"; do
    grep -qF -- "$line" "$file" || { echo "missing: $line" >&2; cat "$file" >&2; exit 1; }
  done
}
