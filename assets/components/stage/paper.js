// Charts are as many pixels wide as their place on the screen was; paper is narrower, and would cut them. While the
// page is printed each is a picture that fits.

const CHARTS = "[data-testid=stPlotlyChart] svg.main-svg";

// The part of a chart that its picture shows: all of it.
export const viewOf = (chart) => `0 0 ${chart.getAttribute("width")} ${chart.getAttribute("height")}`;

// Fits charts to paper until the function that is returned is called.
export function fitChartsToPaper() {
  const charts = () => document.querySelectorAll(CHARTS);
  const fit = () => charts().forEach((chart) => chart.setAttribute("viewBox", viewOf(chart)));
  const unfit = () => charts().forEach((chart) => chart.removeAttribute("viewBox"));
  addEventListener("beforeprint", fit);
  addEventListener("afterprint", unfit);
  return () => {
    removeEventListener("beforeprint", fit);
    removeEventListener("afterprint", unfit);
  };
}
