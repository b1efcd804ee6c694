// The Markdown that explanations have: *terms*, **names**, `code`, and lists of lines that begin with "- ".

const MARKED = /(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/;

// [["em", "Term:"], ["", " "], ["code", "max_depth"], …]
export const parts = (text) =>
  text
    .split(MARKED)
    .filter(Boolean)
    .map((part) =>
      part.startsWith("**") && part.length > 4
        ? ["strong", part.slice(2, -2)]
        : part.startsWith("*") && part.length > 2
          ? ["em", part.slice(1, -1)]
          : part.startsWith("`") && part.length > 2
            ? ["code", part.slice(1, -1)]
            : ["", part],
    );

export const paragraphs = (text) =>
  text
    .split(/\n+/)
    .filter(Boolean)
    .map((line) => parts(line.replace(/^- /, "• ")));
