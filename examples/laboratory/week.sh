#!/bin/sh
# A week in the laboratory of this example: `week.sh [DAYS] [BATCHES A DAY]`. Sheets and pictures appear in the folder that it
# is run from. $ELBOW is the command, if it is not `elbow`.
set -eu
days=${1:-5} batches=${2:-6} elbow=${ELBOW:-elbow}
here=$(dirname "$0")
study=$here/study.toml

# Fills in a sheet and imports it.
measure() {
    awk -v readout="$1" -f "$here/measure.awk" "$2" > filled.csv
    mv filled.csv "$2"
    "$elbow" import "$2" --in "$study" --yes
}

day=1
while [ "$day" -le "$days" ]; do
    "$elbow" sheet "$study" -n "$batches" -o "day$day.csv"
    measure bench "day$day.csv"
    # The purity of the day before has come.
    if [ "$day" -gt 1 ]; then measure hplc "day$((day - 1)).csv"; fi
    "$elbow" status "$study"
    day=$((day + 1))
done
measure hplc "day$days.csv"
"$elbow" best "$study"
"$elbow" plot "$study" --what front
"$elbow" plot "$study" --what front --out front.svg
"$elbow" report report.html --in "$study"
