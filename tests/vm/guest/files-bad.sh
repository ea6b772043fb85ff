# Paths that lead to nothing that has an answer, as root and as a plain user, and to filesystems
# whose device or server is gone.
bad() { # NAME PATH
    saved bad-$1 zinspect $2
    saved bad-$1-extents zinspect extents $2
    saved bad-$1-plain $plain zinspect $2
    saved bad-$1-plain-extents $plain zinspect extents $2
}
folder=/tmp/bad
mkdir -p $folder/private/inside /mnt/served
chmod 755 $folder
chmod 700 $folder/private
: >$folder/private/inside/journal
ln -s /nonexistent/x $folder/dangling
ln -s round $folder/round
mkfifo $folder/fifo
busybox mknod $folder/char c 1 3
chmod 666 $folder/fifo $folder/char
bad dangling $folder/dangling
bad round $folder/round
bad fifo $folder/fifo
bad char $folder/char
trial socket $folder/socket
bad socket $folder/socket
bad private $folder/private/inside/journal
bad long $(printf '/x%.0s' $(busybox seq 1 2048))
odd=$folder/$(printf 'odd\377\033[31m')
echo x >"$odd"
saved bad-odd zinspect -o json "$odd"
saved bad-odd-extents zinspect extents -o json "$odd"

# A server that lost its files, then itself.
if modprobe -q fuse 2>/dev/null || grep -qw fuse /proc/filesystems && [ -x /bin/bad_fs ]; then
    [ -e /dev/fuse ] || busybox mknod /dev/fuse c 10 229
    bad_fs /mnt/served &
    server=$!
    await "grep -q /mnt/served /proc/mounts"
    for name in stale eio denied good; do bad $name /mnt/served/$name; done
    kill $server
    await "! ls /mnt/served >/dev/null 2>&1"
    bad no-server /mnt/served/good
    umount -l /mnt/served
else
    skip served "no FUSE, or no C compiler for tests/vm/tools/bad_fs.c"
fi

# A mount that goes while a file in it is open to somebody.
mount -t tmpfs tmpfs $here && echo x >$here/journal
cd $here && umount -l $here
saved bad-unmounted zinspect -o json ./journal
saved bad-unmounted-page zinspect ./journal
saved bad-unmounted-extents zinspect extents ./journal
cd /

# A process that is gone, and one whose mounts are.
unshare -m sh -c "mount --make-rprivate /; mount -t ext4 /dev/$d4 /mnt/apart; exec sleep 600" 2>/dev/null &
gone_pid=$!
kill -9 $gone_pid
wait $gone_pid 2>/dev/null
saved bad-pid zinspect --pid $gone_pid /mnt/apart/private
saved bad-pid-extents zinspect extents --pid $gone_pid /mnt/apart/private

# A disk that is pulled from under its filesystem.
mke2fs -q -F -t ext4 /dev/$d3 && mount -t ext4 /dev/$d3 $here && trial prepare $here/journal
saved pulled-before zinspect -o json $here/journal
role pulled $d3
echo 1 >/sys/block/$d3/device/delete
await "[ ! -e /sys/block/$d3 ]"
saved bad-pulled zinspect -o json $here/journal
saved bad-pulled-page zinspect $here/journal
saved bad-pulled-extents zinspect extents -o json $here/journal
saved bad-pulled-new zinspect -o json $here
trial run $here/journal 0x80 >$stage/bad-pulled.trial
trial run $here/new 0x80 new >$stage/bad-pulled-new.trial
umount -l $here
