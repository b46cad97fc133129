/** Compares the connectors' writes with the writes of commonly used clients, which write to one stand-in in turn. */

import { type ConnectorStep, type Crm, type CrmKind, withCrm } from '../crm.ts';
import { atMost, exactly, type Figure, median, plain, round, type Scenario } from '../figure.ts';

export const clients: Scenario = {
  name: 'clients',
  title: "20,000 contacts written in turns by the connectors, jsforce and HubSpot's own client",
  measure: measureClients,
};

const CONTACTS = 20_000;
const PAIRS = 3;

async function measureClients(): Promise<Figure[]> {
  return [
    ...(await compare('salesforce', 'rows', { bulkThreshold: CONTACTS * 2 })),
    ...(await compare('salesforce', 'bulk', {})),
    ...(await compare('hubspot', 'rows', { requestsPerTenSeconds: 0 })),
  ];
}

async function compare(
  kind: CrmKind,
  way: 'rows' | 'bulk',
  settings: Readonly<Record<string, number>>,
): Promise<Figure[]> {
  const flags = { contacts: CONTACTS, latency: 5, ...(kind === 'hubspot' ? { rate: 0 } : {}) };
  const pairs = await withCrm(kind, flags, (crm) => measurePairs(crm, way, settings));
  const name = `${kind}, ${way}`;
  const written = pairs.flatMap(({ ours, theirs }) => [ours.contacts, theirs.contacts]);
  return [
    exactly(`${name}: contacts written`, Math.min(...written), '', CONTACTS),
    plain(`${name}: processor of a contact`, medianOf(pairs, 'ours', cpuOf), 'ms'),
    plain(`${name}: by the other client`, medianOf(pairs, 'theirs', cpuOf), 'ms'),
    atMost(`${name}: processor, part of it`, ratioOf(pairs, cpuOf), '×', 1),
    plain(`${name}: most memory`, medianOf(pairs, 'ours', memoryOf), 'MB'),
    plain(`${name}: by the other client`, medianOf(pairs, 'theirs', memoryOf), 'MB'),
    atMost(`${name}: memory, part of it`, ratioOf(pairs, memoryOf), '×', 1),
  ];
}

interface Pair {
  ours: ConnectorStep;
  theirs: ConnectorStep;
}

async function measurePairs(
  crm: Crm,
  way: 'rows' | 'bulk',
  settings: Readonly<Record<string, number>>,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const ours = writingOf((await crm.measure('write', settings)).steps);
    const theirs = writingOf((await crm.measureOfficial(way)).steps);
    pairs.push({ ours, theirs });
  }
  return pairs;
}

function writingOf(steps: readonly ConnectorStep[]): ConnectorStep {
  const step = steps.find(({ name }) => name === 'write');
  if (step === undefined) throw new Error('Nothing was written');
  return step;
}

function cpuOf({ cpuMs, contacts }: ConnectorStep): number {
  return cpuMs / contacts;
}

function memoryOf({ peakMegabytes }: ConnectorStep): number {
  return peakMegabytes ?? 0;
}

function medianOf(
  pairs: readonly Pair[],
  whose: keyof Pair,
  of: (step: ConnectorStep) => number,
): number {
  return round(median(pairs.map((pair) => of(pair[whose]))));
}

function ratioOf(pairs: readonly Pair[], of: (step: ConnectorStep) => number): number {
  return round(median(pairs.map(({ ours, theirs }) => of(ours) / of(theirs))));
}
