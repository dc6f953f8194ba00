#!/bin/sh
# Checks a library, and what it chooses of data.csv: sh test.sh LIBRARY. PASSEL may name the program.
set -eu
passel=${PASSEL:-passel}
"$passel" plugins --check "$1"

# Worked by hand. y is 1 where u and v differ, and copy is u: I(u;y) = I(v;y) = I(u;v) = 0, I(v;y|u) =
# I(u;y|v) = ln 2, I(copy;u) = ln 2, I(copy;y|u) = 0. With a = 1/2 the scores are
#
#     u     0, the first of equals
#     v     0 + ln 2
#     copy  0 + [(0 - ln 2 / 2) + (ln 2 - 0)] / 2
chosen=$("$passel" select data.csv --response y --method my-score --top 3 --format csv --plugins "$1")
echo "$chosen" | awk -F, '
    BEGIN { split("u v copy", names, " "); split("0 0.693147 0.173287", scores, " ") }
    NR > 1 {
        far = $3 - scores[NR - 1]
        if ($1 != names[NR - 1] || far > 1e-6 || far < -1e-6) {
            print "choice " NR - 1 " is " $1 " with " $3 ", not " names[NR - 1] " with " scores[NR - 1]
            wrong = 1
        }
    }
    END { exit wrong || NR != 4 }
'
echo "ok      my-score chooses of data.csv what was worked by hand"
