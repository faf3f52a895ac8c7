// The interactive part of a sweep's page: a table that sorts and filters, and charts of what it
// shows. No other file is loaded; the points lie in the element "data".
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const columns = data.columns.map((c, index) => prepared(c, index));
  const axes = columns.filter((c) => c.kind === "axis");
  const figures = columns.filter((c) => c.kind === "figure");
  const failed = columns.find((c) => c.kind === "status");
  const remarks = columns.at(-1);
  const measures = [...figures, ...axes.filter((c) => c.numeric)];
  const all = [...Array(data.points).keys()];
  const state = {
    shown: all, sort: null, down: false, filters: columns.map(() => ""), baseline: 0, selected: null,
    relative: false, hidden: new Set(), chart: "scatter",
  };
  const kRowHeight = 24;
  const $ = (id) => document.getElementById(id);

  function prepared(column, index) {
    const texts = column.values;  // of a parameter, as it was set
    let values = column.values;
    if (column.kind === "axis" && texts.every((t) => t.trim() !== "" && Number.isFinite(Number(t)))) values = texts.map(Number);
    if (column.name === "scene") values = texts.map((t) => t.split("/").pop());
    const numeric = values.every((v) => v === null || typeof v === "number");
    const words = numeric ? null : [...new Set(values)];
    const label = column.unit ? `${column.name} [${column.unit}]` : column.name;
    return {...column, values, texts, index, numeric, words, label};
  }
  // What a column is drawn at: its number, or the place of its word.
  function placeOf(column, row) {
    const v = column.values[row];
    return column.numeric ? v : column.words.indexOf(v);
  }
  function short(v) {
    if (v === null || v === undefined) return "";
    return typeof v === "number" ? String(Number(v.toPrecision(6))) : String(v);
  }
  function make(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) {
      if (k === "text") e.textContent = v;
      else if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
      else e.setAttribute(k, v);
    }
    e.append(...children);
    return e;
  }
  function svg(tag, attributes = {}, text = null) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== null) e.textContent = text;
    return e;
  }
  function colour(i, n) {
    // Neighbours differ in hue by the golden angle, and every third one in lightness.
    return n <= 1 ? "#1f5fa8" : `hsl(${(i * 137.508 + 210) % 360} 65% ${[38, 55, 28][i % 3]}%)`;
  }

  // ---- which points are shown
  function matcher(text) {
    const trimmed = text.trim();
    if (trimmed === "") return null;
    const range = /^(-?[\d.eE+-]+)\.\.(-?[\d.eE+-]+)$/.exec(trimmed);
    if (range) return (v) => v !== null && v >= Number(range[1]) && v <= Number(range[2]);
    const compare = /^(<=|>=|<|>|=)\s*(.+)$/.exec(trimmed);
    if (!compare) {
      const part = trimmed.toLowerCase();
      return (v) => String(v ?? "").toLowerCase().includes(part);
    }
    const [, sign, word] = compare;
    if (sign === "=") return (v) => String(v) === word || v === Number(word);
    const bound = Number(word);
    const compared = {
      "<": (v) => v < bound, ">": (v) => v > bound, "<=": (v) => v <= bound, ">=": (v) => v >= bound,
    };
    return (v) => v !== null && compared[sign](v);
  }
  function refresh() {
    const tests = columns.map((c) => [c, matcher(state.filters[c.index])]).filter(([, m]) => m);
    state.shown = all.filter((row) => tests.every(([c, m]) => m(c.values[row])));
    if (state.sort !== null) {
      const c = columns[state.sort];
      const sign = state.down ? -1 : 1;
      state.shown.sort((a, b) => {
        const x = c.values[a], y = c.values[b];
        if (x === null || y === null) return (x === null) - (y === null);  // absent ones last
        return (x < y ? -1 : x > y ? 1 : 0) * sign || a - b;
      });
    }
    $("count").textContent = `${state.shown.length} of ${data.points} points shown`;
    drawHead();
    drawRows();
    drawChart();
  }

  // ---- the table: only the rows in sight exist
  function relativeTo(column, row) {
    const base = column.values[state.baseline];
    const v = column.values[row];
    return typeof v === "number" && base ? `${Number((v / base).toPrecision(4))}×` : short(v);
  }
  function drawHead() {
    document.querySelectorAll("#head th button").forEach((button, i) => {
      button.dataset.sorted = state.sort === i ? (state.down ? "down" : "up") : "";
    });
  }
  function makeHead() {
    const names = make("tr"), filters = make("tr");
    for (const c of columns) {
      const sort = () => {
        state.down = state.sort === c.index && !state.down;
        state.sort = c.index;
        refresh();
      };
      names.append(make("th", {title: c.formula || c.name}, make("button", {text: c.label, onclick: sort})));
      const filter = make("input", {
        "aria-label": `filter ${c.name}`, placeholder: c.numeric ? "> 3, 1..5" : "part of it",
        oninput: (e) => { state.filters[c.index] = e.target.value; $("rows").scrollTop = 0; refresh(); },
      });
      c.input = filter;
      filters.append(make("th", {}, filter));
    }
    $("head").append(names, filters);
  }
  function drawRows() {
    const box = $("rows");
    const first = Math.max(0, Math.floor(box.scrollTop / kRowHeight) - 10);
    const last = Math.min(state.shown.length, first + Math.ceil(box.clientHeight / kRowHeight) + 30);
    const body = $("body");
    const spacer = (height) => make("tr", {style: `height:${height}px`}, make("td"));
    const rows = state.shown.slice(first, last).map((row) => {
      const tr = make("tr", {"data-row": row, onclick: () => select(row)});
      if (failed.values[row] !== 0) tr.classList.add("failed");
      if (row === state.selected) tr.classList.add("selected");
      if (row === state.baseline) tr.classList.add("baseline");
      for (const c of columns) {
        const text = state.relative && c.kind === "figure" ? relativeTo(c, row) : short(c.values[row]);
        tr.append(make("td", {class: c.numeric ? "n" : "", text, title: c.kind === "remark" ? text : ""}));
      }
      return tr;
    });
    body.replaceChildren(spacer(first * kRowHeight), ...rows, spacer((state.shown.length - last) * kRowHeight));
  }
  function quoted(word) {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  }
  function commandOf(row) {
    const words = ["platform", "run"];
    const settings = [...data.constants, ...axes.map((c) => [c.name, c.texts[row]])];
    words.push(quoted(settings.find(([key]) => key === "scene")[1]));
    for (const [key, value] of settings) if (key !== "scene") words.push("--set", quoted(`${key}=${value}`));
    return words.join(" ");
  }
  function select(row) {
    state.selected = row;
    const list = make("dl");
    const say = (name, ...what) => list.append(make("dt", {text: name}), make("dd", {}, ...what));
    say("command", make("code", {text: commandOf(row)}));
    say("inputs", ...data.inputs[data.input[row]].map((t) => make("div", {}, make("code", {text: t}))));
    say("figures", make("span", {
      text: figures.map((c) => `${c.name} ${short(c.values[row])}${c.unit ? " " + c.unit : ""}`).join(" · "),
    }));
    if (remarks.values[row]) say("it says", make("span", {text: remarks.values[row]}));
    say("statistics", make("code", {
      text: `sqlite3 sweep.sqlite "SELECT path, value, unit FROM stat WHERE point = (SELECT point FROM result WHERE position = ${row})"`,
    }));
    const pin = make("button", {text: "pin as baseline", onclick: () => {
      state.baseline = row;
      refresh();
    }});
    $("detail").replaceChildren(make("h3", {text: `Point ${row}`}), list, pin);
    drawRows();
    drawChart();
  }

  // ---- scales
  function scaleOf(column, rows, log, low, high) {
    const values = rows.map((r) => placeOf(column, r)).filter((v) => v !== null && (!log || v > 0));
    let min = Infinity, max = -Infinity;
    for (const v of values) { min = Math.min(min, v); max = Math.max(max, v); }
    if (!(min <= max)) { min = log ? 1 : 0; max = log ? 10 : 1; }
    if (min === max) { min = log ? min / 2 : min - 0.5; max = log ? max * 2 : max + 0.5; }
    const f = log ? Math.log10 : (v) => v;
    const back = log ? (v) => 10 ** v : (v) => v;
    const span = f(max) - f(min);
    const place = (v) => low + ((f(v) - f(min)) / span) * (high - low);
    return {
      place, fits: (v) => v !== null && (!log || v > 0),
      value: (at) => back(f(min) + ((at - low) / (high - low)) * span),
      ticks: ticksOf(column, min, max, log),
    };
  }
  function ticksOf(column, min, max, log) {
    if (!column.numeric) return column.words.map((w, i) => [i, String(w)]).filter((_, i, l) => l.length <= 24 || i % Math.ceil(l.length / 24) === 0);
    if (log) {
      const list = [];
      for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); ++e) {
        for (const m of max / min > 1000 ? [1] : [1, 2, 5]) {
          const v = m * 10 ** e;
          if (v >= min * 0.999 && v <= max * 1.001) list.push([v, short(v)]);
        }
      }
      return list;
    }
    const raw = (max - min) / 6, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= raw);
    const list = [];
    for (let v = Math.ceil(min / step) * step; v <= max + step * 1e-9; v += step) list.push([v, short(Number(v.toPrecision(12)))]);
    return list;
  }
  function canvasIn(box, height) {
    const width = Math.max(320, box.clientWidth);
    const ratio = window.devicePixelRatio || 1;
    const canvas = make("canvas", {style: `width:${width}px;height:${height}px`, role: "img"});
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px sans-serif";
    box.append(canvas);
    return {canvas, pen, width, height};
  }

  // ---- charts
  const options = {};  // what each chart's controls say
  function choice(box, key, label, list, fallback) {
    options[key] ??= list.includes(fallback) ? fallback.index : list[0]?.index;
    const menu = make("select", {id: key, onchange: (e) => { options[key] = Number(e.target.value); drawChart(); }});
    for (const c of list) {
      const option = make("option", {value: c.index, text: c.label});
      option.selected = c.index === options[key];
      menu.append(option);
    }
    box.append(make("label", {text: label + " "}, menu));
    return columns[options[key]];
  }
  function tick(box, key, label, fallback = false) {
    options[key] ??= fallback;
    const check = make("input", {type: "checkbox", id: key, onchange: (e) => { options[key] = e.target.checked; drawChart(); }});
    check.checked = options[key];
    box.append(make("label", {}, check, " " + label));
    return options[key];
  }
  function legend(box, column, rows) {
    const used = [...new Set(rows.map((r) => column.values[r]))];
    const list = make("div", {class: "legend"});
    used.forEach((v, i) => {
      const key = `${column.index}:${v}`;
      const entry = make("button", {onclick: () => {
        state.hidden.has(key) ? state.hidden.delete(key) : state.hidden.add(key);
        drawChart();
      }}, make("i", {style: `background:${colour(i, used.length)}`}), short(v));
      if (state.hidden.has(key)) entry.classList.add("off");
      list.append(entry);
    });
    box.append(list);
    const places = new Map(used.map((v, i) => [v, i]));
    return {
      colour: (row) => colour(places.get(column.values[row]), used.length),
      visible: (row) => !state.hidden.has(`${column.index}:${column.values[row]}`),
    };
  }
  function frame(pen, width, height, x, y, xColumn, yColumn) {
    pen.strokeStyle = "#ddd";
    pen.fillStyle = "#333";
    pen.textAlign = "center";
    for (const [v, text] of x.ticks) {
      const at = x.place(v);
      pen.beginPath(); pen.moveTo(at, 10); pen.lineTo(at, height - 40); pen.stroke();
      pen.fillText(text, at, height - 26);
    }
    pen.textAlign = "right";
    for (const [v, text] of y.ticks) {
      const at = y.place(v);
      pen.beginPath(); pen.moveTo(70, at); pen.lineTo(width - 15, at); pen.stroke();
      pen.fillText(text, 64, at + 4);
    }
    pen.textAlign = "center";
    pen.fillText(xColumn.label, width / 2, height - 8);
    pen.save(); pen.translate(12, height / 2); pen.rotate(-Math.PI / 2); pen.fillText(yColumn.label, 0, 0); pen.restore();
  }
  function paretoFront(rows, x, y, largerX, largerY) {
    const signX = largerX ? -1 : 1, signY = largerY ? -1 : 1;
    const sorted = [...rows].sort((a, b) => signX * (placeOf(x, a) - placeOf(x, b)) || signY * (placeOf(y, a) - placeOf(y, b)));
    const front = [];
    let best = Infinity;
    for (const row of sorted) {
      const v = signY * placeOf(y, row);
      if (v < best) { front.push(row); best = v; }
    }
    return front;
  }
  // Values over more than a decade are easier to read on a logarithmic axis.
  function isWide(column) {
    if (!column.numeric) return false;
    let min = Infinity, max = -Infinity;
    for (const v of column.values) if (v !== null) { min = Math.min(min, v); max = Math.max(max, v); }
    return min > 0 && max / min >= 16;
  }
  function scatter(controls, box) {
    const x = choice(controls, "x", "x", [...axes, ...figures], axes[0]);
    const y = choice(controls, "y", "y", measures, figures[0]);
    const by = choice(controls, "by", "colour", axes, axes[1] ?? axes[0]);
    const logX = tick(controls, "logx", "log x", isWide(x)) && x.numeric, logY = tick(controls, "logy", "log y", isWide(y));
    const pareto = tick(controls, "pareto", "Pareto front"), largerX = tick(controls, "morex", "larger x is better"), largerY = tick(controls, "morey", "larger y is better");
    const {canvas, pen, width, height} = canvasIn(box, 420);
    const paint = legend(box, by, state.shown);
    const sx = scaleOf(x, state.shown, logX, 75, width - 20), sy = scaleOf(y, state.shown, logY, height - 45, 15);
    const rows = state.shown.filter((r) => sx.fits(placeOf(x, r)) && sy.fits(placeOf(y, r)) && paint.visible(r));
    frame(pen, width, height, sx, sy, x, y);
    for (const row of rows) {
      pen.fillStyle = paint.colour(row);
      const big = row === state.selected || row === state.baseline;
      pen.beginPath(); pen.arc(sx.place(placeOf(x, row)), sy.place(placeOf(y, row)), big ? 7 : rows.length > 2000 ? 2 : 4, 0, 7); pen.fill();
    }
    if (pareto) {
      const front = paretoFront(rows, x, y, largerX, largerY);
      pen.strokeStyle = "#c22"; pen.lineWidth = 1.5; pen.beginPath();
      front.forEach((row, i) => pen[i ? "lineTo" : "moveTo"](sx.place(placeOf(x, row)), sy.place(placeOf(y, row))));
      pen.stroke();
      box.append(make("p", {id: "front", text: `On the front: points ${front.slice(0, 60).join(", ")}${front.length > 60 ? " ..." : ""}`}));
    }
    canvas.addEventListener("click", (e) => {
      let best = null, least = 200;
      for (const row of rows) {
        const d = (sx.place(placeOf(x, row)) - e.offsetX) ** 2 + (sy.place(placeOf(y, row)) - e.offsetY) ** 2;
        if (d < least) { least = d; best = row; }
      }
      if (best !== null) select(best);
    });
  }
  function means(rows, keyOf, column) {
    const sums = new Map();
    for (const row of rows) {
      const v = column.values[row];
      if (typeof v !== "number") continue;
      const key = keyOf(row), s = sums.get(key) ?? [0, 0];
      sums.set(key, [s[0] + v, s[1] + 1]);
    }
    return new Map([...sums].map(([k, [sum, n]]) => [k, sum / n]));
  }
  function valuesOf(column, rows) {
    const list = [...new Set(rows.map((r) => column.values[r]))];
    return column.numeric ? list.sort((a, b) => a - b) : list;
  }
  function heat(controls, box) {
    if (axes.length < 2) return void box.append(make("p", {text: "A heat map needs two parameters that vary."}));
    const x = choice(controls, "hx", "x", axes, axes[0]), y = choice(controls, "hy", "y", axes, axes[1]);
    const z = choice(controls, "hz", "figure", figures, figures[0]);
    const xs = valuesOf(x, state.shown), ys = valuesOf(y, state.shown);
    const cells = means(state.shown, (r) => JSON.stringify([x.values[r], y.values[r]]), z);
    const low = Math.min(...cells.values()), high = Math.max(...cells.values());
    const w = Math.max(14, Math.min(90, 800 / xs.length)), h = Math.max(14, Math.min(34, 420 / ys.length));
    const picture = svg("svg", {width: 110 + w * xs.length, height: 60 + h * ys.length, id: "heat"});
    xs.forEach((xv, i) => {
      if (xs.length <= 30 || i % Math.ceil(xs.length / 30) === 0) picture.append(svg("text", {x: 105 + w * (i + 0.5), y: 36 + h * ys.length, "text-anchor": "middle"}, short(xv)));
      ys.forEach((yv, j) => {
        const v = cells.get(JSON.stringify([xv, yv]));
        if (v === undefined) return;
        const t = high > low ? (v - low) / (high - low) : 0;
        const top = 15 + h * (ys.length - 1 - j);
        const cell = svg("rect", {x: 105 + w * i, y: top, width: w, height: h, fill: `hsl(210 65% ${94 - 64 * t}%)`});
        cell.append(svg("title", {}, `${x.name}=${xv} ${y.name}=${yv}: ${short(v)}`));
        picture.append(cell);
        if (w >= 44) picture.append(svg("text", {x: 105 + w * (i + 0.5), y: top + h / 2 + 4, "text-anchor": "middle", fill: t > 0.5 ? "#fff" : "#222"}, String(Number(v.toPrecision(3)))));
      });
    });
    ys.forEach((yv, j) => picture.append(svg("text", {x: 98, y: 19 + h * (ys.length - 0.5 - j), "text-anchor": "end"}, short(yv))));
    picture.append(svg("text", {x: 105 + (w * xs.length) / 2, y: 54 + h * ys.length, "text-anchor": "middle"}, x.label), svg("text", {x: 4, y: 11}, y.label));
    box.append(picture, make("p", {text: `${z.label}: mean over all that is shown with these two values, ${short(low)} to ${short(high)}.`}));
  }
  function tornado(controls, box) {
    const z = choice(controls, "tz", "figure", figures, figures[0]);
    const base = state.baseline, at = z.values[base];
    if (typeof at !== "number") return void box.append(make("p", {text: "The baseline has no such figure: pin another point."}));
    const bars = axes.map((axis) => {
      const alone = all.filter((r) => axes.every((a) => a === axis || a.values[r] === a.values[base]));
      const known = alone.filter((r) => typeof z.values[r] === "number");
      const low = known.reduce((b, r) => (z.values[r] < z.values[b] ? r : b), base), high = known.reduce((b, r) => (z.values[r] > z.values[b] ? r : b), base);
      return {axis, low, high, span: z.values[high] - z.values[low], points: known.length};
    }).sort((a, b) => b.span - a.span);
    const least = Math.min(...bars.map((b) => z.values[b.low])), most = Math.max(...bars.map((b) => z.values[b.high]));
    const place = (v) => 320 + (most > least ? (v - least) / (most - least) : 0.5) * 420;
    const picture = svg("svg", {width: 960, height: 40 + 30 * bars.length, id: "tornado"});
    bars.forEach((b, i) => {
      const y = 10 + 30 * i, from = place(z.values[b.low]), to = place(z.values[b.high]);
      picture.append(svg("text", {x: 235, y: y + 15, "text-anchor": "end"}, b.axis.label),
                     svg("rect", {x: from, y, width: Math.max(1, to - from), height: 20, fill: "#7fa8d6"}),
                     svg("text", {x: from - 5, y: y + 15, "text-anchor": "end", class: "small"}, short(b.axis.values[b.low])),
                     svg("text", {x: to + 5, y: y + 15, class: "small"}, `${short(b.axis.values[b.high])} (${b.points} points)`));
    });
    const middle = place(at);
    picture.append(svg("line", {x1: middle, x2: middle, y1: 0, y2: 14 + 30 * bars.length, stroke: "#c22"}),
                   svg("text", {x: middle, y: 32 + 30 * bars.length, "text-anchor": "middle"}, `${z.label} ${short(at)} at the baseline, ${short(least)} to ${short(most)}`));
    box.append(picture, make("p", {text: `Each bar: points that differ from the baseline (point ${base}) in that parameter alone, between the values named at its ends.`}));
  }
  function parallel(controls, box) {
    const by = choice(controls, "pby", "colour", axes, axes[0]);
    const {canvas, pen, width, height} = canvasIn(box, 380);
    const paint = legend(box, by, state.shown);
    const lines = [...axes, ...figures.slice(0, Math.max(1, 10 - axes.length))];
    const xAt = (i) => 60 + (i * (width - 120)) / Math.max(1, lines.length - 1);
    const scales = lines.map((c) => scaleOf(c, all, false, height - 40, 30));
    pen.globalAlpha = Math.max(0.02, Math.min(0.6, 120 / state.shown.length));
    for (const row of state.shown) {
      if (!paint.visible(row)) continue;
      pen.strokeStyle = paint.colour(row);
      pen.beginPath();
      lines.forEach((c, i) => { const v = placeOf(c, row); if (v !== null) pen.lineTo(xAt(i), scales[i].place(v)); });
      pen.stroke();
    }
    pen.globalAlpha = 1;
    pen.fillStyle = "#222"; pen.strokeStyle = "#555"; pen.textAlign = "center";
    lines.forEach((c, i) => {
      pen.beginPath(); pen.moveTo(xAt(i), 30); pen.lineTo(xAt(i), height - 40); pen.stroke();
      pen.fillText(c.name.slice(-18), xAt(i), i % 2 ? 12 : 24);
      const ends = [scales[i].ticks[0], scales[i].ticks.at(-1)];
      if (ends[0]) pen.fillText(ends[0][1].slice(0, 14), xAt(i), height - 26);
      if (ends[1]) pen.fillText(ends[1][1].slice(0, 14), xAt(i), height - 10);
    });
    let begin = null;
    canvas.addEventListener("pointerdown", (e) => {
      const i = lines.findIndex((_, n) => Math.abs(xAt(n) - e.offsetX) < 20);
      begin = i >= 0 && lines[i].numeric ? {i, y: e.offsetY} : null;
    });
    canvas.addEventListener("pointerup", (e) => {
      if (begin === null) return;
      const {i, y} = begin, c = lines[i];
      const ends = [scales[i].value(y), scales[i].value(e.offsetY)].sort((a, b) => a - b);
      state.filters[c.index] = Math.abs(y - e.offsetY) < 4 ? "" : `${short(ends[0])}..${short(ends[1])}`;
      c.input.value = state.filters[c.index];
      refresh();
    });
    box.append(make("p", {text: "Pull along an axis to filter by it; click it to see everything again. Bottom: lowest tick over highest."}));
  }
  function multiples(controls, box) {
    const x = choice(controls, "mx", "x", axes, axes[0]), y = choice(controls, "my", "y", figures, figures[0]);
    const by = choice(controls, "mby", "one for each", axes, axes[1] ?? axes[0]);
    const sx = scaleOf(x, state.shown, false, 40, 210), sy = scaleOf(y, state.shown, false, 120, 15);
    for (const v of valuesOf(by, state.shown).slice(0, 64)) {
      const rows = state.shown.filter((r) => by.values[r] === v);
      const line = means(rows, (r) => placeOf(x, r), y);
      const picture = svg("svg", {width: 225, height: 150, class: "multiple"});
      const places = [...line].sort((a, b) => a[0] - b[0]).map(([px, py]) => [sx.place(px), sy.place(py)]);
      picture.append(svg("text", {x: 112, y: 11, "text-anchor": "middle"}, `${by.name.slice(-16)} = ${short(v)}`),
                     svg("rect", {x: 40, y: 15, width: 170, height: 105, fill: "none", stroke: "#ddd"}),
                     svg("polyline", {points: places.map((p) => p.join(",")).join(" "), fill: "none", stroke: "#1f5fa8"}));
      for (const [px, py] of places) picture.append(svg("circle", {cx: px, cy: py, r: 2.5, fill: "#1f5fa8"}));
      for (const list of [[sx.ticks[0], 40], [sx.ticks.at(-1), 205]]) if (list[0]) picture.append(svg("text", {x: list[1], y: 134, "text-anchor": "middle", class: "small"}, list[0][1]));
      for (const list of [[sy.ticks[0], 120], [sy.ticks.at(-1), 24]]) if (list[0]) picture.append(svg("text", {x: 37, y: list[1], "text-anchor": "end", class: "small"}, list[0][1]));
      box.append(picture);
    }
    box.append(make("p", {text: `${y.label} over ${x.label}: means of what is shown, the same scales in all.`}));
  }
  const charts = {scatter, heat, tornado, parallel, multiples};
  function drawChart() {
    document.querySelectorAll("#tabs button").forEach((b) => b.classList.toggle("on", b.dataset.chart === state.chart));
    const controls = make("div", {class: "controls"}), box = make("div", {class: "chart"});
    $("chart").replaceChildren(controls, box);
    if (axes.length === 0 || figures.length === 0) return void box.append(make("p", {text: "Nothing varies."}));
    charts[state.chart](controls, box);
  }

  makeHead();
  document.querySelectorAll("#tabs button").forEach((b) => b.addEventListener("click", () => { state.chart = b.dataset.chart; drawChart(); }));
  $("relative").addEventListener("change", (e) => { state.relative = e.target.checked; drawRows(); });
  $("rows").addEventListener("scroll", drawRows);
  window.addEventListener("resize", drawChart);
  $("interactive").hidden = false;
  refresh();
})();
