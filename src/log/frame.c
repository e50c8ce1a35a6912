/* frame.c: the one table of frames, and the loop over it.
 *
 *     2024-05-20T10:47:37.123456789Z stdout F (Worker pid=402) ERROR 05-20 ...
 *     '------ FRAME_TRANSPORT -------------' '- FRAME_WHO ---' '- FRAME_RECORD
 *
 * Frames nest in any order, so the table is tried again from its top after
 * each success, a bounded number of times. A frame is taken off only when it
 * can be nothing else: what stays too long in a line does little harm, what is
 * lost is lost.
 */
#include "log/frame.h"

#define ROUNDS_MAX 12

struct frame_reader {
    const char *name;
    enum frame_kind kind;
    bool (*take)(struct frame *f);
};

static const struct frame_reader readers[] = {
    {"e-mail quote", FRAME_QUOTE, frame_take_quote},
    {"comment", FRAME_QUOTE, frame_take_hash},
    {"CRI", FRAME_TRANSPORT, frame_take_cri},
    {"kubectl --prefix", FRAME_TRANSPORT, frame_take_kubectl},
    {"docker compose", FRAME_TRANSPORT, frame_take_compose},
    {"syslog", FRAME_TRANSPORT, frame_take_syslog},
    {"syslog unit", FRAME_TRANSPORT, frame_take_unit},
    {"dmesg", FRAME_TRANSPORT, frame_take_dmesg},
    {"mpirun", FRAME_WHO, frame_take_mpirun},
    {"rank", FRAME_WHO, frame_take_rank},
    {"srun --label", FRAME_WHO, frame_take_label},
    {"Ray and vLLM process", FRAME_WHO, frame_take_process},
    {"timestamp", FRAME_RECORD, frame_take_stamp},
    {"[timestamp]", FRAME_RECORD, frame_take_stamp_in_brackets},
    {"glog", FRAME_RECORD, frame_take_glog},
    {"vLLM", FRAME_RECORD, frame_take_vllm},
    {"level", FRAME_RECORD, frame_take_level},
    {"level after a timestamp", FRAME_RECORD, frame_take_level_after_stamp},
    {"source after a level", FRAME_RECORD, frame_take_source},
    {"logfmt", FRAME_RECORD, frame_take_logfmt},
};

static bool take_one(struct frame *f) {
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (readers[i].take(f)) {
            f->kinds |= (unsigned)readers[i].kind;
            return true;
        }
    }
    return false;
}

/* A level that is part of the message itself ("ERROR: no space left"). */
static bool begins_with_level(struct str s) {
    static const char *const levels[] = {"ERROR:", "WARNING:", "CRITICAL:",
                                         "FATAL:", "INFO:", "DEBUG:"};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (str_starts(s, str_of(levels[i])))
            return true;
    return false;
}

void frame_strip(struct frame *f) {
    for (int round = 0; round < ROUNDS_MAX; round++)
        if (!take_one(f))
            break;
    if (str_starts(f->text, STR("Traceback (most recent call last)")) ||
        begins_with_level(f->text))
        f->is_record = true;
}
