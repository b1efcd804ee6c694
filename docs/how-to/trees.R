library(jsonlite)
exact <- function(x) ifelse(is.na(x), NA, sprintf("%.17g", x)) # jsonlite itself rounds to 15 digits
columns <- function(data) lapply(names(data), function(n) list(name = n, categories = I(as.character(levels(data[[n]])))))
save_trees <- function(file, library, combine, data, classes, trees, strict = FALSE)
  writeLines(toJSON(list(format = "espalier-trees", version = 1, library = library, combine = combine,
    strict = strict, features = columns(data), classes = I(as.character(classes)), trees = trees),
    auto_unbox = TRUE, na = "null"), file)

write_rpart <- function(model, data, file) {
  f <- model$frame; n <- as.integer(row.names(f)); leaf <- f$var == "<leaf>"; k <- nrow(f)
  first <- cumsum(c(1, f$ncompete + f$nsurrogate + !leaf))[seq_len(k)]
  splits <- if (is.null(model$splits)) cbind(ncat = 0, index = 0) else model$splits
  s <- splits[pmin(first, nrow(splits)), , drop = FALSE]
  by_set <- !leaf & abs(s[, "ncat"]) > 1; turned <- !leaf & s[, "ncat"] == 1
  down <- function(side) ifelse(leaf, -1, match(2 * n + side, n) - 1)
  sets <- lapply(seq_len(k), function(i) I(if (by_set[i]) which(model$csplit[s[i, "index"], ] == 1) - 1 else integer()))
  classes <- attr(model, "ylevels"); m <- length(classes)
  value <- if (m) lapply(seq_len(k), function(i) exact(unname(f$yval2[i, 1 + m + seq_len(m)]))) else exact(f$yval)
  tree <- list(feature = ifelse(leaf, -1, match(f$var, names(data)) - 1), left = ifelse(turned, down(1), down(0)),
    right = ifelse(turned, down(0), down(1)), threshold = exact(ifelse(leaf | by_set, NA, s[, "index"])),
    categories_left = sets, value = value, n = f$n)
  save_trees(file, "R, rpart", "mean", data, classes, list(lapply(tree, I)), strict = TRUE)
}

write_random_forest <- function(model, data, file) {
  stopifnot(!any(sapply(data, is.factor)))
  trees <- lapply(seq_len(model$ntree), function(i) {
    t <- randomForest::getTree(model, i); leaf <- t[, "status"] == -1
    value <- if (is.null(model$classes)) exact(t[, "prediction"]) else
      lapply(unname(t[, "prediction"]), function(p) I(as.numeric(seq_along(model$classes) == p)))
    lapply(list(feature = t[, "split var"] - 1, threshold = exact(ifelse(leaf, NA, t[, "split point"])),
      left = t[, "left daughter"] - 1, right = t[, "right daughter"] - 1, value = value), I)
  })
  save_trees(file, "R, randomForest", if (is.null(model$classes)) "mean" else "votes", data, model$classes, trees)
}

write_ranger <- function(model, data, file) {
  stopifnot(!any(sapply(data, is.factor)))
  trees <- lapply(seq_len(model$num.trees), function(i) {
    t <- ranger::treeInfo(model, i); empty <- function(x) ifelse(is.na(x), -1, x)
    shares <- grep("^pred\\.", names(t)); classes <- model$forest$levels
    value <- if (length(shares)) lapply(seq_len(nrow(t)), function(j) if (t$terminal[j]) exact(as.numeric(t[j, shares])) else NA)
      else if (is.null(classes)) exact(t$prediction)
      else lapply(as.character(t$prediction), function(p) if (is.na(p)) NA else I(as.numeric(classes == p)))
    lapply(list(feature = empty(t$splitvarID), threshold = exact(t$splitval), left = empty(t$leftChild),
      right = empty(t$rightChild), value = value), I)
  })
  classes <- if (model$treetype == "Probability estimation") colnames(model$predictions) else model$forest$levels
  save_trees(file, "R, ranger", if (model$treetype == "Classification") "votes" else "mean", data, classes, trees)
}
