/* terminal.h: a terminal for a child, in the image of one's own. */
#ifndef MACHINE_TERMINAL_H
#define MACHINE_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

/* True: *own and *its are the two ends of a new one, with the size and the
 * settings of `like`. */
bool terminal_new(int like, int *own, int *its);
void terminal_take_size(int from, int to);
/* In the child, after setsid(): its controlling terminal. */
void terminal_control(int its);

/* Whether each byte that is typed is handed on as it is. */
struct terminal_mode {
    bool is_raw;
    struct termios before;
};
/* Switches it, while this process is in the foreground of that terminal. */
void terminal_raw(struct terminal_mode *mode, int fd, bool is_raw);

#endif
