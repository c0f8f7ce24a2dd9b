#!/bin/sh
# Runs a compiler and keeps what it says of the object that it makes in OBJECT.warnings (cmake/warnings.cmake):
#   sh cmake/warnings_kept.sh COMPILER ARGUMENTS
previous='' object=''
for word; do
    [ "$previous" = -o ] && object=$word
    previous=$word
done
[ -n "$object" ] || exec "$@"
"$@" 2>"$object.warnings"
status=$?
cat "$object.warnings" >&2
[ "$status" -eq 0 ] && [ -s "$object.warnings" ] || rm -f "$object.warnings"
exit "$status"
