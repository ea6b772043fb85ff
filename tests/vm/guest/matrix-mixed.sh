# Stacks of stacks, and leaves in every state before they were built.
begin mixed
unmap_disks 48 dev_size_mb=16
need_unmap() { have_unmap_files $1 || { echo "this kernel has no unmap files"; exit 1; }; }
lin() { name=$1; shift; dm_linear $name "$@"; }
take 3
attempt x-linear lin x-1 $a
one=$made
attempt x-linear-on-linear lin x-2 $one
two=$made
attempt x-linear-three-deep lin x-3 $two
attempt x-striped-on-linear dm x-4 "0 32768 striped 2 64 /dev/$two 0 /dev/$b 0"
need_multipath() { need dm-multipath; need dm-service-time; "$@"; }
attempt x-mpath-on-linear need_multipath dm x-5 "0 32768 multipath 2 queue_mode bio 0 2 1 service-time 0 1 2 /dev/$one 1 1 service-time 0 1 2 /dev/$two 1 1"
attempt x-crypt-on-linear dm_crypt x-6 $one
attempt x-linear-on-crypt lin x-7 $made
attempt x-loop-on-linear loop_on /dev/$two
attempt x-linear-on-loop lin x-8 $made
attempt x-linear-half-crypt dm x-9 "0 8192 linear /dev/$one 0" "8192 8192 linear /dev/$(named x-crypt-on-linear) 0"
take 4
attempt x-raid1 md_array 50 raid1 --assume-clean $a $b
raid1=$made
attempt x-raid1-b md_array 51 raid1 --assume-clean $c $d
[ -n "$made" ] && attempt x-raid0-on-raid1 md_array 52 raid0 --chunk=64 $raid1 $made
take 4
attempt x-raid0 md_array 53 raid0 --chunk=256 $a $b
low=$made
attempt x-raid0-b md_array 54 raid0 --chunk=64 $c $d
[ -n "$made" ] && attempt x-raid0-on-raid0 md_array 55 raid0 --chunk=512 $low $made
attempt x-striped-on-raid0 dm x-10 "0 16384 striped 2 64 /dev/$(named x-raid0-on-raid0) 0 /dev/$two 0"
take 2
attempt x-partition partition_on $a
[ -n "$made" ] && attempt x-linear-on-partition lin x-11 $made
[ -n "$made" ] && attempt x-raid0-on-dm md_array 56 raid0 --chunk=64 $made $b

# --- states before the stack is built ---
user_0() { need_unmap $1; echo 0 >$(limit $1) || fail "user limit"; }
written() { echo "$2" >$(disk_file $1 $3) || fail "$3"; }
# The disk grew since a user wrote the limit it had.
pinned() {
    need_unmap $1
    written $1 1000 max_write_same_blocks
    echo 512000 >$(limit $1) || fail "user limit"
    written $1 2000 max_write_same_blocks
}
disabled() { # WRITE SAME refused once
    echo 0 >/sys/module/scsi_debug/parameters/write_same_length
    fallocate -z -n -o 0 -l 1M /dev/$1 || blkdiscard -z -o 0 -l 1M /dev/$1
    echo 65535 >/sys/module/scsi_debug/parameters/write_same_length
    [ "$(cat /sys/block/$1/queue/write_zeroes_max_bytes)" = 0 ] || fail "$1 still zeroes"
}
built() { # STATE RECIPE…: the state on $a, then the stack
    state=$1
    shift
    case $state in
        user-0) user_0 $a ;;
        pinned) pinned $a ;;
        blocks-*) written $a ${state#blocks-} max_write_same_blocks ;;
        mode-*) written $a ${state#mode-} zeroing_mode ;;
        disabled) disabled $a ;;
    esac || fail "state $state"
    made=$a
    "$@"
}
next=60
for state in user-0 pinned blocks-100 blocks-0 blocks-5000000 mode-writesame mode-write disabled; do
    take 2
    attempt before-$state-linear built $state lin b-$state $a
    lower=$made
    attempt before-$state-striped dm s-$state "0 32768 striped 2 64 /dev/$a 0 /dev/$b 0"
    [ -n "$lower" ] && attempt before-$state-on-linear lin o-$state $lower
    attempt before-$state-crypt dm_crypt c-$state $b
    take 2
    next=$((next + 1))
    attempt before-$state-raid0 built $state md_array $next raid0 --chunk=512 $a $b
done
observe
clear_stacks
