# What both R scripts need: reading .npy, writing a path (programs.py says its form).

# The numbers of a .npy of version 1 in f64, column by column.
read_npy <- function(file, count) {
  con <- file(file, "rb")
  on.exit(close(con))
  magic <- readBin(con, "raw", 8)
  stopifnot(magic[2:6] == charToRaw("NUMPY"), magic[7] == as.raw(1))
  size <- readBin(con, "integer", 1, size = 2, signed = FALSE, endian = "little")
  header <- readChar(con, size)
  stopifnot(grepl("'<f8'", header, fixed = TRUE))
  shape <- sub(".*'shape': \\(([0-9, ]*)\\).*", "\\1", header)
  shape <- as.numeric(strsplit(shape, ", *")[[1]])
  values <- readBin(con, "double", prod(shape), endian = "little")
  if (length(shape) == 2) {
    stopifnot(grepl("'fortran_order': True", header, fixed = TRUE))
    dim(values) <- shape
  }
  values
}

seconds <- function(from) {
  spent <- proc.time() - from
  c(spent[["elapsed"]], spent[["user.self"]] + spent[["sys.self"]])
}

write_path <- function(out, read, search, supports) {
  lines <- vapply(supports, function(it) paste(it - 1, collapse = " "), "")
  writeLines(c(paste(read[1], search[1], search[2]), lines), out)
}

arguments <- commandArgs(TRUE)
start <- proc.time()
x <- read_npy(arguments[1])
y <- read_npy(arguments[2])
read <- seconds(start)
largest <- as.integer(arguments[3])
out <- arguments[4]
