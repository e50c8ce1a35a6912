/* frame_table.c: the table of frames, in the order in which they are tried. A
 * new frame is a row: when it is tried and what it means for the line (enum
 * frame_rule), a pattern (peg.h), and a sample, which tests/log/test_frames.c
 * puts before a message and expects to be removed. Named groups of the pattern
 * are noted by note_capture() (frame.c).
 */
#include "log/frame_rows.h"

#define CLOCK "%d{2}:%d{2}:%d{2}"
#define ISO_DAY "%d{4}-%d{2}-%d{2}T"
#define TIME_TO_SECONDS "%d{4}[-/]%d{2}[-/]%d{2}[T -]" CLOCK
#define ZONE "(Z| UTC| ?[+-]%d{2}:?%d{2})"
#define TIME TIME_TO_SECONDS "([.,]%d{1,9})?" ZONE "?"
#define MONTH_AND_DAY                                                         \
    "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)%s+%d{1,2}"
#define MONTH_AND_TIME MONTH_AND_DAY "%s+" CLOCK
#define LEVEL                                                                 \
    "(DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|TRACE|NOTICE)(?!%w)"
#define HOST "[^ \t%[%]():=\"]+"
#define UNIT "(?<process>[^ \t%[%]\":]+)"
#define PID "(?<pid>%d{1,18})"
#define RANK "(?<rank>%d{1,18})"
#define ENDS "( |$)"           /* one blank, or the line has no message */
#define STAYS "((?= )|$) ?"    /* the same, before text that may be indented */
/* of a rank: "TP3", "DP0 TP1" */
#define PLACE "(TP" RANK "|([%l_](?=[%l_]))*P%d{1,18})"
#define ATTRIBUTES "(,? ?(rank=" RANK "|(ip|local_rank)=[^,) ]+))*"
/* of a machine or a pod: with a digit, which few words have */
#define NAME "(?=[a-z%d])[a-z.-]{0,62}%d[a-z0-9.-]{0,62}"
#define BAR_WORD "[%w./:#@-]{1,63}"
#define BAR_WORDS "(?=%w)(" BAR_WORD " (?!%s*%|)){0,3}" BAR_WORD
#define BAR "%s+%|( |$)"

const struct frame_row frame_rows[] = {
    /* ---- marks of who pasted it ---- */
    {"e-mail quote", FRAME_QUOTE, 0, ">>?" ENDS, "> "},
    {"comment", FRAME_QUOTE, IF_OUTERMOST | IS_MARK,
     "%s{0,6}(##?|///?|--|%*|%||;;?|%%|!|::|rem|REM)" ENDS, "# "},

    /* ---- carriers ---- */
    {"CRI", FRAME_TRANSPORT, 0,
     ISO_DAY CLOCK "[^ ]+ (stdout|(?<stderr>stderr)) ((?<partial>P)|F)" ENDS,
     "2026-01-02T03:04:05.123456789+08:00 stderr F "},
    {"kubectl --prefix", FRAME_TRANSPORT, 0,
     "%[pod/(?<pod>[^/%] ]+)/(?<container>[^%] ]+)%] ?", "[pod/llm-0/main] "},
    /* A name without a number needs two blanks of padding. foreman puts a clock
     * before the name, pm2 a number. */
    {"docker compose", FRAME_TRANSPORT, IF_BAR,
     "(" CLOCK " )?(%d{1,4}%|)?(?<container>[a-z][a-z0-9]*"
     "([-_.]+(?!%d+ )[a-z0-9]*)*([-_.]+%d+(?= )|(?=%s{2}))) %s*%|" ENDS,
     "03:04:05 web.1   | "},
    {"syslog", FRAME_TRANSPORT, 0,
     "(<%d{1,3}>)?" MONTH_AND_TIME "(.%d{1,6})? " HOST " " UNIT "(%[" PID
     "%])?:" ENDS, "<13>Jan  2 03:04:05 box llm[77]: "},
    {"syslog of RFC 5424", FRAME_TRANSPORT, 0,
     "<%d{1,3}>1 [^ ]+ [^ ]+ (?<process>[^ ]+) (" PID "|-) [^ ]+ - ?",
     "<13>1 2026-01-02T03:04:05.123Z box llm 77 - - "},
    {"kernel's priority", FRAME_TRANSPORT, IF_OUTERMOST,
     "<(19[01]|1[0-8]%d|%d{1,2})>", "<3>"},
    {"gh run view --log", FRAME_TRANSPORT, IF_OUTERMOST | IF_TAB,
     "(?<container>[a-z][^\t]{0,126})\t[^\t]{1,126}\t(?=" ISO_DAY ")",
     "gpu-1\tRun tests\t2026-01-02T03:04:05.1234567Z "},
    {"journalctl -o short-iso", FRAME_TRANSPORT, IF_STAMPED | IF_NO_PROCESS |
     NO_RECORD,
     HOST " (" UNIT "%[" PID "%]|(?<process>kernel)):" ENDS,
     "2026-01-02T03:04:05+0000 box llm[77]: "},
    {"Heroku", FRAME_TRANSPORT, IF_STAMPED | IF_NO_PROCESS | IF_NO_SOURCE |
     NO_RECORD,
     HOST "%[(?<container>([^ %]._-]+|[-._](?!%d+%]))+[-._]%d+)%]: ",
     "2026-01-02T03:04:05.123456+00:00 app[web.1]: "},
    {"logcli", FRAME_TRANSPORT, IF_STAMPED | IF_NO_PROCESS | IF_NO_SOURCE |
     NO_RECORD,
     "%{(?<container>([^}=]+=(?!\"))*[^}=]+=\"[^}]*)} ",
     "2026-01-02T03:04:05Z {app=\"llm\", pod=\"x-1\"} "},
    {"fluentd", FRAME_TRANSPORT, IF_STAMPED | IF_NO_PROCESS | IF_NO_SOURCE |
     NO_RECORD,
     "(?<container>[^ :=%{\"]+): (?=%{([^}]|}(?!$))*}$)",
     "2026-01-02 03:04:05 +0000 kube.llm: "},
    {"dmesg", FRAME_TRANSPORT, 0,
     "%[%s*(%d{1,10}.%d{6}|[^ %]]{3} " MONTH_AND_TIME " %d{4})%]" ENDS,
     "[Fri Jan  2 03:04:05 2026] "},

    /* ---- the rank or process that printed it ---- */
    {"mpirun", FRAME_WHO, OWN_BLANK,
     "%[([^%] ,]*,)?(mpirank:)?" RANK "(,[^%] ]+)?%]<std(out|err)>: ?",
     "[1,mpirank:3,algo-1]<stderr>:"},
    {"rank in brackets", FRAME_WHO, OWN_BLANK,
     "%[(default|[Rr]ank:? ?)" RANK "%](: ?|" STAYS ")", "[rank: 3] "},
    {"rank", FRAME_WHO, 0, "rank" RANK ": ", "rank3: "},
    {"DJL Serving", FRAME_WHO, 0,
     LEVEL "%s+PyProcess (?<process>[%w.-]+): ?",
     "WARN  PyProcess W-252-model-stderr: "},
    {"Ray's raylet", FRAME_WHO, OWN_BLANK,
     "%((?<process>raylet)(?<pid>)(,? ?ip=[^,) ]+)*%)" STAYS, "(raylet) "},
    {"Ray and vLLM process", FRAME_WHO, OWN_BLANK,
     "%(((?<process>[%w:.-]+)(?=[ ,])|(?<process>))" ATTRIBUTES ",? ?pid=" PID
     ATTRIBUTES "%)" STAYS,
     "(RayWorkerWrapper rank=1, pid=402, ip=192.0.2.7) "},

    /* ---- the program's own time and level ---- */
    /* The clock of a carrier has more digits. It stands before every line, so
     * it does not begin a record. */
    {"carrier's timestamp", FRAME_RECORD, IS_STAMP,
     TIME_TO_SECONDS "[.,]%d{7,9}" ZONE "([ \t]|: |$)",
     "2026-01-02T03:04:05.1234567Z "},
    {"timestamp", FRAME_RECORD, IS_STAMP | IS_RECORD,
     TIME "([ \t]|: |$)", "2026-01-02 03:04:05,123 "},
    {"[timestamp]", FRAME_RECORD, IS_STAMP | IS_RECORD,
     "%[(" TIME "|%d{2}/%d{2}/%d{4}-" CLOCK ")( (?<process>" PLACE "( " PLACE
     ")*))?%](" ENDS "|(?=%[))", "[2026-01-02 03:04:05 DP1 TP3] "},
    {"glog", FRAME_RECORD, IS_RECORD,
     "[IWEF]%d{4} " CLOCK ".%d{3,9}%s+(%d{1,10}%s+)?",
     "E0102 03:04:05.123456  4711 "},
    {"vLLM", FRAME_RECORD, IS_RECORD,
     "(?<prefix>" LEVEL " %d{2}-%d{2} " CLOCK " %[?[^ :%]]*:[^ %]]*%])" ENDS,
     "ERROR 06-30 13:53:19 [core.py:515] "},
    {"[level|place]", FRAME_RECORD, IS_STAMP | IS_RECORD,
     "%[" LEVEL "%|[^%] ]+%] ", "[ERROR|trainer.py:12] "},
    {"level", FRAME_RECORD, IS_RECORD,
     LEVEL "( (?=" TIME ")|:(%s{3,}|%s{0,2}[%w.]+:(?!:)))",
     "ERROR:llm.worker:"},
    {"- name - level -", FRAME_RECORD, AFTER_STAMP,
     "- (" LEVEL " - |[^ ]+ - " LEVEL " - )",
     "2026-01-02 03:04:05,123 - llm.worker - ERROR - "},
    {"| level | place -", FRAME_RECORD, AFTER_STAMP,
     "%| " LEVEL "%s*%| [^ ]+ - ",
     "2026-01-02 03:04:05.123 | ERROR    | llm.run:step:12 - "},
    {"[level] [name]", FRAME_RECORD, AFTER_STAMP,
     "%[%s*" LEVEL "%s*%] %[(?<process>[A-Za-z][%w-]{1,30})%] ",
     "2026-01-02 03:04:05 [INFO] [Driver] "},
    {"[level]", FRAME_RECORD, AFTER_STAMP,
     "%[%s*" LEVEL "%s*%] ?", "2026-01-02 03:04:05 [  INFO ] "},
    {"level after a time", FRAME_RECORD, AFTER_STAMP,
     "%s*" LEVEL ":?%s+", "2026-01-02T03:04:05.123456Z  INFO "},
    {"[file:line:function]", FRAME_RECORD, IF_STAMPED | IS_RECORD,
     "%[[^:%]. ]*.[^:%] ]*:%d{1,6}(:[^%] ]+)?%] ",
     "2026-01-02 03:04:05 [engine.py:12:step] "},
    {"logfmt", FRAME_RECORD, IS_RECORD,
     "time=[^ ]+ level=[^ ]+ ", "time=2026-01-02T03:04:05.678Z level=INFO "},

    /* ---- labels ---- */
    {"clock", FRAME_WHO, IS_LABEL | IF_NO_RECORD,
     "(" MONTH_AND_DAY " )?(%[" CLOCK "([.,]%d{1,6})?%]|" CLOCK
     "([.,]%d{1,6})?) ", "Jan  2 03:04:05 "},
    {"srun --label", FRAME_WHO, IS_LABEL | IF_NO_RECORD,
     "%s{0,4}(?<rank>%d{1,5}): ", " 3: "},
    {"pdsh", FRAME_WHO, IS_LABEL | IF_NO_RECORD,
     "(?<pod>" NAME "): ", "worker-3.gpu: "},
    {"bracket", FRAME_WHO, IS_LABEL | IF_NO_RECORD,
     "%[(?<process>([^%[%]\"'(,/=%d]+|%d(?!%d*%])){0,62})" RANK
     "%](:((?=%s{2}(?!%s))| ?)| )", "[worker3]: "},
    /* "function: |" is a table that the program prints, and no name. */
    {"bar", FRAME_WHO, IS_LABEL | IF_NO_RECORD | IF_COLUMN,
     "(?!%w+:%s+%|)"
     "(?<container>" BAR_WORDS "(%s+%| " BAR_WORDS "(?=" BAR "))?)" BAR,
     "pod worker | "},
    {"stern", FRAME_WHO, IS_LABEL | IF_NO_RECORD,
     "(?=[a-z0-9.]*-)(?<pod>" NAME ") (?<container>[^ :=(),\"'/%|]+) ",
     "serve-6c9 main "},
    {"torchx", FRAME_WHO, IS_LABEL | IF_NO_RECORD,
     "(?<process>%l[^ /:.=(\"']*)/" RANK " ", "trainer/3 "},
    {"line number", FRAME_WHO, IS_LABEL | IF_NO_RECORD,
     "%s{0,7}%d{1,7}(:(?!%d)|\t| ?%| |  )", "  812 | "},
    {"grep", FRAME_WHO, IS_LABEL | IF_NO_RECORD,
     "(?<container>([^ :\t\"'(=.]+|.(?!(log|txt|out|err):))*"
     ".(log|txt|out|err)):(%d{1,9}:)?", "logs/train-3.log:812:"},
    {"aws logs tail", FRAME_WHO, IS_LABEL | IF_STAMPED,
     "(?<container>%l[^ \"'(=:/]*/[^ \"'(=:]*) ",
     "2026-01-02T03:04:05.123000+00:00 llm/main/0123456789abcdef "},
    {NULL, FRAME_QUOTE, 0, NULL, NULL},
};
