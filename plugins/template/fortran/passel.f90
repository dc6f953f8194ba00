! What a selector with a declared score needs of passel.h, whose members these are, in their order. A
! struct that grew since is as long as its `size` says.
module passel
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int32_t), parameter :: passel_gather_sum = 0, passel_gather_mean = 1
  integer(c_int32_t), parameter :: passel_gather_minimum = 2, passel_gather_last = 3
  integer(c_int32_t), parameter :: passel_join_added = 0, passel_join_alone = 1
  integer(c_int32_t), parameter :: passel_join_least = 2, passel_join_guarded = 3

  type, bind(c) :: passel_parameter
    integer(c_size_t) :: size = 0
    type(c_ptr) :: name = c_null_ptr, help = c_null_ptr
    real(c_double) :: default_value = 0, least = 0, most = 0
  end type

  type, bind(c) :: passel_method
    type(c_ptr) :: name = c_null_ptr, title = c_null_ptr, formula = c_null_ptr, source = c_null_ptr
    type(c_ptr) :: parameters = c_null_ptr
    integer(c_size_t) :: parameter_count = 0
  end type

  type, bind(c) :: passel_combination
    integer(c_int32_t) :: n = 0, x = 0, w = 0, y = 0, xw = 0, xy = 0, wy = 0, xwy = 0
  end type

  type, bind(c) :: passel_quantity
    type(passel_combination) :: over, under
  end type

  type, bind(c) :: passel_term
    real(c_double) :: weight = 0
    type(passel_quantity) :: quantity
    integer(c_int32_t) :: part = 0
  end type

  ! The first members; the engine's own is longer.
  type, bind(c) :: passel_score
    integer(c_size_t) :: size
    type(passel_quantity) :: relevance
    type(c_ptr) :: terms
    integer(c_size_t) :: term_count
    integer(c_int32_t) :: gather, join
  end type

  type, bind(c) :: passel_selector
    integer(c_size_t) :: size = 0
    type(passel_method) :: method
    type(c_funptr) :: declare = c_null_funptr, run = c_null_funptr
    integer(c_int32_t) :: over = 0
    type(c_ptr) :: data = c_null_ptr
  end type

  type, bind(c) :: passel_plugin
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: abi_version = 1, needs = 1
    type(c_ptr) :: name = c_null_ptr, version = c_null_ptr, description = c_null_ptr
    type(c_ptr) :: selectors = c_null_ptr
    integer(c_size_t) :: selector_count = 0
    type(c_ptr) :: pair_scores = c_null_ptr
    integer(c_size_t) :: pair_score_count = 0
    type(c_ptr) :: criteria = c_null_ptr
    integer(c_size_t) :: criterion_count = 0
    type(c_ptr) :: families = c_null_ptr
    integer(c_size_t) :: family_count = 0
    type(c_ptr) :: licence = c_null_ptr, authors = c_null_ptr, url = c_null_ptr, doi = c_null_ptr
  end type

contains

  ! A text as C has it, which stays as long as the process.
  function text(characters) result(there)
    character(len=*), intent(in) :: characters
    type(c_ptr) :: there
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    allocate (letters(len(characters) + 1))
    do i = 1, len(characters)
      letters(i) = characters(i:i)
    end do
    letters(len(characters) + 1) = c_null_char
    there = c_loc(letters(1))
  end function
end module
