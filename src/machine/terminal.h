/* terminal.h: a pseudo terminal for a child, with the settings of our own
 * terminal. */
#ifndef MACHINE_TERMINAL_H
#define MACHINE_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

/* True: *own and *its are the two ends of a new pseudo terminal, with the size
 * and the settings of `like`. */
bool terminal_new(int like, int *own, int *its);
void terminal_take_size(int from, int to);
/* In the child, after setsid(): make it the controlling terminal. */
void terminal_control(int its);

/* Raw mode of a terminal: each byte typed is passed on unchanged. */
struct terminal_mode {
    bool is_raw;
    struct termios before;
};
/* Switch raw mode on or off. Nothing happens unless this process is in the
 * foreground of that terminal. */
void terminal_raw(struct terminal_mode *mode, int fd, bool is_raw);

#endif
