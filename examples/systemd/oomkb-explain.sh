#!/bin/sh
# ExecStopPost= of a service: when it failed, what of memory its journal shows,
# as a line of the journal. Silent where the journal has a report already: oomkb
# run made it. systemd sets $SERVICE_RESULT, $EXIT_CODE and $EXIT_STATUS. Always
# exits 0, so that the result of the service stays.
unit=$1
[ "$SERVICE_RESULT" = success ] && exit 0
since=$(systemctl show -p ActiveEnterTimestamp --value "$unit" 2>/dev/null)
journal() {
    journalctl -u "$unit" ${since:+--since "$since"} -o cat --no-pager \
        2>/dev/null | tail -c 4194304
}
journal | grep -q 'oomkb explain [a-z]' && exit 0
journal | timeout 20 "${OOMKB:-oomkb}" --lang "${OOMKB_LANG:-en}" -
exit 0
