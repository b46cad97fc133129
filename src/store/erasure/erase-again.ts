/** What was erased after a backup was made is erased again once the backup is put back. */
import type { Clock } from '../../core/clock.ts';
import type { RecordEntry } from '../audit/record.ts';
import type { Database, Trx } from '../engine/tables.ts';
import type { Fingerprint } from '../secrets/fingerprint.ts';
import { eraseIntegration } from './erase-integration.ts';
import { eraseRows, OWN_TABLES } from './erase-rows.ts';
import type { ErasureEntry } from './erasure-log.ts';

/** What was done again, in numbers. */
export interface ErasedAgain {
  /** Contacts that are blocked from now on, as they were before. */
  blocked: number;
  /** Those of them that the backup knew. */
  erased: number;
  /** Integrations that had left. */
  integrations: string[];
  /** Blocked, and their values may still be in the CRM: `forget` is to be repeated for them. */
  unfinished: number;
}

interface Deps {
  db: Database;
  clock: Pick<Clock, 'now'>;
  fingerprint: Fingerprint;
  record: RecordEntry;
}

/** Rows that are looked through at a time. */
const IDS_PER_LOOK = 5_000;

export async function eraseAgain(
  deps: Deps,
  entries: readonly ErasureEntry[],
  madeAt: number | null,
): Promise<ErasedAgain> {
  const done: ErasedAgain = { blocked: 0, erased: 0, unfinished: 0, integrations: [] };
  for (const [integrationId, own] of Map.groupBy(entries, ({ integration }) => integration)) {
    if (await hasLeftSince(deps, integrationId, own, madeAt)) {
      const { db, clock, record } = deps;
      const inOne = <Result>(work: (trx: Trx) => Promise<Result>) => db.transaction().execute(work);
      const { erased } = await eraseIntegration(db, integrationId, clock.now(), inOne);
      await inOne((trx) =>
        record(trx, {
          action: 'integration.erased',
          integrationId,
          details: { ...erased, again: true },
        }),
      );
      done.integrations.push(integrationId);
    }
    const last = lastOfEach(own);
    if (last.length === 0) continue;
    const ids = await findIds(deps, integrationId, last);
    for (const entry of last) {
      const crmIds = [entry.contact, ...entry.forms].flatMap((each) => ids.get(each) ?? []);
      await deps.db.transaction().execute((trx) => apply(deps, trx, entry, crmIds));
      done.blocked += 1;
      if (entry.what === 'begun') done.unfinished += 1;
      else if (crmIds.length > 0) done.erased += 1;
    }
  }
  return done;
}

/** An integration that left and came back later is a new one, which a younger backup knows. */
async function hasLeftSince(
  { db }: Deps,
  integrationId: string,
  entries: readonly ErasureEntry[],
  madeAt: number | null,
): Promise<boolean> {
  const left = entries.findLast(({ what }) => what === 'left');
  if (left === undefined) return false;
  if (madeAt !== null) return left.at > madeAt;
  const known = await db
    .selectFrom('audit_entries')
    .select('seq')
    .where('integration_id', '=', integrationId)
    .where('action', '=', 'integration.erased')
    .where('at', '>=', left.at)
    .limit(1)
    .executeTakeFirst();
  return known === undefined;
}

/** Pure: how it stands with each contact at the end, without those that were let in again. */
export function lastOfEach(entries: readonly ErasureEntry[]): ErasureEntry[] {
  const last = new Map<string, ErasureEntry>();
  for (const entry of entries) {
    if (entry.what === 'left') continue;
    if (entry.what === 'lifted') {
      for (const each of [entry.contact, ...entry.forms]) last.delete(each);
      continue;
    }
    const before = last.get(entry.contact);
    last.set(entry.contact, {
      ...entry,
      at: before?.at ?? entry.at,
      person: entry.person ?? before?.person ?? null,
      everywhere: entry.everywhere || before?.everywhere === true,
    });
  }
  return [...last.values()];
}

/** The ids that the database has of these contacts, by fingerprint. */
async function findIds(
  { db, fingerprint }: Deps,
  integrationId: string,
  entries: readonly ErasureEntry[],
): Promise<Map<string, string>> {
  const wanted = new Set(entries.flatMap(({ contact, forms }) => [contact, ...forms]));
  const found = new Map<string, string>();
  const look = (id: string | null) => {
    if (id === null) return;
    const own = fingerprint('forgotten', id);
    if (wanted.has(own)) found.set(own, id);
  };
  for (const table of [...OWN_TABLES, 'jobs'] as const) {
    await lookAtAll((after) =>
      db
        .selectFrom(table)
        .select('crm_id')
        .distinct()
        .where('integration_id', '=', integrationId)
        .where('crm_id', '>', after)
        .orderBy('crm_id')
        .limit(IDS_PER_LOOK)
        .execute(),
    );
  }
  await lookAtAll((after) =>
    db
      .selectFrom('contacts')
      .select((eb) => eb.ref('merged_into').$notNull().as('crm_id'))
      .distinct()
      .where('integration_id', '=', integrationId)
      .where('merged_into', '>', after)
      .orderBy('merged_into')
      .limit(IDS_PER_LOOK)
      .execute(),
  );
  await lookAtAll((after) =>
    db
      .selectFrom('run_rows')
      .innerJoin('runs', 'runs.id', 'run_rows.run_id')
      .select('run_rows.crm_id')
      .distinct()
      .where('runs.integration_id', '=', integrationId)
      .where('run_rows.crm_id', '>', after)
      .orderBy('run_rows.crm_id')
      .limit(IDS_PER_LOOK)
      .execute(),
  );
  for (const table of ['runs', 'run_requests'] as const) {
    const rows = await db
      .selectFrom(table)
      .select('contact')
      .distinct()
      .where('integration_id', '=', integrationId)
      .execute();
    for (const { contact } of rows) look(contact);
  }
  return found;

  /** Reads ids in their order, a page at a time. */
  async function lookAtAll(
    readAfter: (after: string) => Promise<{ crm_id: string }[]>,
  ): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: { crm_id: string }[] = await readAfter(after);
      for (const { crm_id: id } of rows) look(id);
      after = rows.length < IDS_PER_LOOK ? undefined : rows.at(-1)?.crm_id;
    }
  }
}

/** The block first, as when it was done; what had not come to its end waits for `forget` as before. */
async function apply(
  { clock, record }: Deps,
  trx: Trx,
  { what, at, integration, contact, person, everywhere }: ErasureEntry,
  crmIds: readonly string[],
): Promise<void> {
  const now = clock.now();
  const state = what === 'begun' || what === 'blocked' ? what : 'erased';
  const known = person === null ? null : JSON.stringify(person);
  await trx
    .insertInto('forgotten')
    .values({
      ...{ integration_id: integration, crm_id_fingerprint: contact, forgotten_at: at, state },
      ...{ person: known, everywhere: everywhere ? 1 : 0 },
      erased_at: state === 'erased' ? now : null,
    })
    .onConflict((c) =>
      c.columns(['integration_id', 'crm_id_fingerprint']).doUpdateSet((eb) => ({
        state,
        erased_at: state === 'erased' ? now : eb.ref('forgotten.erased_at'),
        person: eb.fn.coalesce(eb.ref('forgotten.person'), eb.ref('excluded.person')),
        everywhere: everywhere ? 1 : eb.ref('forgotten.everywhere'),
      })),
    )
    .execute();
  if (state === 'begun' || crmIds.length === 0) return;
  const { contacts, jobs, holds, writes } = await eraseRows(trx, integration, crmIds, now);
  const details = { contacts, jobs, holds, writes, again: true };
  await record(trx, { action: 'forget.done', integrationId: integration, details });
}
