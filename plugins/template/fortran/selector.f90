! My selector.
module own
  use passel
  implicit none
  private
  public :: entry

  ! What is handed out stays as long as the process.
  type(passel_parameter), target, save :: a
  type(passel_selector), target, save :: selector
  type(passel_plugin), target, save :: plugin
  type(c_ptr), target, save :: parameters(1), selectors(1)

contains

  ! I(x;y) + the mean over the chosen w of I(x;y|w) - a*I(x;w): informations by the margins of the
  ! counts of x, the candidate, w, a chosen variable, and y, the response, as in
  ! n*I(x;y) = S(n) - S(x) - S(y) + S(xy).
  function declare(self, values, score, error, error_size) bind(c) result(status)
    type(c_ptr), value :: self, values, error
    type(passel_score), intent(inout) :: score
    integer(c_size_t), value :: error_size
    integer(c_int32_t) :: status
    real(c_double), pointer :: given(:)
    type(passel_term), pointer :: terms(:)
    call c_f_pointer(values, given, [1])
    call c_f_pointer(score%terms, terms, [2])
    score%relevance%over = passel_combination(n=1, x=-1, y=-1, xy=1)
    terms(1)%weight = 1
    terms(1)%quantity%over = passel_combination(w=1, xw=-1, wy=-1, xwy=1)
    terms(2)%weight = -given(1)
    terms(2)%quantity%over = passel_combination(n=1, x=-1, w=-1, xw=1)
    score%term_count = 2
    score%gather = passel_gather_mean
    score%join = passel_join_added
    status = 0
  end function

  ! Called by the thread that loads the library, and may be called again.
  function entry(engine) bind(c, name="passel_plugin_my_score") result(there)
    type(c_ptr), value :: engine
    type(c_ptr) :: there
    there = c_loc(plugin)
    if (plugin%size /= 0) return
    a%size = c_sizeof(a)
    a%name = text("a")
    a%help = text("What redundancy takes away")
    a%default_value = 0.5_c_double
    a%least = 0
    a%most = 10
    parameters(1) = c_loc(a)
    selector%size = c_sizeof(selector)
    selector%method%name = text("my-score")
    selector%method%title = text("what is new, less what is known")
    selector%method%formula = text("I(x;y) + (1/|S|) sum [I(x;y|w) - a I(x;w)]")
    selector%method%source = text("unpublished")
    selector%method%parameters = c_loc(parameters)
    selector%method%parameter_count = 1
    selector%declare = c_funloc(declare)
    selectors(1) = c_loc(selector)
    plugin%name = text("my-score")
    plugin%version = text("0.1.0")
    plugin%description = text("My selector")
    plugin%licence = text("MIT")
    plugin%selectors = c_loc(selectors)
    plugin%selector_count = 1
    plugin%size = c_sizeof(plugin)
  end function
end module
