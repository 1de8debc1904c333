#!/bin/sh
# Installs Pumice from this folder, for this user or for all.
#
#     ./install.sh [--prefix DIR]              to DIR (as root /usr/local, else ~/.local), and tells the OpenCL loader
#     ./install.sh --uninstall [--prefix DIR]  removes what was installed
set -eu
here=$(cd "$(dirname "$0")" && pwd)
uninstall=
prefix=
while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
        [ $# -gt 1 ] || { echo "install.sh: --prefix needs a folder" >&2; exit 2; }
        prefix=$2
        shift
        ;;
    --uninstall) uninstall=1 ;;
    *)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
if [ "$(id -u)" -eq 0 ]; then
    prefix=${prefix:-/usr/local}
    vendors=/etc/OpenCL/vendors
else
    prefix=${prefix:-$HOME/.local}
    vendors=${XDG_DATA_HOME:-$HOME/.local/share}/OpenCL/vendors
fi
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
list=$prefix/share/pumice/installed

remove() {
    [ -f "$list" ] || { echo "install.sh: nothing of Pumice's is installed in $prefix" >&2; exit 1; }
    # Files, then the folders that are empty without them, innermost first. The list is one of the files.
    folders=$(sed 's|/[^/]*$||' "$list" | sort -ru)
    while IFS= read -r file; do rm -f "$file"; done <"$list"
    echo "$folders" | while IFS= read -r folder; do
        while [ "$folder" != "$prefix" ] && [ "$folder" != / ] && rmdir "$folder" 2>/dev/null; do folder=${folder%/*}; done
    done
}

if [ -n "$uninstall" ]; then
    remove
    echo "Pumice is removed from $prefix."
    exit
fi
[ ! -f "$list" ] || remove
mkdir -p "$prefix/share/pumice" "$vendors"
: >"$list"
cd "$here"
find bin include lib share -type f -o -type l | sort | while IFS= read -r file; do
    mkdir -p "$prefix/${file%/*}"
    cp -P "$file" "$prefix/$file"
    echo "$prefix/$file" >>"$list"
done
echo "$prefix/lib/libpumice.so" >"$vendors/pumice.icd"
echo "$vendors/pumice.icd" >>"$list"
echo "$list" >>"$list"
echo "Pumice is installed in $prefix, and $vendors/pumice.icd names its library."
[ "$vendors" = /etc/OpenCL/vendors ] || echo "OpenCL programs find it with
    export OCL_ICD_VENDORS=$vendors"
case :$PATH: in *:"$prefix/bin":*) ;; *) echo "The program is $prefix/bin/pumice." ;; esac
echo "'pumice doctor' looks whether everything is there."
