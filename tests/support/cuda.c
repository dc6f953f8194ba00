/* As much of CUDA as `passel devices` asks for, with two cards; tests/program/devices.rs adds an
   empty function for every other name. Its variables say what goes wrong. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags)
{
    return number("CUDA_INIT", 0);
}

int cuDriverGetVersion(int *version)
{
    *version = number("CUDA_DRIVER", 13000);
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = 2;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int length, int device)
{
    strncpy(name, "A card", length);
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75 ? 9 : 0; /* compute capability 9.0 */
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (size_t)139 << 30;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    static int contexts[2];
    *context = &contexts[device];
    return device == 0 ? 0 : 46; /* the second is another program's alone */
}

int cuCtxGetCurrent(void **context)
{
    *context = NULL;
    return 0;
}

int cuMemGetInfo_v2(size_t *unused, size_t *total)
{
    *unused = (size_t)137 << 30;
    *total = (size_t)139 << 30;
    return 0;
}

int cuGetErrorString(int error, const char **text)
{
    *text = "busy";
    return 0;
}

int nvrtcVersion(int *major, int *minor)
{
    *major = number("CUDA_NVRTC", 13);
    *minor = 0;
    return 0;
}

int cublasGetProperty(int which, int *value)
{
    *value = which == 0 ? 13 : 1;
    return 0;
}
