# For the scenario `power`: probes under --preserve, ended in the middle. Target and journal lie on servers that keep
# what was not flushed in memory, so that it is lost with them. $part is kills or cut.
set -u
. /share/in/recipes.sh
. /share/in/save.sh
. /share/in/probing.sh

coldplug
modprobe nbd nbds_max=2 max_part=0 || fail nbd
disk_by_serial target
target_disk=$made
disk_by_serial state
state_disk=$made
export STATE_DIRECTORY=/mnt/state
journal=/mnt/state/kept.journal
mkdir -p /mnt/state
stage power

power_on() {
    liar 0 volatile /dev/$target_disk 12
    target_liar=$liar
    liar 1 volatile /dev/$state_disk 64
    state_liar=$liar
    [ "${1:-}" = new ] && { mke2fs -q -t ext4 /dev/nbd1 || fail mke2fs; }
    mount -t ext4 /dev/nbd1 /mnt/state || fail "mounting the journal's filesystem"
}
power_off() {
    # With the power the command goes that a killed probe left behind. It ends when its request does.
    killall -9 zinspect 2>/dev/null
    kill -9 $target_liar $state_liar
    wait $target_liar $state_liar 2>/dev/null
    # Their servers go with them, at once but for a flush that has begun.
    await "! pidof nbd_liar >/dev/null"
    await "umount /mnt/state 2>/dev/null"
    await "[ ! -e /sys/block/nbd0/pid ] && [ ! -e /sys/block/nbd1/pid ]"
}

new_disk() {
    power_on new
    dd if=/dev/urandom of=/dev/nbd0 bs=1M count=12 oflag=direct conv=fsync 2>/dev/null || fail "filling the target"
    sync
}

probing="zinspect probe /dev/nbd0 -m blkzeroout,pwrite --preserve --range 4M:1M --journal $journal"

# The process that was killed may still wait for the device in the kernel, and keep it claimed.
recover() {
    [ -e $journal ] || return 0
    for try in $(seq 40); do
        zinspect probe --recover $journal >>$stage/recover-$1 2>&1 && break
        pause 250
    done
    # It takes two: the bytes are back, and the journal is gone.
    [ ! -e $journal ]
}

# Says what every task waits for where a round takes two minutes, and ends this script.
watch_rounds() {
    before=
    while sleep 120; do
        round=$(cat /tmp/round)
        if [ "$round" = "$before" ]; then
            for task in /proc/[0-9]*/task/*; do
                echo "$task $(cat $task/comm) $(sed -n 's/^State:\t*//p' $task/status)"
                cat $task/stack
            done >$stage/hangs-$round 2>/dev/null
            echo "FAILED: round $round takes two minutes; what hangs is in hangs-$round"
            kill -9 $$
        fi
        before=$round
    done
}

end_processes() {
    echo 0 >/tmp/round
    watch_rounds &
    new_disk
    sum=$(sum_of nbd0)
    began=$(now)
    $probing >$stage/whole 2>&1 || fail "a probe that nobody ends: $(cat $stage/whole)"
    whole=$(($(now) - began))
    right=0 left=0 back=0 cuts=0
    for share in $shares; do
        echo $share >/tmp/round
        # A thousandth each of the time that a whole probe takes.
        $probing >$stage/run 2>&1 &
        probe=$!
        pause $((whole * share / 1000))
        kill -9 $probe 2>/dev/null
        wait $probe 2>/dev/null
        # Every second time the power goes too: what was not flushed is lost.
        if [ $((share % 2)) = 0 ]; then
            cuts=$((cuts + 1))
            power_off
            power_on
        fi
        [ -e $journal ] && left=$((left + 1))
        recover $share && back=$((back + 1))
        if [ "$(sum_of nbd0)" = $sum ]; then
            right=$((right + 1))
        else
            cp $journal $stage/ 2>/dev/null
        fi
    done
    power_off
    echo "right=$right back=$back left=$left cuts=$cuts whole=$whole" >$stage/counts
}

# Says what is on the disk after the last cut, then probes until the next.
cut_power() {
    if [ $first = 1 ]; then new_disk; else power_on; fi
    left=0
    [ -e $journal ] && left=1
    recover cut || fail "the journal stays: $(cat $stage/recover-cut)"
    echo "rig: sum $(sum_of nbd0) left $left" >/dev/console
    [ $last = 1 ] && return
    while :; do
        echo "rig: probing" >/dev/console
        $probing >$stage/run 2>&1 &
        until [ -e $journal ] || ! kill -0 $! 2>/dev/null; do pause 20; done
        echo "rig: kept" >/dev/console
        wait $!
    done
}

case $part in kills) end_processes ;; cut) cut_power ;; esac
exit 0
