#!/bin/sh
# A file of the program stays under 600 lines, a function under a screen (60
# lines) and under complexity 15 (pmccabe's count): what is longer has two jobs.
set -eu
long=$(wc -l src/*/*.c src/*/*.h include/oomkb/*.h |
    awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines" }')
big=$(pmccabe src/*/*.c | awk '$1 > 15 || $5 > 60 {
    print $6 " " $7 ": complexity " $1 ", " $5 " lines" }')
[ -z "$long$big" ] || { printf '%s\n%s\n' "$long" "$big"; exit 1; }
