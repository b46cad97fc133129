/**
 * Measures CRMs to which requests take a long time: the connector alone, and whole syncs with an equally distant
 * service.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectorStep, type CrmKind, withCrm } from '../crm.ts';
import { atLeast, atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { measureSync } from '../measured-sync.ts';
import { startNeighbour } from '../neighbour.ts';
import { DOCUMENTED, NO_TRIAL } from '../with-workplace.ts';
import { floorSeconds } from './limit-far.ts';

const LATENCY_MS = 300;
const SUBMIT_LATENCIES_MS = [2_000, 5_000];
const JOB_TIME_MS = 5_000;

/** The number of contacts for the connector alone, and for whole syncs. */
const CONTACTS = 20_000;
const SYNCED = 2_000;

/** HubSpot's own rate limit. A request returns a hundred contacts. The limit determines the shortest possible time. */
const RATE = 190;
const HUBSPOT_FLOOR_SECONDS = (CONTACTS / 100 / RATE) * 10;

export const hubspotFar: Scenario = {
  name: 'hubspot-far',
  title: `20,000 contacts of a HubSpot account that is ${LATENCY_MS} ms away, at ${RATE} requests in 10 s`,
  async measure() {
    const flags = { contacts: CONTACTS, rate: RATE, latency: LATENCY_MS };
    const alone = await withCrm('hubspot', flags, async ({ measure }) => {
      const { steps } = await measure('write', { employer: 'company' });
      const floors: Record<string, number> = { read: 2.2, again: 1.15, write: 1.06 };
      return steps.flatMap((step) => againstFloor(step, floors[step.name] ?? 1));
    });
    return [...alone, ...(await measureSyncs('hubspot'))];
  },
};

export const salesforceFar: Scenario = {
  name: 'salesforce-far',
  title: `20,000 contacts of a Salesforce org that is ${LATENCY_MS} ms away`,
  async measure() {
    const flags = { contacts: CONTACTS, latency: LATENCY_MS };
    const alone = await withCrm('salesforce', flags, async ({ measure }) => {
      const { steps } = await measure('write');
      return steps.flatMap(({ name, seconds, calls }) => [
        plain(`${name}: time`, round(seconds), 's'),
        plain(`${name}: requests`, calls, ''),
      ]);
    });
    return [...alone, ...(await measureSyncs('salesforce'))];
  },
};

function againstFloor(
  { name, contacts, seconds, calls, throttled }: ConnectorStep,
  most: number,
): Figure[] {
  return [
    atLeast(`${name}: contacts`, contacts, '', CONTACTS),
    atMost(`${name}: time against the floor`, round(seconds / HUBSPOT_FLOOR_SECONDS), '×', most),
    {
      ...plain(`${name}: time`, round(seconds), 's'),
      goal: `floor ${round(HUBSPOT_FLOOR_SECONDS)} s`,
    },
    plain(`${name}: requests`, calls, ''),
    exactly(`${name}: answers of 429`, throttled, '', 0),
  ];
}

/** For each kind of CRM, a field that all contacts can have. */
const A_FIELD: Readonly<Record<CrmKind, string>> = { salesforce: 'Title', hubspot: 'jobtitle' };

async function measureSyncs(kind: CrmKind): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const submitLatencyMs of SUBMIT_LATENCIES_MS) {
    figures.push(...(await measureWholeSync(kind, submitLatencyMs)));
  }
  return figures;
}

async function measureWholeSync(kind: CrmKind, submitLatencyMs: number): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-far-'));
  const service = await startNeighbour({
    ...{ donors: SYNCED, ...DOCUMENTED, jobTimeMs: JOB_TIME_MS },
    ...{ latencyMs: LATENCY_MS, submitLatencyMs },
  });
  try {
    const flags = { contacts: SYNCED, latency: LATENCY_MS };
    return await withCrm(kind, flags, async ({ baseUrl, token }) => {
      const settings = join(folder, 'donor-sync.yaml');
      await writeFile(
        settings,
        `database: "sqlite:store.db"
integrations:
  - id: far
    partner: { baseUrl: "${service.baseUrl}", apiKey: "${service.apiKey}" }
    crm: { kind: ${kind}, url: "${baseUrl}", auth: { type: token, token: "${token}" } }
    fields: [{ from: work.primary, to: ${A_FIELD[kind]} }]
${NO_TRIAL}`,
      );
      const { run, runSeconds } = await measureSync(settings);
      const submitMs = LATENCY_MS + submitLatencyMs;
      const floor = floorSeconds(SYNCED, submitMs);
      const name = `sync, submits of ${submitMs / 1_000} s`;
      return [
        atMost(`${name}: time against the floor`, round(runSeconds / floor), '×', 1.08),
        { ...plain(`${name}: time`, runSeconds, 's'), goal: `floor ${round(floor)} s` },
        exactly(`${name}: answers of 429`, run.calls.throttled, '', 0),
        plain(`${name}: requests`, run.calls.partner + run.calls.crm, ''),
      ];
    });
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
