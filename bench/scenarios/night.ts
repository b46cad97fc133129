/** A night in which nothing has changed, in a large CRM whose contacts are all enhanced. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type CrmKind, withCrm } from '../crm.ts';
import { atMost, exactly, type Figure, plain, type Scenario } from '../figure.ts';
import { type Measurement, measureSync, spent } from '../measured-sync.ts';
import { startNeighbour } from '../neighbour.ts';

/** What a connector asks of its CRM before it reads: who it is. */
const SIGN_IN_CALLS = 1;

export const night = nightIn('salesforce', 'Salesforce');

export const hubspotNight = nightIn('hubspot', 'HubSpot');

function nightIn(kind: CrmKind, name: string): Scenario {
  return {
    name: kind === 'salesforce' ? 'night' : `${kind}-night`,
    title: `a night without changes: 1,000,000 contacts in ${name}, all of them enhanced`,
    measure: () => measureNight(kind),
  };
}

async function measureNight(kind: CrmKind): Promise<Figure[]> {
  const { first, second } = await measureQuietNight(kind, 1_000_000);
  const calls = second.run.calls.crm - SIGN_IN_CALLS;
  return [
    plain('contacts read by the first run', first.run.contacts['read'] ?? 0, ''),
    plain('time of the first run', first.runSeconds, 's'),
    atMost('API calls of the night, sign-in left out', calls, '', 3),
    atMost('time of the night', second.runSeconds, 's', 2),
    exactly('credits of the night', spent(second), '', 0),
    plain('peak resident memory of the night', second.peakMegabytes ?? 0, 'MB'),
  ];
}

/** A field that every contact of the CRM may have. */
const A_FIELD: Readonly<Record<CrmKind, string>> = { salesforce: 'Title', hubspot: 'jobtitle' };

/** What lets the first run, which is not what is measured, go as fast as it can. */
const UNLIMITED: Readonly<Record<CrmKind, { flags: Record<string, number>; settings: string }>> = {
  salesforce: { flags: {}, settings: '' },
  hubspot: { flags: { rate: 0 }, settings: ', requestsPerTenSeconds: 0' },
};

/** The run that read everything, and the one after it. */
async function measureQuietNight(
  kind: CrmKind,
  contacts: number,
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
      return { first, second: await measureSync(settings) };
    });
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What weeks of syncing would bring about: every contact has its profile. */
function enhanceEverybody(database: string): void {
  const db = new Sqlite(database);
  db.prepare(
    `update contacts set state = 'settled', asked_identity = identity, asked_at = ?,
     donor_id = crm_id, enhanced_at = ?, due_reason = null, outcome_reason = 'fields_written'
     where state = 'due'`,
  ).run(Date.now(), Date.now());
  db.close();
}
