#!/bin/sh
# Try make targets as a stranger does: each in a fresh clone of HEAD with an environment of its own.
#   scripts/fresh.sh              all of them
#   scripts/fresh.sh docs check   some
# Prints one line a target; the log of one that failed is kept and named. Ends with 1 if any failed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d "${TMPDIR:-/tmp}/learnable-fresh.XXXXXX")
[ $# -gt 0 ] || set -- learn check syllabus docs test compat coverage bench
failed=0
for target in "$@"; do
    clone=$place/$target
    log=$place/$target.log
    start=$(date +%s)
    options=
    [ "$target" = bench ] && options="ARGS=race --quick"
    # No environment or cache of the caller: what the clone needs, it must bring.
    if git clone --quiet "$root" "$clone" >"$log" 2>&1 &&
        (cd "$clone" && env -u VIRTUAL_ENV -u PYTHONPATH LEARNABLE_CACHE_DIR="$clone/.cache" make "$target" ${options:+"$options"}) \
            >>"$log" 2>&1 </dev/null; then
        outcome=passed
        rm -rf "$clone"
    else
        outcome="FAILED, see $log"
        failed=1
    fi
    printf '%-10s %5d s  %s\n' "$target" $(($(date +%s) - start)) "$outcome"
done
[ $failed -eq 0 ] && rm -rf "$place"
exit $failed
