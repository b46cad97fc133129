/**
 * Draws the chart of credits by day from the table below it. Without the script, the table shows the same numbers.
 * Browsers get this file unchanged, as a script and not as a module.
 */
'use strict';

{
  const DAY_S = 86_400;
  const HEIGHT = 250;
  const BUCKETS = [
    { name: 'enhancements', label: 'Enhancements', color: '--accent' },
    { name: 'networks', label: 'Networks', color: '--patience' },
  ];

  for (const place of document.querySelectorAll('[data-burn]')) {
    if (place instanceof HTMLElement) draw(place);
  }

  /** @param {HTMLElement} place */
  function draw(place) {
    const table = document.getElementById(place.getAttribute('data-burn') ?? '');
    const canDraw = document.createElement('canvas').getContext('2d') !== null;
    if (!table || typeof window.uPlot !== 'function' || !canDraw) return;
    const data = readDays(table, dayAt(place, 'data-from'), dayAt(place, 'data-to'));
    place.removeAttribute('hidden');
    let chart = make(place, data);
    document.getElementById('burn-problem')?.setAttribute('hidden', '');
    table.closest('details')?.removeAttribute('open');
    new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT })).observe(
      place,
    );
    // A drawn chart does not change its colours automatically. It is therefore drawn again when the colour scheme
    // changes.
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      chart.destroy();
      chart = make(place, data);
    });
  }

  /**
   * Returns the time in an attribute, in seconds since the epoch.
   *
   * @param {Element} element
   * @param {string} name
   */
  function dayAt(element, name) {
    return Date.parse(element.getAttribute(name) ?? '') / 1000;
  }

  /**
   * Returns the credits of every day from the first to the last day.
   *
   * @param {Element} table
   * @param {number} first
   * @param {number} last
   * @returns {uPlot.AlignedData}
   */
  function readDays(table, first, last) {
    /** @type {Map<number, number[]>} */
    const days = new Map();
    for (const row of table.querySelectorAll('[data-day]')) {
      const at = dayAt(row, 'data-day');
      days.set(
        at,
        BUCKETS.map(({ name }) => Number(row.getAttribute(`data-${name}`))),
      );
    }
    const all = Array.from({ length: (last - first) / DAY_S + 1 }, (_, day) => first + day * DAY_S);
    return [all, ...BUCKETS.map((_, index) => all.map((at) => days.get(at)?.[index] ?? 0))];
  }

  /**
   * @param {HTMLElement} place
   * @param {uPlot.AlignedData} data
   */
  function make(place, data) {
    const styles = getComputedStyle(document.documentElement);
    /** @param {string} name */
    const color = (name) => resolveColor(styles.getPropertyValue(name));
    const axis = {
      stroke: color('--quiet'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { stroke: color('--line'), width: 1 },
    };
    const bars = uPlot.paths.bars;
    if (!bars) throw new Error('uPlot came without its bars');
    /** @type {uPlot.Options} */
    const options = {
      width: place.clientWidth,
      height: HEIGHT,
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
      scales: {
        x: { time: true, range: (_, from, to) => [from - DAY_S / 2, to + DAY_S / 2] },
        y: { range: (_, __, to) => [0, Math.max(1, to * 1.1)] },
      },
      axes: [
        { ...axis, values: '{D} {MMM}' },
        { ...axis, size: 64 },
      ],
      // Without a pointer on the chart, there is no day, and the legend would show "--".
      hooks: {
        ready: [markIdle],
        setLegend: [markIdle],
      },
      series: [
        { label: 'Day', value: '{D} {MMM} {YYYY}' },
        ...BUCKETS.map(({ label, color: name }, index) => ({
          label,
          stroke: color(name),
          fill: color(name),
          width: 0,
          points: { show: false },
          paths: bars({ size: [0.4, 40], align: index === 0 ? -1 : 1 }),
        })),
      ],
    };
    return new uPlot(options, data, place);
  }

  /** @param {uPlot} chart */
  function markIdle(chart) {
    chart.root.classList.toggle('idle', typeof chart.cursor.idx !== 'number');
  }

  /**
   * Returns the colour that `light-dark(…)` has in the current colour scheme.
   *
   * @param {string} value
   */
  function resolveColor(value) {
    const probe = document.createElement('span');
    probe.style.color = value;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }
}
