#!/bin/sh
# Compresses a file with the trial's flags and prints its size in bytes.
# The trial's values are in the environment; ELBOW_PARAM_<NAME> is the parameter <name>.
set -eu
file=${FILE:-../../crates/core/src/design/new-joe-kuo-6.txt}
xz --format=raw --stdout \
    --lzma2="dict=${ELBOW_PARAM_DICT_KIB}KiB,lc=$ELBOW_PARAM_LC,lp=$ELBOW_PARAM_LP,pb=$ELBOW_PARAM_PB,mode=$ELBOW_PARAM_MODE,mf=$ELBOW_PARAM_MF,nice=$ELBOW_PARAM_NICE" \
    "$file" | wc -c
