// When the page's script has run to its end, as Streamlit writes it on the page: what it draws is there then.

const STATE = "data-test-script-state";
const AT_WORK = ["running", "rerunRequested"];

export function afterRun(act) {
  const app = document.querySelector(`[${STATE}]`);
  if (!AT_WORK.includes(app?.getAttribute(STATE))) return act();
  const observer = new MutationObserver(() => {
    if (AT_WORK.includes(app.getAttribute(STATE))) return;
    observer.disconnect();
    act();
  });
  observer.observe(app, { attributes: true, attributeFilter: [STATE] });
}
