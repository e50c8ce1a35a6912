/* test_replace.c: a file is replaced whole; links stay, what killed writers
 * left goes, and nothing else beside it does. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/replace.h"

#define HOUR 3600

static char folder[] = "/tmp/oomkb-replace-XXXXXX";

static int enter(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int leave(void **state) {
    (void)state;
    return chdir("/") != 0 || rmdir(folder) != 0;
}

static void put(const char *path, const char *text, time_t age) {
    struct timespec at = {.tv_sec = time(NULL) - age};
    struct timespec times[2] = {at, at};
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void expect(const char *path, const char *wanted) {
    char is[64] = "";
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    is[fread(is, 1, sizeof is - 1, in)] = '\0';
    fclose(in);
    assert_string_equal(is, wanted);
}

static bool is_there(const char *path) {
    struct stat is;
    return lstat(path, &is) == 0;
}

static void a_file_is_made_and_replaced(void **state) {
    (void)state;
    struct stat is;
    assert_int_equal(file_replace("a", STR("one"), 0640, true), 0);
    expect("a", "one");
    assert_int_equal(stat("a", &is), 0);
    assert_int_equal(is.st_mode & 0777, 0640);
    assert_int_equal(file_replace("./a", STR("two"), 0600, false), 0);
    expect("a", "two");
    unlink("a");
}

static void a_link_stays(void **state) {
    (void)state;
    struct stat is;
    mkdir("d", 0700);
    put("d/real", "old", 0);
    assert_int_equal(symlink("real", "d/near"), 0);
    assert_int_equal(symlink("d/near", "far"), 0);
    assert_int_equal(file_replace("far", STR("new"), 0600, true), 0);
    expect("d/real", "new");
    assert_int_equal(lstat("far", &is), 0);
    assert_true(S_ISLNK(is.st_mode));
    assert_int_equal(symlink("d/none", "dangling"), 0);
    assert_int_equal(file_replace("dangling", STR("made"), 0600, true), 0);
    expect("d/none", "made");
    unlink("far");
    unlink("dangling");
    unlink("d/near");
    unlink("d/real");
    unlink("d/none");
    rmdir("d");
}

static void links_in_a_circle_are_refused(void **state) {
    (void)state;
    assert_int_equal(symlink("right", "left"), 0);
    assert_int_equal(symlink("left", "right"), 0);
    assert_int_equal(file_replace("left", STR("x"), 0600, true), ELOOP);
    unlink("left");
    unlink("right");
}

static void what_is_no_plain_file_is_written_straight(void **state) {
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int end = open("pipe", O_RDWR);
    char got[8] = "";
    assert_true(end >= 0);
    assert_int_equal(file_replace("pipe", STR("through"), 0600, true), 0);
    assert_int_equal(read(end, got, 7), 7);
    assert_string_equal(got, "through");
    close(end);
    unlink("pipe");
    assert_int_equal(file_replace("/dev/null", STR("x"), 0600, true), 0);
}

static void a_folder_and_a_missing_one_are_refused_and_leave_nothing(
    void **state) {
    (void)state;
    mkdir("taken", 0700);
    assert_int_equal(file_replace("taken", STR("x"), 0600, true), EISDIR);
    assert_int_equal(file_replace("none/a", STR("x"), 0600, true), ENOENT);
    assert_int_equal(rmdir("taken"), 0); /* leave() sees what else is there */
}

static void left_overs_go_and_nothing_else(void **state) {
    (void)state;
    put("a.oomkb-AAAAAA", "left", 2 * HOUR);
    put("a.oomkb-BBBBBB", "somebody writes", 0);
    put("a.backup", "mine", 2 * HOUR);
    put("b.oomkb-CCCCCC", "another file's", 2 * HOUR);
    assert_int_equal(file_replace("a", STR("x"), 0600, true), 0);
    assert_false(is_there("a.oomkb-AAAAAA"));
    assert_true(is_there("a.oomkb-BBBBBB"));
    assert_true(is_there("a.backup"));
    assert_true(is_there("b.oomkb-CCCCCC"));
    unlink("a");
    unlink("a.oomkb-BBBBBB");
    unlink("a.backup");
    unlink("b.oomkb-CCCCCC");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_made_and_replaced),
        cmocka_unit_test(a_link_stays),
        cmocka_unit_test(links_in_a_circle_are_refused),
        cmocka_unit_test(what_is_no_plain_file_is_written_straight),
        cmocka_unit_test(
            a_folder_and_a_missing_one_are_refused_and_leave_nothing),
        cmocka_unit_test(left_overs_go_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
