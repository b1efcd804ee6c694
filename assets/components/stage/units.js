// A percent sign stays with its number, where else a line would break between them.

const WRITTEN = "[data-testid=stMarkdownContainer]";

export const joined = (text) => text.replace(/(\d) %/g, "$1\u00a0%");

function join(node) {
  const text = joined(node.data);
  if (text !== node.data) node.data = text;
}

function joinAll(root) {
  if (root.nodeType === Node.TEXT_NODE) return root.parentElement?.closest(WRITTEN) && join(root);
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (texts.currentNode.parentElement.closest(WRITTEN)) join(texts.currentNode);
}

// Watches over what is written until the function that is returned is called.
export function keepUnits() {
  const watch = new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      (type === "characterData" ? [target] : addedNodes).forEach(joinAll);
  });
  watch.observe(document.body, { childList: true, characterData: true, subtree: true });
  joinAll(document.body);
  return () => watch.disconnect();
}
