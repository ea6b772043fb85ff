# Who may not read, another process's mounts, and a capture.
mke2fs -q -F -t ext4 /dev/$d4 && mount -t ext4 /dev/$d4 $here && trial prepare $here/private && chmod 600 $here/private
role disk $d4
saved plain $plain zinspect -o json $here/private
saved page zinspect $here/private
saved plain-page $plain zinspect $here/private
saved table zinspect -o table $here /dev/$d4 $here/private
saved tree zinspect -o tree $here/private
saved extents zinspect extents -o json $here/private
saved plain-extents $plain zinspect extents $here/private
saved csv zinspect -o csv $here/private
saved require-unmap zinspect --require unmap $here/private
saved require-fails zinspect --require unmap /dev/shm
mkdir -p /mnt/apart
unshare -m sh -c "mount --make-rprivate /; mount -t ext4 /dev/$d4 /mnt/apart; exec sleep 600" &
apart=$!
await "grep -q /mnt/apart /proc/$apart/mountinfo"
saved pid zinspect -o json --pid $apart /mnt/apart/private
saved pid-plain $plain zinspect -o json --pid $apart /mnt/apart/private
kill $apart
saved capture zinspect capture $stage/host.tar.gz
saved captured zinspect --snapshot $stage/host.tar.gz -o json $here/private
umount $here
