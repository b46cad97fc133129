/** Measures how the database grows while contacts leave and come back each night, and what returning contacts cost. */
import { sql } from 'kysely';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import type { Contact } from '../../src/core/contact.ts';
import { createSyncWorld, type SyncWorld } from '../../test/helpers/sync-world.ts';
import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';

const LIVING = 300;
const CHANGED = 16;

/** The number of contacts that come back each night. */
const RETURNING = 4;

const NIGHTS = 500;
const AFTER_DAYS = 90;
const DAY_MS = 86_400_000;

/** The maximum number of days between buying a contact's profile and the contact's return. */
const AWAY_DAYS = 60;

export const storage: Scenario = {
  name: 'storage',
  title: `${LIVING} contacts, of which ${CHANGED} leave and ${CHANGED} join in each of ${NIGHTS} nights: size of the database`,
  measure: measureStorage,
};

/** A contact that was deleted in the CRM. */
interface Left {
  contact: Contact;
  night: number;
}

async function measureStorage(): Promise<Figure[]> {
  let night = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() + night * DAY_MS };
  const world = await createSyncWorld({
    clock,
    // The service's clock stays in the first night. Because of this difference, donor-sync would refuse to spend
    // credits.
    partner: (client) => ({ ...client, clockAheadMs: () => 0 }),
    service: { donors: LIVING + NIGHTS * CHANGED, credits: 1_000_000 },
    integration: {
      refresh: { afterDays: AFTER_DAYS, whenIdentityChanges: true },
      guards: { trial: { size: 0 } },
    },
    retention: { runRows: 90, outcomes: 90, previousValues: 90, removedContacts: 90, audit: 90 },
  });
  try {
    let added = LIVING;
    const living = await world.addPeople(LIVING);
    const left: Left[] = [];
    const paidAt = new Map<string, number>();
    const sizes = new Map<number, number>();
    const returns = { contacts: 0, credits: 0 };
    let sizesInTheMiddle = new Map<string, number>();
    for (night = 1; night <= NIGHTS; night += 1) {
      const returned = joinAgain(world, left, night, paidAt);
      for (let count = 0; count < CHANGED; count += 1) leave(world, living, left, night);
      const joining = CHANGED - returned.length;
      living.push(...returned, ...(await world.addPeople(joining, added)));
      added += joining;
      const { status, reason } = await world.sync();
      if (status !== 'succeeded') throw new Error(`night ${night}: ${status} (${reason?.code})`);
      const paid = new Set(await listPaid(world, clock.now() - DAY_MS / 2));
      returns.contacts += returned.length;
      returns.credits += returned.filter((id) => paid.has(id)).length;
      for (const id of paid) paidAt.set(id, night);
      if (night % (NIGHTS / 10) === 0) sizes.set(night, await sizeOf(world));
      if (night === NIGHTS / 2) sizesInTheMiddle = await sizesOfTables(world);
    }
    const size = (at: number) => sizes.get(at) ?? 0;
    return [
      ...[...sizes].map(([at, bytes]) =>
        plain(`database after night ${at}`, round(bytes / 1e6), 'MB'),
      ),
      atMost(
        `database of night ${NIGHTS} / night ${NIGHTS / 2}`,
        round(size(NIGHTS) / size(NIGHTS / 2)),
        '',
        1.1,
      ),
      plain('contacts that returned', returns.contacts, ''),
      exactly('credits for contacts that returned', returns.credits, '', 0),
      ...(await listTables(world, sizesInTheMiddle, await sizesOfTables(world))),
    ];
  } finally {
    await world.close();
  }
}

/** Restores contacts that were deleted recently and whose profile is still fresh. Returns their IDs. */
function joinAgain(
  { crm }: SyncWorld,
  left: Left[],
  night: number,
  paidAt: ReadonlyMap<string, number>,
): string[] {
  const isFresh = ({ contact: { id } }: Left) =>
    night - (paidAt.get(id) ?? -AFTER_DAYS) <= AWAY_DAYS;
  return left
    .filter(isFresh)
    .slice(0, RETURNING)
    .map((each) => {
      left.splice(left.indexOf(each), 1);
      return crm.addContact(each.contact);
    });
}

/** Deletes the contact that has been in the CRM for the longest time. */
function leave({ crm }: SyncWorld, living: string[], left: Left[], night: number): void {
  const id = living.shift() ?? '';
  const contact = crm.records.get(id)?.contact;
  if (contact === undefined) return;
  left.push({ contact, night });
  crm.deleteContact(id);
}

/** Returns the contacts for which a job has been paid since this time. */
async function listPaid({ database: { db } }: SyncWorld, since: number): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('crm_id')
    .where('submitted_at', '>=', since)
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}

/** Returns the number of bytes in pages with data. SQLite uses the empty pages again. */
async function sizeOf({ database: { db } }: SyncWorld): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (page_count - freelist_count) * page_size as bytes
    from pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(db);
  return Number(rows[0]?.bytes);
}

/** Returns the bytes of each table, with its indexes. */
async function sizesOfTables({ database: { db } }: SyncWorld): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select tbl_name as name, sum(pgsize) as bytes
    from dbstat join sqlite_master on sqlite_master.name = dbstat.name
    group by tbl_name`.execute(db);
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** Returns the size of the largest tables in the middle and at the end, with the rows at the end. */
async function listTables(
  { database: { db } }: SyncWorld,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Promise<Figure[]> {
  const largest = [...after].toSorted(([, a], [, b]) => b - a).slice(0, 10);
  const figures: Figure[] = [];
  for (const [name, bytes] of largest) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(name)}`.execute(db);
    figures.push(
      plain(`${name} after night ${NIGHTS / 2}`, round((before.get(name) ?? 0) / 1e6), 'MB'),
      plain(`${name} after night ${NIGHTS}`, round(bytes / 1e6), 'MB'),
      plain(`rows of ${name}`, Number(rows[0]?.count), ''),
    );
  }
  return figures;
}
