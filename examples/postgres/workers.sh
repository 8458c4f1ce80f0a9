#!/bin/sh
# Starts workers of this study as processes of their own, as a cluster would on machines of their own, and waits for them.
# Kill any of them at any time: another one takes its trial up.
set -eu
here=$(dirname "$0")
: "${ELBOW_STORE:?set it to the address of a database, postgres://user@host/database}"
elbow=${ELBOW:-elbow}
for _ in $(seq "${1:-3}"); do
    $elbow worker "$here/study.toml" >/dev/null &
done
wait
$elbow best "$here/study.toml"
$elbow status "$here/study.toml"
