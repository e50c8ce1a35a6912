/* terminal.c: pseudo terminals. The child's terminal edits and echoes lines, so
 * the outer one is raw and only passes bytes on. */
#define _DEFAULT_SOURCE /* cfmakeraw() */
#define _XOPEN_SOURCE 700 /* posix_openpt() */
#include "machine/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

void terminal_take_size(int from, int to) {
    struct winsize size;
    if (ioctl(from, TIOCGWINSZ, &size) == 0)
        ioctl(to, TIOCSWINSZ, &size);
}

bool terminal_new(int like, int *own, int *its) {
    struct termios settings;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave = -1;
    const char *name = NULL;
    if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
        name = ptsname(master);
    if (name != NULL)
        slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0) {
        if (master >= 0)
            close(master);
        return false;
    }
    if (tcgetattr(like, &settings) == 0)
        tcsetattr(slave, TCSANOW, &settings);
    terminal_take_size(like, slave);
    *own = master;
    *its = slave;
    return true;
}

void terminal_control(int its) {
    ioctl(its, TIOCSCTTY, 0);
}

void terminal_raw(struct terminal_mode *mode, int fd, bool is_raw) {
    if (is_raw == mode->is_raw || tcgetpgrp(fd) != getpgrp())
        return;
    if (!is_raw) {
        mode->is_raw = tcsetattr(fd, TCSADRAIN, &mode->before) != 0;
    } else if (tcgetattr(fd, &mode->before) == 0) {
        struct termios raw = mode->before;
        cfmakeraw(&raw);
        mode->is_raw = tcsetattr(fd, TCSADRAIN, &raw) == 0;
    }
}
