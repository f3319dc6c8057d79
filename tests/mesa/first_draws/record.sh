#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Records the first draws of programs on the Vulkan driver of a machine without Rust and compilers:
#
#    record.sh PREFIX PROGRAM FOLDER
#
# PREFIX is zink, of `cargo xtask mesa --build --alone`; PROGRAM is the workload; VK_DRIVER_FILES names the Vulkan driver, and
# EGL_VENDORS its file for EGL, if it has one. `cargo xtask mesa --first-draws --recorded FOLDER` makes tables of the files in FOLDER.
# The rounds and the environment are those of xtask/src/mesa/first_draws.

set -eu
prefix=$1 program=$2 folder=$3
library=$(dirname "$(find "$prefix" -name 'libEGL_mesa.so.0')")
export LD_LIBRARY_PATH="$library"
export __EGL_VENDOR_LIBRARY_FILENAMES="$prefix/share/glvnd/egl_vendor.d/50_mesa.json${EGL_VENDORS:+:$EGL_VENDORS}"
export GALLIUM_DRIVER=zink MESA_LOADER_DRIVER_OVERRIDE=zink EGL_PLATFORM=surfaceless MESA_SHADER_CACHE_DISABLE=1
export GALLIUM_THREAD=0 mesa_glthread=false XDG_RUNTIME_DIR=/tmp ZINK_INLINE_UNIFORMS=0
export MALLOC_TRIM_THRESHOLD_=2000000000 MALLOC_MMAP_THRESHOLD_=2000000000 MALLOC_TOP_PAD_=67108864

# record NAME ARGUMENTS...
record() {
   name=$1
   shift
   ZINK_NTVR_PROBES="$folder/$name.probes" "$program" "$@" >"$folder/$name.steps"
}

mkdir -p "$folder"
for way in libraries objects; do
   case $way in
   libraries) export ZINK_DEBUG=noshobj ;;
   objects) unset ZINK_DEBUG ;;
   esac
   # The first program fills the cache of the Vulkan driver, which is no part of the measurement.
   ZINK_NTVR=c record "$way-warm-up" 8
   ZINK_NTVR=rust record "$way-warm-up" 8
   for round in 0 1 2; do
      for translator in c rust; do
         ZINK_NTVR=$translator record "$way-$translator-$round" 8
      done
   done
   for translator in c rust; do
      ZINK_NTVR=$translator record "$way-$translator-memory" 1 --memory
   done
done
rm "$folder"/*-warm-up.*
