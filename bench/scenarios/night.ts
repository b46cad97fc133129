/** Measures a night without changes in a large CRM. All of its contacts have been enhanced before. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type CrmKind, withCrm } from '../crm.ts';
import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { type Measurement, measureSync, spent } from '../measured-sync.ts';
import { startNeighbour } from '../neighbour.ts';

/**
 * The number of requests that the connector sends to the CRM before it reads contacts. The first requests find the
 * account and, in HubSpot, the data that the token can read.
 */
const SIGN_IN_CALLS: Readonly<Record<CrmKind, number>> = { salesforce: 1, hubspot: 2 };

export const night = nightIn('salesforce', 'Salesforce');

export const hubspotNight = nightIn('hubspot', 'HubSpot');

export const nightFar = nightIn('salesforce', 'Salesforce', 300);

export const hubspotNightFar = nightIn('hubspot', 'HubSpot', 300);

/** Creates the scenario of a nightly sync. `farMs` adds latency to the CRM and the service. */
function nightIn(kind: CrmKind, name: string, farMs = 0): Scenario {
  const title = `a night without changes: 1,000,000 contacts in ${name}, all of them enhanced`;
  return {
    name: `${kind === 'salesforce' ? '' : `${kind}-`}night${farMs === 0 ? '' : '-far'}`,
    title: farMs === 0 ? title : `${title}, CRM and service ${farMs} ms away`,
    measure: () => measureNight(kind, farMs),
  };
}

async function measureNight(kind: CrmKind, farMs: number): Promise<Figure[]> {
  const { first, second } = await measureQuietNight(kind, 1_000_000, farMs);
  const calls = second.run.calls.crm - SIGN_IN_CALLS[kind];
  return [
    plain('contacts read by the first run', first.run.contacts['read'] ?? 0, ''),
    plain('time of the first run', first.runSeconds, 's'),
    atMost('API calls of the night, without the sign-in', calls, '', 3),
    atMost('time of the night', second.runSeconds, 's', farMs === 0 ? 2 : 3.5),
    plain('calls to the service in the night', second.run.calls.partner, ''),
    plain('time of the night including start and end', round(second.wallSeconds), 's'),
    exactly('credits of the night', spent(second), '', 0),
    plain('peak resident memory of the night', second.peakMegabytes ?? 0, 'MB'),
  ];
}

/** For each kind of CRM, a field that all contacts can have. */
const A_FIELD: Readonly<Record<CrmKind, string>> = { salesforce: 'Title', hubspot: 'jobtitle' };

/** Options that make the first run fast, because it is not measured. */
const UNLIMITED: Readonly<Record<CrmKind, { flags: Record<string, number>; settings: string }>> = {
  salesforce: { flags: {}, settings: '' },
  hubspot: { flags: { rate: 0 }, settings: ', requestsPerTenSeconds: 0' },
};

/** Measures a run that reads all contacts, and the run after it. */
async function measureQuietNight(
  kind: CrmKind,
  contacts: number,
  farMs: number,
): Promise<{ first: Measurement; second: Measurement }> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-night-'));
  const service = await startNeighbour({ donors: 1_000, rate: 10, burst: 10, jobTimeMs: 0 });
  try {
    const unlimited = UNLIMITED[kind];
    const flags = { contacts, latency: 5, ...unlimited.flags };
    return await withCrm(kind, flags, async ({ baseUrl, token }) => {
      const settings = join(folder, 'donor-sync.yaml');
      await writeFile(
        settings,
        `database: "sqlite:store.db"
integrations:
  - id: night
    partner: { baseUrl: "${service.baseUrl}", apiKey: "${service.apiKey}" }
    crm: { kind: ${kind}, url: "${baseUrl}", auth: { type: token, token: "${token}" }${unlimited.settings} }
    budget: { perRun: 0 }
    fields: [{ from: work.primary, to: ${A_FIELD[kind]} }]
`,
      );
      const first = await measureSync(settings);
      enhanceEverybody(join(folder, 'store.db'));
      if (farMs > 0)
        await Promise.all([slowDown(baseUrl, farMs), slowDown(service.rootUrl, farMs)]);
      return { first, second: await measureSync(settings) };
    });
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Adds this latency to all further requests to the stand-in. The first run does not need the latency, because it is not
 * measured.
 */
async function slowDown(url: string, delayMs: number): Promise<void> {
  const reply = await fetch(new URL('/_sandbox/faults', url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ fault: { kind: 'slow', delayMs } }]),
  });
  if (!reply.ok) throw new Error(`The faults were refused: ${await reply.text()}`);
}

/** Marks all contacts as enhanced, as after weeks of syncing. */
function enhanceEverybody(database: string): void {
  const db = new Sqlite(database);
  db.prepare(
    `update contacts set state = 'settled', asked_identity = identity, last_credit = 'stands', asked_at = ?,
     donor_id = crm_id, enhanced_at = ?, due_reason = null, outcome_reason = 'fields_written'
     where state = 'due'`,
  ).run(Date.now(), Date.now());
  db.close();
}
