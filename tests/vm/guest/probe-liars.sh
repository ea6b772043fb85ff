# The NBD server that lies: requests for zeroes through the block layer.
number=0
for lie in honest nothing half neighbour slow slower error:1; do
    liar $number "$lie"
    probed ${lie%:*} $made pwrite,blkzeroout,fallocate-punch-hole --range 8M:2M
    number=$((number + 1))
done
liar $number hang
probed hang $made blkzeroout --range 8M:1M --timeout 3
number=$((number + 1))
liar $number hang
saved hang-preserve zinspect probe /dev/$made -m blkzeroout --preserve --range 8M:1M --timeout 3 -o json
saved hang-again zinspect probe /dev/$made -m blkzeroout --preserve --range 8M:1M --timeout 3
kill -9 $liar
rm -f /mnt/state/*.journal
