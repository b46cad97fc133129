/** The styles of the pages: a file of its own, since pages may not hold any. */
export const styles = `
:root {
  color-scheme: light dark;

  --page: light-dark(#f6f6f3, #131615);
  --surface: light-dark(#ffffff, #1b1f1d);
  --sunken: light-dark(#f1f2ee, #232826);
  --ink: light-dark(#1c211f, #e7ebe8);
  --quiet: light-dark(#59625e, #a3ada8);
  --line: light-dark(#e2e4df, #2e3532);
  --line-strong: light-dark(#868f8a, #75807a);

  --accent: light-dark(#0f6b5c, #62cdb6);
  --accent-ink: light-dark(#ffffff, #08211c);
  --accent-soft: light-dark(#e3f1ed, #17322c);

  --well: var(--accent);
  --patience: light-dark(#5b5f97, #b3b7f0);
  --patience-soft: light-dark(#eeeff8, #25273a);
  --attention: light-dark(#8f4d00, #f2b35c);
  --attention-soft: light-dark(#fdf1df, #36290f);
  --failed: light-dark(#b3261e, #ff9a8f);

  --text: 0.9375rem/1.5 system-ui, -apple-system, 'Segoe UI', 'Open Sans', sans-serif;
  --mono: 0.9em ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
  --small: 0.8125rem;

  --gap: 1rem;
  --pad: 1.5rem;
  --radius: 0.75rem;
  --shadow: 0 1px 2px light-dark(#1c211f0f, #0000);
}

*, *::before, *::after { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: var(--gap); text-size-adjust: none; }
body { margin: 0; background: var(--page); color: var(--ink); font: var(--text); }
h1, h2, h3, p, dl, dd, ul, ol { margin: 0; padding: 0; }
h1 { font-size: 1.625rem; line-height: 1.25; letter-spacing: -0.015em; text-wrap: balance; }
h2 { font-size: 1.125rem; line-height: 1.35; letter-spacing: -0.005em; }
h3 { font-size: 1rem; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
code { font: var(--mono); overflow-wrap: anywhere; }
.whole, td time { white-space: nowrap; }
[hidden] { display: none !important; }

:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 4px; }
main:focus { outline: none; }

.quiet { color: var(--quiet); }
.empty { color: var(--quiet); padding: 0.5rem 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.zero { color: var(--quiet); }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; }
.actions { margin-block: 0.75rem; }
.hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
.skip {
  position: absolute; left: var(--gap); top: -4rem; z-index: 1; padding: 0.5rem 1rem;
  background: var(--surface); border-radius: var(--radius);
}
.skip:focus { top: 0.5rem; }

/* The frame. */

.top, main, .bottom { max-width: 62rem; margin-inline: auto; padding-inline: var(--pad); }
.top {
  display: flex; align-items: center; justify-content: space-between; gap: var(--gap);
  padding-block: 1.25rem;
}
.brand {
  display: inline-flex; align-items: center; gap: 0.625rem;
  color: var(--ink); font-weight: 650; letter-spacing: -0.01em; text-decoration: none;
}
.brand img { display: block; border-radius: 7px; }
.account { display: flex; align-items: center; gap: 0.75rem; font-size: var(--small); }
span.account { color: var(--quiet); }
main { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); }
.bottom {
  display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; padding-block: 2rem 3rem;
  color: var(--quiet); font-size: var(--small);
}
.bottom a { color: inherit; }
.offline {
  position: sticky; top: 0; z-index: 1; padding: 0.625rem var(--pad); text-align: center;
  background: var(--attention-soft); color: var(--attention); font-weight: 600;
}
.note {
  padding: 0.625rem 1rem; border-radius: var(--radius);
  background: var(--accent-soft); color: var(--ink);
}

/* Marks: a shape and a word beside each colour. */

.mark { flex: none; width: 1rem; height: 1rem; overflow: visible; }
.mark-line { fill: none; stroke: var(--surface); stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.mark-outline { fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; }
.mark-dashed { stroke-dasharray: 2.6 2.1; }
.mark-round { stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; }
.mark-ring { fill: none; stroke: currentColor; stroke-width: 2.2; opacity: 0.28; }
.mark-arc { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linecap: round; }
.mark-well, .mark-busy { color: var(--well); }
.mark-patience { color: var(--patience); }
.mark-attention { color: var(--attention); }
.mark-failed { color: var(--failed); }
.mark-idle { color: var(--line-strong); }
.mark-busy { transform-origin: center; animation: turn 1.4s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
.status { display: inline-flex; align-items: baseline; gap: 0.45rem; font-weight: 550; }
.status .mark { align-self: center; }

/* The verdict. */

.verdict { display: flex; gap: 1rem; align-items: flex-start; padding: 1.25rem 0 0.75rem; }
.verdict > .mark { width: 2.125rem; height: 2.125rem; }
.verdict .mark-line { stroke: var(--page); }
.verdict h1 { padding-top: 0.05rem; }
.tasks { list-style: none; display: grid; gap: 0.25rem; margin-top: 0.375rem; }

/* Cards. */

.card {
  min-width: 0; padding: var(--pad); background: var(--surface);
  border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow);
}
.card-head { display: flex; align-items: flex-start; justify-content: space-between; gap: var(--gap); }
.kind {
  display: inline-block; padding: 0.1rem 0.5rem; border-radius: 1rem;
  background: var(--sunken); color: var(--quiet); font-size: 0.75rem; font-weight: 550;
  letter-spacing: 0; white-space: nowrap; vertical-align: middle;
}
.standing { margin-top: 0.25rem; }
.card section { margin-top: 2rem; }

.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem 1.5rem; margin: 1.25rem 0; }
dt { color: var(--quiet); font-size: var(--small); }
.facts dd { font-weight: 550; }
.facts .detail { display: block; font-size: var(--small); font-weight: 400; }
.facts .detail code { white-space: nowrap; }

.trouble {
  display: flex; gap: 0.75rem; margin-top: 1rem; padding: 0.875rem 1rem;
  border-radius: calc(var(--radius) - 0.25rem); overflow-wrap: anywhere;
}
.trouble > .mark { margin-top: 0.2rem; }
.trouble p + p { margin-top: 0.25rem; }
.trouble-attention { background: var(--attention-soft); }
.trouble-attention .mark-line { stroke: var(--attention-soft); }
.trouble-patience { background: var(--patience-soft); }

/* A run that goes on. */

.current {
  margin-top: 1rem; padding: 1rem; border-radius: calc(var(--radius) - 0.25rem);
  background: var(--sunken);
}
.current-line { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
.current progress { margin: 0.625rem 0 0.375rem; }
progress {
  appearance: none; display: block; width: 100%; height: 0.5rem; overflow: hidden;
  border: 0; border-radius: 1rem; background: var(--line); color: var(--accent);
}
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--accent); border-radius: 1rem; transition: inline-size 0.4s; }
progress::-moz-progress-bar { background: var(--accent); border-radius: 1rem; }
progress:indeterminate { background: linear-gradient(90deg, var(--line), var(--accent), var(--line)) 0 0 / 200% 100%; animation: flow 1.8s linear infinite; }
progress:indeterminate::-webkit-progress-bar { background: transparent; }
@keyframes flow { to { background-position: -200% 0; } }

.stations { list-style: none; display: flex; flex-wrap: wrap; gap: 0.75rem 2.25rem; margin-top: 0.875rem; }
.stations li { position: relative; display: grid; min-width: 4rem; }
.stations li + li::before {
  content: ''; position: absolute; left: -1.5rem; top: 0.55rem; width: 0.5rem; height: 0.5rem;
  border: solid var(--line-strong); border-width: 1.5px 1.5px 0 0; transform: rotate(45deg);
}
.station-count { font-size: 1.25rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
.station-name { color: var(--quiet); font-size: var(--small); }

/* Tables, which become cards where there is no room for columns. */

table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.5625rem 0.75rem 0.5625rem 0; text-align: left; vertical-align: baseline; }
th:last-child, td:last-child { padding-right: 0; }
th.number, td.number { text-align: right; }
thead th { color: var(--quiet); font-size: var(--small); font-weight: 500; white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { font-weight: 550; }
tbody th a:not([rel]) { color: inherit; text-decoration: none; }
tbody th a:not([rel]):hover { text-decoration: underline; }
td.action { text-align: right; }
h2 + table, .contacts table, h2 + div, h2 + p { margin-top: 0.5rem; }
.contacts { margin-top: 2rem; }
summary { cursor: pointer; font-weight: 550; }

/* Credits. */

.key + .key { margin-top: 1.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.buckets { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.75rem 1.5rem; margin-top: 0.875rem; }
.bucket dd { font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.bucket .status { display: flex; font-size: var(--small); }
.unused dd { color: var(--quiet); font-weight: 450; }

/* What can be pressed. */

.button {
  display: inline-block; padding: 0.4375rem 0.9375rem; border: 1px solid var(--line-strong);
  border-radius: 0.5rem; background: var(--surface); color: var(--ink); font: inherit;
  font-weight: 550; text-decoration: none; white-space: nowrap; cursor: pointer;
}
.button:hover { border-color: var(--accent); background: var(--accent-soft); }
.button.small { padding: 0.1875rem 0.625rem; font-size: var(--small); }
.button.primary { border-color: var(--accent); background: var(--accent); color: var(--accent-ink); }
.button.primary:hover { filter: brightness(1.08); }
.button.plain { border-color: transparent; background: none; color: var(--quiet); padding-left: 0; }
.dialog {
  max-width: min(36rem, calc(100vw - 2rem)); padding: var(--pad); text-align: left;
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface);
  color: var(--ink); box-shadow: 0 1rem 3rem #0004;
}
.dialog::backdrop { background: light-dark(#1c211f4d, #000000a6); }
.dialog p { margin: 0.5rem 0 1.25rem; }
.choice { display: grid; grid-template-columns: 12.5rem 1fr; align-items: center; gap: 1rem; margin-bottom: 0.625rem; }
.choice .button { white-space: normal; }
.choice.priced { grid-template-columns: 15.5rem 1fr; }
[data-load] { margin-block: 1.25rem; }
.batch > * + * { margin-top: 1rem; }
.examples caption { padding-bottom: 0.5rem; text-align: left; color: var(--quiet); font-size: var(--small); }
.examples thead tr { border: 0; }
.examples thead th { font-weight: 500; }

.sign-in, .problem { width: 100%; max-width: 26rem; margin: 8vh auto 0; display: grid; gap: 0.75rem; }
.sign-in label { font-weight: 550; margin-top: 0.5rem; }
.sign-in input:not([type='hidden']) {
  width: 100%; padding: 0.5625rem 0.75rem; border: 1px solid var(--line-strong);
  border-radius: 0.5rem; background: var(--page); color: inherit; font: inherit;
}
.sign-in input::placeholder { color: var(--quiet); }
.sign-in .quiet { font-size: var(--small); }
.refused { color: var(--failed); font-weight: 550; }
.run-title { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 1rem; font-size: 1.375rem; }
.run-title .status { font-size: 1rem; letter-spacing: 0; }

@media (max-width: 46rem) {
  :root { --pad: 1.125rem; }
  .facts { grid-template-columns: 1fr 1fr; }
  .stations { display: grid; grid-template-columns: repeat(3, 1fr); gap: 0.75rem; }
  .stations li + li::before { content: none; }
  .choice, .choice.priced { grid-template-columns: 1fr; gap: 0.25rem; margin-bottom: 1rem; }

  .stacks thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacks tr { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0.5rem 1rem; padding: 0.875rem 0; }
  .stacks th, .stacks td { padding: 0; text-align: left; }
  .stacks tbody th, .stacks .wide { grid-column: 1 / -1; }
  .stacks .broad { grid-column: span 2; }
  .stacks td.action { text-align: left; grid-column: 1 / -1; }
  .stacks td.zero { display: none; }
  .stacks td[data-label]::before {
    content: attr(data-label); display: block; color: var(--quiet); font-size: var(--small);
    font-weight: 400;
  }
}

@media (prefers-reduced-motion: reduce) {
  html { scroll-behavior: auto; }
  *, *::before { animation: none !important; transition: none !important; }
}

@media print {
  .button, .dialog, .skip { display: none !important; }
}
`;
