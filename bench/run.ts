/**
 * Measures the promises about speed and memory. `npm run bench` runs all scenarios, and for example `npm run bench --
 * limit memory` runs only two of them. `--inputs` and `--seed` are for `fuzz`, and `--minutes` is for `machines`.
 * `--beside FOLDER` and `--pairs` are for `kept-profiles` and `service-beside`. The script prints a table during the
 * measurements, and a JSON document at the end.
 */
import { parseArgs } from 'node:util';
import type { Figure } from './figure.ts';
import { SCENARIOS } from './scenarios.ts';

const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: {
    inputs: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    beside: { type: 'string' },
    pairs: { type: 'string' },
  },
});
const { inputs, seed, minutes, beside, pairs } = values;
const drawn = {
  ...(inputs === undefined ? {} : { inputs: Number(inputs) }),
  ...(seed === undefined ? {} : { seed }),
  ...(minutes === undefined ? {} : { minutes: Number(minutes) }),
  ...(beside === undefined ? {} : { beside }),
  ...(pairs === undefined ? {} : { pairs: Number(pairs) }),
};
const unknown = wanted.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
if (unknown.length > 0) {
  const names = SCENARIOS.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no scenario ${unknown.join(', ')}. There are: ${names}.\n`);
  process.exit(2);
}

const results: { name: string; title: string; figures: Figure[] }[] = [];
for (const { name, title, measure } of SCENARIOS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stdout.write(`\n${name}: ${title}\n`);
  const figures = await measure(drawn);
  for (const figure of figures) process.stdout.write(`${lineOf(figure)}\n`);
  results.push({ name, title, figures });
}
process.stdout.write(`\n${JSON.stringify({ node: process.version, results })}\n`);
const missed = results.flatMap(({ figures }) => figures).filter(({ kept }) => !kept);
process.exitCode = missed.length === 0 ? 0 : 1;

function lineOf({ name, value, unit, goal, kept }: Figure): string {
  const measured = `${value.toLocaleString('en-US')} ${unit}`.trim();
  return `  ${name.padEnd(36)}${measured.padStart(14)}   ${goal.padEnd(14)}${kept ? '' : 'MISSED'}`;
}
