// Draws the tables that say so as plots above them. The rows stay below: they are what the plot is made of.
(() => {
  "use strict";
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const value = (cell) => {
    const text = cell && cell.dataset.value;
    return text === undefined || text === "" ? null : Number(text);
  };

  const draw = (table) => {
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map(value));
    if (rows.length < 2 || !rows.some((row) => row.slice(1).some((part) => part !== null))) return;
    const heads = [...table.tHead.rows[0].cells];
    const columns = heads.map((head, at) => at).filter((at) => at === 0 || rows.some((row) => row[at] !== null));
    const data = columns.map((at) => rows.map((row) => row[at]));
    const holder = document.createElement("div");
    holder.className = "plot";
    holder.setAttribute("role", "img");
    holder.setAttribute("aria-label", `A plot of the table below: ${heads.map((head) => head.textContent).join(", ")}`);
    table.before(holder);
    const isTime = table.dataset.plot === "line";
    const inks = [colour("--accent"), colour("--bad"), colour("--told"), colour("--faint")];
    const series = columns.map((at, place) => place === 0 ? { label: heads[at].textContent } : {
      label: heads[at].textContent,
      stroke: inks[(place - 1) % inks.length],
      width: 2,
      dash: heads[at].dataset.bound ? [4, 4] : undefined,
      points: { show: rows.length < 60, size: 7, fill: inks[(place - 1) % inks.length] },
      spanGaps: true,
    });
    const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
    const low = table.dataset.plotLow, high = table.dataset.plotHigh;
    const make = () => new uPlot({
      width: holder.clientWidth || 240,
      height: 240,
      scales: { x: { time: isTime }, y: low === undefined ? {} : { range: [Number(low), Number(high)] } },
      axes: [{ ...axis }, { ...axis, size: 56 }],
      series,
      legend: { show: series.length > 2 },
      cursor: { y: false },
    }, data, holder);
    let plot = make();
    addEventListener("resize", () => { plot.setSize({ width: holder.clientWidth || 240, height: 240 }); });
  };
  const drawAll = () => document.querySelectorAll("table[data-plot]").forEach(draw);
  requestAnimationFrame(() => setTimeout(drawAll, 0)); // after the first paint
})();
