// Draws the tables that say so as plots above them. The rows stay below: they are what the plot is made of.
(() => {
  "use strict";
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const HEIGHT = 240;
  const value = (cell) => {
    const text = cell && cell.dataset.value;
    return text === undefined || text === "" ? null : Number(text);
  };

  const holderBefore = (table, heads) => {
    const holder = document.createElement("div");
    holder.className = "plot";
    holder.setAttribute("role", "img");
    holder.setAttribute("aria-label", `A plot of the table below: ${heads.map((head) => head.textContent).join(", ")}`);
    table.before(holder);
    return holder;
  };

  const shown = (holder, options, data) => {
    const size = () => ({ width: holder.clientWidth || 240, height: HEIGHT });
    const plot = new uPlot({ ...size(), ...options }, data, holder);
    addEventListener("resize", () => plot.setSize(size()));
  };

  const axis = () => ({ stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } });
  const written = (unit) => (number) => number === null || number === undefined ? "–" : unit === "%" ? `${Math.round(number * 100)}%` : `${Number(number.toFixed(2))}`;

  const drawLines = (table) => {
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map(value));
    if (rows.length < 2 || !rows.some((row) => row.slice(1).some((part) => part !== null))) return;
    const heads = [...table.tHead.rows[0].cells];
    const columns = heads.map((head, at) => at).filter((at) => at === 0 || rows.some((row) => row[at] !== null));
    const inks = [colour("--accent"), colour("--bad"), colour("--told"), colour("--faint")];
    const series = columns.map((at, place) => place === 0 ? { label: heads[at].textContent } : {
      label: heads[at].textContent,
      stroke: inks[(place - 1) % inks.length],
      width: 2,
      points: { show: rows.length < 60, size: 7, fill: inks[(place - 1) % inks.length] },
      spanGaps: true,
    });
    const low = table.dataset.plotLow, high = table.dataset.plotHigh;
    shown(holderBefore(table, columns.map((at) => heads[at])), {
      scales: { x: { time: true }, y: low === undefined ? {} : { range: [Number(low), Number(high)] } },
      axes: [axis(), { ...axis(), size: 56 }],
      series,
      legend: { show: series.length > 2 },
      cursor: { y: false },
    }, columns.map((at) => rows.map((row) => row[at])));
  };

  // A point and the interval it lies in for each row: the first four columns are where, what, at least, at most.
  const drawIntervals = (table) => {
    const lines = [...table.tBodies[0].rows].filter((row) => value(row.cells[1]) !== null);
    if (!lines.length) return;
    const heads = [...table.tHead.rows[0].cells].slice(0, 4);
    const data = [0, 1, 2, 3].map((at) => lines.map((row) => value(row.cells[at])));
    const names = lines.map((row) => row.cells[0].dataset.name || "");
    const { plotUnit: unit, plotLow: low, plotHigh: high, plotZero: zero, plotDiagonal: diagonal } = table.dataset;
    const write = written(unit);
    const known = data.slice(1).flat().filter((number) => number !== null);
    const bottom = low === undefined ? Math.min(0, ...known) : Number(low);
    const top = high === undefined ? Math.max(0, ...known) : Number(high);
    const room = (top - bottom || 1) * 0.08;
    const line = (plot, from, to, ink, dash = []) => {
      const { ctx } = plot;
      ctx.save();
      ctx.strokeStyle = ink;
      ctx.lineWidth = 2 * devicePixelRatio;
      ctx.setLineDash(dash.map((part) => part * devicePixelRatio));
      ctx.beginPath();
      ctx.moveTo(plot.valToPos(from[0], "x", true), plot.valToPos(from[1], "y", true));
      ctx.lineTo(plot.valToPos(to[0], "x", true), plot.valToPos(to[1], "y", true));
      ctx.stroke();
      ctx.restore();
    };
    const behind = (plot) => {
      const { min, max } = plot.scales.x;
      if (zero) line(plot, [min, 0], [max, 0], colour("--faint"), [2, 4]);
      if (diagonal) line(plot, [0, 0], [1, 1], colour("--faint"), [2, 4]);
      data[0].forEach((at, row) => {
        if (data[2][row] !== null && data[3][row] !== null) line(plot, [at, data[2][row]], [at, data[3][row]], colour("--accent"));
      });
    };
    const bound = (at) => ({ label: heads[at].textContent, paths: () => null, points: { show: false }, value: (plot, number) => write(number) });
    const isNumbered = !diagonal;
    const fits = (plot) => names.every(Boolean) && plot.width / names.length > 90;
    const holder = holderBefore(table, heads);
    holder.classList.add("intervals");
    shown(holder, {
      scales: {
        x: { time: false, range: isNumbered ? [0.5, data[0][data[0].length - 1] + 0.5] : [0, 1] },
        y: { range: [low === undefined ? bottom - room : bottom, high === undefined ? top + room : top] },
      },
      axes: [
        isNumbered
          ? { ...axis(), splits: () => data[0], values: (plot) => data[0].map((at, row) => fits(plot) ? names[row] : String(at)) }
          : axis(),
        { ...axis(), size: 56, values: (plot, numbers) => numbers.map(write) },
      ],
      series: [
        { label: heads[0].textContent, value: (plot, at) => at === null ? "–" : names[data[0].indexOf(at)] || Number(at.toFixed(2)) },
        {
          label: heads[1].textContent,
          stroke: colour("--accent"),
          paths: () => null,
          points: { show: true, size: 10, fill: colour("--accent") },
          value: (plot, number) => write(number),
        },
        bound(2),
        bound(3),
      ],
      cursor: { y: false },
      hooks: { drawAxes: [behind] },
    }, data);
  };

  const drawAll = () => document.querySelectorAll("table[data-plot]").forEach((table) => {
    if (table.dataset.plot === "intervals") drawIntervals(table); else drawLines(table);
  });
  requestAnimationFrame(() => setTimeout(drawAll, 0)); // after the first paint
})();
