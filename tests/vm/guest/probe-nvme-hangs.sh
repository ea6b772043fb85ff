# The same controller, when it never answers, or late.
port=4600
for lie in slow slower; do
    port=$((port + 1))
    nvme_liar_on $port $lie
    probed $lie $made pwrite,fallocate-write-zeroes,nvme-write-zeroes --range 8M:2M
    nvme disconnect -n $liar_nqn >/dev/null
    kill -9 $server
done
for method in fallocate-write-zeroes nvme-write-zeroes; do
    port=$((port + 1))
    nvme_liar_on $port hang
    probed hang-$method $made $method --range 8M:1M --timeout 3
    # What hangs keeps the claim until its controller is gone.
    kill -9 $server
    nvme disconnect -n $liar_nqn >/dev/null
done
