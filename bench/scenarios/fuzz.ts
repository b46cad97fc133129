/** Sends almost correct input to each part that reads data from outside. */
import { exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { attack, type Finding } from './fuzz/attack.ts';
import { bulkEdge, csvCellEdge, csvFileEdge, journalEdge } from './fuzz/csv.ts';
import type { Edge } from './fuzz/edge.ts';
import { openFileEdge } from './fuzz/files.ts';
import { hookBodyEdge, signatureEdge } from './fuzz/hooks.ts';
import { openImportEdge } from './fuzz/imports.ts';
import { openHubspotEdge, openSalesforceEdge, openServiceEdge } from './fuzz/replies.ts';
import { openRequestEdge } from './fuzz/requests.ts';
import { filterEdge, openSettingsEdge } from './fuzz/settings.ts';
import { fieldValueEdge, fitEdge, hostEdge, momentEdge, personEntryEdge } from './fuzz/values.ts';
import { cursorEdge, idEdge, personEdge, wordEdge } from './fuzz/words.ts';

const DEFAULT_INPUTS = 100_000;

export const fuzz: Scenario = {
  name: 'fuzz',
  title: 'every parser at an edge: crashes, hangs, silent drops (--inputs 1000000 --seed 1)',
  async measure({ inputs = DEFAULT_INPUTS, seed = '1' } = {}) {
    const { figures, findings } = await fuzzEdges(inputs, seed);
    for (const finding of findings) process.stderr.write(`${JSON.stringify(finding)}\n`);
    return figures;
  },
};

/** Distributes the inputs among all edges. Two runs with one seed use equal inputs. */
export async function fuzzEdges(inputs: number, seed: string) {
  const figures: Figure[] = [];
  const findings: Finding[] = [];
  let slowestMs = 0;
  let sent = 0;
  for (const open of EDGES) {
    const edge = await open();
    const count = Math.ceil((inputs * edge.share) / ALL_SHARES);
    const verdict = await attack(edge, seed, count);
    await edge.close?.();
    figures.push(plain(`${edge.name}, of which refused`, verdict.refused, `of ${verdict.inputs}`));
    findings.push(...verdict.findings);
    slowestMs = Math.max(slowestMs, verdict.slowestMs);
    sent += verdict.inputs;
  }
  const found = (kind: Finding['kind']) => findings.filter((each) => each.kind === kind).length;
  figures.push(
    plain('inputs', sent, ''),
    plain('slowest input', round(slowestMs), 'ms'),
    exactly('crashes', found('crash'), '', 0),
    exactly('hangs above a second', found('hang'), '', 0),
    exactly('silent drops', found('drop'), '', 0),
  );
  return { figures, findings };
}

const ALL_SHARES = 1_000;

const here = (edge: Edge) => async () => edge;

const EDGES: readonly (() => Promise<Edge>)[] = [
  openSettingsEdge,
  openFileEdge,
  openImportEdge,
  ...[fieldValueEdge, momentEdge, hostEdge, personEntryEdge, fitEdge].map(here),
  ...[filterEdge, csvFileEdge, csvCellEdge, journalEdge, bulkEdge].map(here),
  ...[hookBodyEdge, signatureEdge, idEdge, cursorEdge, wordEdge, personEdge].map(here),
  ...[openRequestEdge, openServiceEdge, openSalesforceEdge, openHubspotEdge],
];
