# Stacks that are described to zinspect before they are built: the capture has the leaves only.
begin whatif
unmap_disks 24 dev_size_mb=16
plain_disks 2
stage $group
: >$stage/plans
# Some leaves in a state, so that more than one answer is right.
take 4
u=$a v=$b w=$c x=$d
echo 100 >$(disk_file $v max_write_same_blocks)
have_unmap_files $w && echo 0 >$(limit $w)
echo 0 >$(disk_file $x max_write_same_blocks)
saved capture zinspect capture $stage/host.tar.gz

planned() { # CASE WORDS…: what zinspect whatif is given
    case_name=$1
    shift
    printf '%s' "$case_name" >>$stage/plans
    for word; do printf ' %s' "'$word'" >>$stage/plans; done
    echo >>$stage/plans
}
table() { # CASE LINE…
    name=$1
    shift
    words=
    planned_lines=$(printf '%s;' "$@")
    planned $name --dm "$planned_lines"
    attempt $name dm $name "$@"
}
table w-linear "0 8192 linear /dev/$u 0"
table w-linear-less "0 8192 linear /dev/$v 0"
table w-linear-user-0 "0 8192 linear /dev/$w 0"
table w-linear-none "0 8192 linear /dev/$x 0"
table w-linear-two "0 8192 linear /dev/$u 0" "8192 8192 linear /dev/$v 0"
table w-linear-mixed "0 8192 linear /dev/$u 0" "8192 8192 linear /dev/nullb0 0"
table w-linear-zero "0 8192 linear /dev/$u 0" "8192 8192 zero"
table w-striped "0 16384 striped 2 128 /dev/$u 0 /dev/$w 0"
table w-delay "0 8192 delay /dev/$u 0 0"
modprobe -a dm-multipath dm-service-time
table w-mpath "0 8192 multipath 0 0 2 1 service-time 0 1 2 /dev/$u 1 1 service-time 0 1 2 /dev/$v 1 1"
table w-mpath-none "0 8192 multipath 0 0 0 0"
array() { # CASE NUMBER LEVEL CHUNK-KIB DEVICE…
    name=$1 number=$2 level=$3 chunk=$4
    shift 4
    listed=$(for disk; do printf ',/dev/%s' $disk; done)
    planned $name --md "$level,chunk=${chunk}k$listed"
    option="--chunk=$chunk"
    [ $level = raid1 ] && option=--assume-clean
    attempt $name md_array $number $level $option "$@"
}
take 2
array w-raid0 80 raid0 64 $a $b
take 2
array w-raid0-512 81 raid0 512 $a $b
take 2
array w-raid1 82 raid1 64 $a $b
take 1
array w-raid0-mixed 83 raid0 64 $a nullb1
# Composed by name: dm on MD on dm.
take 2
planned w-three --dm "wleg=0 16384 linear /dev/$a 0" --md "warray=raid0,chunk=64k,/dev/wleg,/dev/$b" --dm "top=0 8192 linear /dev/warray 0"
three() { dm wleg "0 16384 linear /dev/$a 0"; md_array 84 raid0 --chunk=64 $made $b; dm wtop "0 8192 linear /dev/$made 0"; }
attempt w-three three
cp $out/roles $out/unbuilt $stage/
grep -s '' /sys/block/*/queue/write_zeroes* >$stage/sysfs.txt
echo "$group: $(wc -l <$out/roles) cases at $(cut -d ' ' -f 1 /proc/uptime)"
clear_stacks
