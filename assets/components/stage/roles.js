// Streamlit's box for files has a name, and a role by which it is nothing that could have one. It is a group, of the
// button and its limits.

const WRONG = "[data-testid=stFileUploaderDropzone][role=presentation]";

// Mends the role wherever such a box comes up, until the function that is returned is called.
export function mendRoles() {
  const mend = () => document.querySelectorAll(WRONG).forEach((box) => box.setAttribute("role", "group"));
  const watch = new MutationObserver(mend);
  watch.observe(document.body, { childList: true, subtree: true, attributeFilter: ["role"] });
  mend();
  return () => watch.disconnect();
}
