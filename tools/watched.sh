# For commands that take minutes: sourced by tools/setup and the like.
#   watched WHAT LOG STEPS COMMAND...
# runs COMMAND with its output in LOG and tells how far it is: WHAT, the line that `STEPS LOG` prints, the time.
# A terminal has a line that changes every second; elsewhere there is a line every five seconds. Where COMMAND
# fails the end of LOG is shown; an interruption ends all that COMMAND started.

watched_pause=5
[ ! -t 1 ] || watched_pause=1

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
fail() {
    say "$@" >&2
    exit 1
}

# 75 is "1 min 15 s".
duration() {
    (($1 < 60)) || printf '%d min ' $(($1 / 60))
    printf '%d s' $(($1 % 60))
}

# The last [57/143] of ninja, with NINJA_STATUS='[%f/%t] '.
ninja_steps() { grep -o '\[[0-9]*/[0-9]*\]' "$1" | tail -n 1 | sed 's|\[\(.*\)/\(.*\)\]|\1 of \2|'; }

tell_of_watched() {
    local now
    now="$(printf '%s: %s: %s%s' "${0##*/}" "$watched_what" "${1:+$1, }" "$(duration $((SECONDS - watched_since)))")"
    if [ -t 1 ]; then printf '\r\033[K%s' "$now"; else printf '%s\n' "$now"; fi
    watched_told=$SECONDS
}

# Passes the signal on: apt-get leaves what it is about in order at INT, not at TERM.
end_watched() {
    trap - INT TERM HUP
    [ ! -t 1 ] || echo
    say "stopping as soon as what runs can be left" >&2
    kill "-$1" -- "-$watched_group" 2>/dev/null || true
    wait "$watched_group" || true
    kill -TERM -- "-$watched_group" 2>/dev/null || true # what a shell starts in its background ignores INT
    say "stopped; the next try goes on from here" >&2
    exit 130
}

watched() {
    local log=$2 steps=$3 status=0 signal
    watched_what=$1 watched_since=$SECONDS
    shift 3
    set -m # a group of processes, which is stopped as one
    "$@" </dev/null >"$log" 2>&1 &
    watched_group=$!
    set +m
    for signal in INT TERM HUP; do
        trap "end_watched $signal" "$signal"
    done
    tell_of_watched
    while kill -0 "$watched_group" 2>/dev/null; do
        sleep 0.5
        ((SECONDS - watched_told < watched_pause)) || tell_of_watched "$("$steps" "$log")"
    done
    wait "$watched_group" || status=$?
    trap - INT TERM HUP
    tell_of_watched "$("$steps" "$log")"
    [ ! -t 1 ] || echo
    if [ "$status" -ne 0 ]; then
        tail -n 40 "$log" >&2
        fail "$watched_what failed (exit status $status): the end of $log is above; mend it and try again, which goes on" \
            "from here."
    fi
}
