# Writes trees of rpart, ranger and randomForest into a file that espalier.read_model reads: `data` is the data frame
# that the model was fitted to. What the file cannot carry is refused.
library(jsonlite)
exact <- function(x) ifelse(is.na(x), NA, sprintf("%.17g", x)) # jsonlite itself rounds to 15 digits
refuse <- function(...) stop(..., call. = FALSE)
SECONDS <- c(secs = 1, mins = 60, hours = 3600, days = 86400, weeks = 604800)
is_utc <- function(x) {
  zone <- c(attr(x, "tzone"), "")[1]
  (if (zone == "") Sys.timezone() else zone) %in% c("UTC", "GMT", "Etc/UTC", "Etc/GMT", "Etc/UCT", "UCT", "Zulu")
}

# What a column's numbers count, or which categories it has, in the model's order.
column <- function(name, x, levels) {
  feature <- function(kind, ...) list(name = name, kind = kind, ...)
  if (is.factor(x) || is.character(x)) return(feature("category", categories = I(levels)))
  if (inherits(x, "Date")) return(feature("date", unit = 86400))
  if (inherits(x, "POSIXct")) {
    if (!is_utc(x)) refuse("The times in ", name, " are not in UTC, and a table's times are read as UTC. Make them ",
      "as.POSIXct(format(", name, "), tz = \"UTC\") and fit the model again.")
    return(feature("date", unit = 1))
  }
  if (inherits(x, "difftime")) return(feature("duration", unit = SECONDS[[units(x)]]))
  if (is.null(dim(x)) && !is.object(x) && (is.numeric(x) || is.logical(x))) return(feature("number"))
  refuse("The column ", name, " is of the class ", class(x)[1], ", which the file cannot say. Make it numbers, a factor ",
    "or a Date, and fit the model again.")
}

# The columns of `data` that the model knows, after a look whether they are those that it was fitted to.
check_columns <- function(model, data, names) {
  data <- as.data.frame(data)
  if (length(other <- setdiff(names, names(data)))) refuse("The model asks for ", other[1], ", which is no column of the ",
    "data. Give the data frame that it was fitted to; what a formula works out must be a column of its own.")
  fitted <- attr(model$terms, "dataClasses")
  for (n in intersect(names, names(fitted))) if (fitted[[n]] != .MFclass(data[[n]])) refuse("The column ", n, " is of the ",
    "class ", class(data[[n]])[1], "; when the model was fitted it was ", fitted[[n]], ". Give the data of that time.")
  data[names(data) %in% names]
}

save_trees <- function(file, library, combine, features, classes, trees, ...)
  writeLines(toJSON(list(format = "espalier-trees", version = 2, library = library, combine = combine,
    features = unname(features), classes = I(as.character(classes)), trees = trees, ...),
    auto_unbox = TRUE, na = "null", digits = NA), file)

write_rpart <- function(model, data, file) {
  if (!model$method %in% c("class", "anova", "poisson")) refuse("Trees of the method ", model$method, " are not written.")
  f <- model$frame; n <- as.integer(row.names(f)); leaf <- f$var == "<leaf>"; k <- nrow(f)
  names <- gsub("^`|`$", "", attr(model$terms, "term.labels"))
  data <- check_columns(model, data, names); levels <- attr(model, "xlevels")
  features <- Map(function(name, x) column(name, x, levels[[name]]), names(data), data)
  first <- cumsum(c(1, f$ncompete + f$nsurrogate + !leaf))[seq_len(k)]
  splits <- if (is.null(model$splits)) cbind(ncat = 0, index = 0) else model$splits
  s <- splits[pmin(first, nrow(splits)), , drop = FALSE]
  by_set <- !leaf & abs(s[, "ncat"]) > 1; turned <- !leaf & s[, "ncat"] == 1
  down <- function(side) ifelse(leaf, -1, match(2 * n + side, n) - 1)
  to_left <- f$n[down(0) + 1 + leaf] >= f$n[down(1) + 1 + leaf] # where levels go that a node never saw, with what is missing
  sets <- lapply(seq_len(k), function(i) if (!by_set[i]) I(integer()) else {
    way <- model$csplit[s[i, "index"], seq_along(levels[[as.character(f$var[i])]])]
    I(which(way == 1 | way == 2 & to_left[i]) - 1)
  })
  classes <- attr(model, "ylevels"); m <- length(classes)
  value <- if (m) lapply(seq_len(k), function(i) {
    share <- unname(f$yval2[i, 1 + m + seq_len(m)]); own <- f$yval[i]
    if (leaf[i] && share[own] < max(share) - 1e-9) refuse("The tree says ", classes[own], " where ", classes[which.max(share)], " is ",
      "more frequent: it was fitted with a matrix of losses, which the file cannot carry. Fit it without `loss`.")
    if (leaf[i] && which.max(share) != own) share[own] <- max(share) + 1e-12 # R's choice among equals
    exact(share)
  }) else exact(f$yval)
  tree <- list(feature = ifelse(leaf, -1, match(f$var, names(data)) - 1), left = ifelse(turned, down(1), down(0)),
    right = ifelse(turned, down(0), down(1)), threshold = exact(ifelse(leaf | by_set, NA, s[, "index"])),
    categories_left = sets, value = value, n = f$n)
  save_trees(file, "R, rpart", "mean", features, classes, list(lapply(tree, I)), strict = TRUE)
}

# The columns of a forest: R codes the text and the factors of *new* data by their own levels, so neither is written.
forest_columns <- function(model, data, names) {
  data <- check_columns(model, data, names)[names]
  for (n in names) if (is.factor(data[[n]]) || is.character(data[[n]])) refuse("The column ", n, " holds categories, which ",
    "are written for trees of rpart alone. Make a column of TRUE and FALSE for each of them, and fit the model again.")
  Map(column, names, data, list(NULL))
}

write_random_forest <- function(model, data, file) {
  if (is.null(model$forest)) refuse("The model has no trees. Fit it with keep.forest = TRUE, and with a target.")
  if (!is.null(model$coefs)) refuse("The model corrects its bias by a line, which the file cannot carry. Fit it with ",
    "corr.bias = FALSE.")
  if (length(unique(model$forest$cutoff)) > 1) refuse("The model counts votes by a `cutoff`, which the file cannot carry. ",
    "Fit it without, or give classes weights (classwt).")
  names <- names(model$forest$xlevels); if (is.null(names)) names <- rownames(model$importance)
  features <- forest_columns(model, data, names)
  trees <- lapply(seq_len(model$ntree), function(i) {
    t <- randomForest::getTree(model, i); leaf <- t[, "status"] == -1
    value <- if (is.null(model$classes)) exact(t[, "prediction"]) else
      lapply(unname(t[, "prediction"]), function(p) I(as.numeric(seq_along(model$classes) == p)))
    lapply(list(feature = t[, "split var"] - 1, threshold = exact(ifelse(leaf, NA, t[, "split point"])),
      left = t[, "left daughter"] - 1, right = t[, "right daughter"] - 1, value = value), I)
  })
  save_trees(file, "R, randomForest", if (is.null(model$classes)) "mean" else "votes", features, model$classes, trees)
}

write_ranger <- function(model, data, file) {
  type <- model$treetype; classes <- model$forest$levels
  if (is.null(model$forest)) refuse("The model has no trees. Fit it with write.forest = TRUE.")
  if (!type %in% c("Classification", "Regression", "Probability estimation")) refuse("Forests of the type ", type, " are ",
    "not written.")
  if (type != "Regression" && is.null(classes)) refuse("The target is no factor. Make it one, and fit the model again.")
  if (anyNA(data)) refuse("The data have missing values, whose ways through the trees ranger does not tell.")
  features <- forest_columns(model, data, model$forest$independent.variable.names)
  trees <- lapply(seq_len(model$num.trees), function(i) {
    t <- ranger::treeInfo(model, i); empty <- function(x) ifelse(is.na(x), -1, x)
    value <- switch(type, Regression = exact(t$prediction),
      Classification = lapply(seq_len(nrow(t)), function(j) # treeInfo itself takes classes for others (0.14.1)
        if (t$terminal[j]) I(as.numeric(seq_along(classes) == model$forest$split.values[[i]][j])) else NA),
      lapply(seq_len(nrow(t)), function(j) if (t$terminal[j]) exact(as.numeric(t[j, paste0("pred.", classes)])) else NA))
    lapply(list(feature = empty(t$splitvarID), threshold = exact(t$splitval), left = empty(t$leftChild),
      right = empty(t$rightChild), value = value), I)
  })
  save_trees(file, "R, ranger", if (type == "Classification") "votes" else "mean", features, classes, trees)
}
