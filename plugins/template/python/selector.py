"""My selector. build.py puts this text into the library, which runs it when passel loads it."""

from functools import wraps

from _my_score import ffi, lib

# What is handed out stays as long as the process.
kept = []


def text(characters):
    return new("char[]", characters.encode())


def new(kind, value):
    kept.append(ffi.new(kind, value))
    return kept[-1]


def struct(kind, **members):
    return new(f"{kind} *", dict(size=ffi.sizeof(kind), **members))


# Informations by the margins of the counts of x, the candidate, w, a chosen variable, and y, the
# response: n·I(x;y) = S(n) − S(x) − S(y) + S(xy), and so on. passel.h has more of it.
X_Y = dict(n=1, x=-1, y=-1, xy=1)
X_Y_GIVEN_W = dict(w=1, xw=-1, wy=-1, xwy=1)
X_W = dict(n=1, x=-1, w=-1, xw=1)


def with_reason(function):
    """A function whose last arguments are a buffer for its reason, which an exception becomes."""

    @wraps(function)
    def own(*arguments):
        try:
            return function(*arguments)
        except Exception as exception:
            *_, error, error_size = arguments
            told = f"{type(exception).__name__}: {exception}".encode()[: error_size - 1] + b"\0"
            ffi.memmove(error, told, len(told))
            return 1

    return own


@ffi.def_extern(error=1)
@with_reason
def declare(selector, values, score, error, error_size):
    """I(x;y) + the mean over the chosen w of I(x;y|w) − a·I(x;w)."""
    score.relevance = dict(over=X_Y)
    score.terms[0] = dict(weight=1.0, quantity=dict(over=X_Y_GIVEN_W))
    score.terms[1] = dict(weight=-values[0], quantity=dict(over=X_W))
    score.term_count = 2
    score.gather = lib.PASSEL_GATHER_MEAN
    score.join = lib.PASSEL_JOIN_ADDED
    return 0


A = struct(
    "passel_parameter",
    name=text("a"),
    help=text("What redundancy takes away"),
    default_value=0.5,
    least=0.0,
    most=10.0,
)

SELECTOR = struct(
    "passel_selector",
    method=dict(
        name=text("my-score"),
        title=text("what is new, less what is known"),
        formula=text("I(x;y) + (1/|S|)·Σ [I(x;y|w) − a·I(x;w)]"),
        source=text("unpublished"),
        parameters=new("passel_parameter *[]", [A]),
        parameter_count=1,
    ),
    declare=lib.declare,
)

PLUGIN = struct(
    "passel_plugin",
    abi_version=lib.PASSEL_ABI_VERSION,
    name=text("my-score"),
    version=text("0.1.0"),
    description=text("My selector"),
    selectors=new("passel_selector *[]", [SELECTOR]),
    selector_count=1,
    licence=text("MIT"),
)


@ffi.def_extern()
def passel_plugin_my_score(engine):
    return PLUGIN
