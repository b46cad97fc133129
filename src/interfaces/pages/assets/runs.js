/**
 * Draws a chart of a run's speed while the run is in progress, and shows the speed in words. Only the page keeps the
 * history. Browsers get this file unchanged, as a script and not as a module.
 */
'use strict';

{
  const HEIGHT = 180;
  /** The time span of the chart in seconds. Older values are discarded. */
  const MAX_POINTS = 900;
  /** The minimum number of points. With a single point, the time axis would show years. */
  const MIN_POINTS = 2;
  /** The number of seconds over which the speed is averaged. */
  const WINDOW = 5;
  /** The number of seconds without a report after which the run counts as unchanged. */
  const QUIET_SECONDS = 1;

  /** @typedef {{ contacts: { submitted: number, written: number } }} Report */
  /** @typedef {{ at: number, submitted: number, written: number }} Sample */
  /** @type {Sample[]} */
  const samples = [];
  /** @type {[number[], number[], number[]]} */
  const drawn = [[], [], []];
  let most = 0;
  /** @type {uPlot | null} */
  let chart = null;
  const canDraw = document.createElement('canvas').getContext('2d') !== null;

  const part = document.getElementById('rate');
  const place = document.getElementById('rate-chart');
  /** @type {Report | null} */
  let latest = null;
  document.addEventListener('run-progress', (event) => {
    if (!(event instanceof CustomEvent)) return;
    latest = event.detail;
    take(event.detail);
  });
  document.addEventListener('run-unheard', () => {
    latest = null;
  });
  document.addEventListener('run-ended', () => {
    latest = null;
    const text = document.getElementById('rate-text');
    if (text) {
      text.textContent = `The run has ended. The most submitted a second since this page was opened: ${most.toFixed(1)}.`;
    }
  });
  // A run sends no reports while nothing changes. Without regular updates, the chart's last speed would look current.
  setInterval(() => {
    if (latest && Date.now() / 1000 - (samples.at(-1)?.at ?? 0) >= QUIET_SECONDS) take(latest);
  }, 1000);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    chart?.destroy();
    chart = null;
    draw();
  });
  if (place) {
    new ResizeObserver(() => {
      if (place.clientWidth > 0) chart?.setSize({ width: place.clientWidth, height: HEIGHT });
    }).observe(place);
  }

  /** @param {Report} report */
  function take({ contacts: { submitted, written } }) {
    const at = Date.now() / 1000;
    samples.push({ at, submitted, written });
    while (samples.length > 1 && (samples[1]?.at ?? at) < at - WINDOW) samples.shift();
    const [first] = samples;
    if (!first || at - first.at < 0.5) return;
    const seconds = at - first.at;
    const point = [
      at,
      Math.max(0, submitted - first.submitted) / seconds,
      Math.max(0, written - first.written) / seconds,
    ];
    for (const [row, list] of drawn.entries()) {
      list.push(point[row] ?? 0);
      if (list.length > MAX_POINTS) list.shift();
    }
    most = Math.max(most, point[1] ?? 0);
    if (drawn[0].length < MIN_POINTS) return;
    part?.removeAttribute('hidden');
    say(point[1] ?? 0, point[2] ?? 0);
    draw();
  }

  /**
   * @param {number} submitted
   * @param {number} written
   */
  function say(submitted, written) {
    const text = document.getElementById('rate-text');
    /** @param {number} value */
    const shown = (value) => value.toFixed(1);
    if (text) {
      text.textContent = `Now ${shown(submitted)} submitted and ${shown(written)} written a second; the most submitted since this page was opened: ${shown(most)}.`;
    }
  }

  function draw() {
    if (!place || !canDraw || typeof window.uPlot !== 'function' || drawn[0].length < MIN_POINTS)
      return;
    chart ??= make(place);
    chart.setData(drawn);
    document.getElementById('rate-problem')?.setAttribute('hidden', '');
  }

  /** @param {HTMLElement} place */
  function make(place) {
    const axis = {
      stroke: color('--quiet'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { stroke: color('--line'), width: 1 },
    };
    /** @type {uPlot.Options} */
    const options = {
      width: place.clientWidth,
      height: HEIGHT,
      cursor: { show: false },
      legend: { show: true, live: false },
      scales: { y: { range: (_, __, top) => [0, Math.max(1, top * 1.1)] } },
      axes: [axis, { ...axis, size: 44 }],
      series: [
        {},
        { label: 'submitted', stroke: color('--accent'), width: 2, points: { show: false } },
        {
          ...{ label: 'written', stroke: color('--patience'), width: 2, dash: [6, 4] },
          points: { show: false },
        },
      ],
    };
    return new uPlot(options, drawn, place);
  }

  /**
   * Returns the current value of a colour, because a canvas supports neither CSS variables nor colours that depend on
   * the colour scheme.
   *
   * @param {string} name
   */
  function color(name) {
    const probe = document.createElement('span');
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  }
}
