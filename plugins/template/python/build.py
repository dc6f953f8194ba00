"""Builds the library: passel.h and selector.py, embedded by cffi (pip install cffi setuptools)."""

import re
import sysconfig
from pathlib import Path

import cffi

here = Path(__file__).parent
header = (here / "passel.h").read_text(encoding="utf-8")
# cffi reads declarations and numbers alone.
header = re.sub(r"//[^\n]*", "", header).replace("\\\n", " ")
numbers = re.findall(r"^#define \w+ \d+ *$", header, re.MULTILINE)
declared = header[header.index("typedef struct passel_engine") :]
declared = re.sub(r"^#.*", "", declared, flags=re.MULTILINE)
declared = declared.replace('extern "C" {', "")
declared = re.sub(r"^}\s*$", "", declared, flags=re.MULTILINE)

ffi = cffi.FFI()
ffi.cdef("\n".join([*numbers, declared]))
ffi.cdef(
    """
    extern "Python" int32_t declare(const passel_selector *selector, const double *values,
                                    passel_score *score, char *error, size_t error_size);
    """
)
ffi.embedding_api("const passel_plugin *passel_plugin_my_score(const passel_engine *engine);")
ffi.embedding_init_code((here / "selector.py").read_text(encoding="utf-8"))
ffi.set_source(
    "_my_score",
    r"""
    #include <dlfcn.h>
    #include "passel.h"

    /* Modules of Python look for its functions among those that all may see, and passel loads
     * a plugin for itself alone: so the library, and Python with it, is made seen. */
    static int here;
    __attribute__((constructor)) static void promote(void)
    {
        Dl_info own;
        if (dladdr(&here, &own))
            dlopen(own.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    }
    """,
    include_dirs=[str(here)],
    extra_link_args=["-Wl,-rpath," + (sysconfig.get_config_var("LIBDIR") or "")],
)
ffi.compile(tmpdir=str(here), target="libmy_score.*", verbose=False)
