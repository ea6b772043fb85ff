# The cases of the scenario `matrix`: the parts that $parts names.
set -u
. /share/in/recipes.sh
. /share/in/save.sh
. /share/in/cases.sh

for part in $parts; do
    # A part that breaks costs its own cases alone, and is counted as a failed one.
    if ! (. /share/in/matrix-$part.sh); then
        stage broken-$part
        : >$stage/roles
        echo "part-$part $(tail -n 1 $out/guest.log)" >$stage/unbuilt
        clear_stacks
    fi
done
