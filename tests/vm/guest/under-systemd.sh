#!/bin/sh
# What rig.service of a root with systemd runs: the machine's script, then the closing line, as init does without systemd.
word() { sed -n "s/.*\\brig\\.$1=\\([^ ]*\\).*/\\1/p" /proc/cmdline; }

cd /root
sh "/share/in/$(word script)" >/share/out/guest.log 2>&1
status=$?
dmesg >/share/out/dmesg.txt
journalctl --no-pager >/share/out/journal.txt 2>&1
sync
printf '\nrig: closing %s status %s\n' "$(word closing)" $status >/dev/console
poweroff -ff
