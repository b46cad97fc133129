/** What waits for a person, as a queue: contacts that stand alone and networks, in pages, and counted by the database. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { fromRows } from '../../database/from-row.ts';
import type { HoldKind, NetworkHoldKind } from '../../database/tables/decisions.ts';
import type { Database } from '../../database/tables/tables.ts';
import type { HoldRecord } from './holds.ts';
import type { NetworkHoldRecord } from './network-holds.ts';

/** Which holds are asked for. */
export interface QueueScope {
  /** Of these integrations alone; null for all. */
  integrationIds: readonly string[] | null;
  /** The kind of hold; null for every kind. */
  reason: string | null;
}

/** Where a hold stands in the queue: since when it is open, and its id among those of that moment. */
export type QueuePlace = readonly [openedAt: number, id: string];

export interface QueuePage extends QueueScope {
  order: 'oldest' | 'newest';
  /** The hold that comes before the first of the page; null for the first page. */
  after: QueuePlace | null;
  limit: number;
}

export interface QueueCount {
  integrationId: string;
  kind: HoldKind | NetworkHoldKind;
  count: number;
}

/** A decision that was made and can still be taken back takes its hold out of the queue. */
export function decisionQueueQueries(db: Database) {
  return {
    /** Open holds of contacts without those of batches. */
    async listContacts(page: QueuePage): Promise<HoldRecord[]> {
      const way = getDirection(page);
      const rows = await openContacts(page)
        .selectAll()
        .where(comesAfter('holds', page))
        .orderBy('opened_at', way)
        .orderBy('id', way)
        .limit(page.limit)
        .execute();
      return fromRows(rows);
    },

    /** Open holds of networks. */
    async listNetworks(page: QueuePage): Promise<NetworkHoldRecord[]> {
      const way = getDirection(page);
      const rows = await openNetworks(page)
        .innerJoin('networks', 'networks.id', 'network_holds.network')
        .selectAll('network_holds')
        .select('networks.name')
        .where(comesAfter('network_holds', page))
        .orderBy('network_holds.opened_at', way)
        .orderBy('network_holds.id', way)
        .limit(page.limit)
        .execute();
      return fromRows(rows);
    },

    /** How many holds there are of each integration and kind; batches are not among them. */
    async countOpen(scope: QueueScope): Promise<QueueCount[]> {
      const contacts = await openContacts(scope)
        .select((eb) => ['integration_id', 'kind', eb.fn.countAll().as('count')])
        .groupBy(['integration_id', 'kind'])
        .execute();
      const networks = await openNetworks(scope)
        .select((eb) => ['integration_id', 'kind', eb.fn.countAll().as('count')])
        .groupBy(['integration_id', 'kind'])
        .execute();
      return [...contacts, ...networks].map(({ integration_id, kind, count }) => ({
        integrationId: integration_id,
        kind,
        count: Number(count),
      }));
    },

    /** The batches that were decided and can still be taken back. */
    async listAnsweredBatches(): Promise<Set<string>> {
      const rows = await db
        .selectFrom('answers')
        .select('subject')
        .where('about', '=', 'batch')
        .execute();
      return new Set(rows.map(({ subject }) => subject));
    },
  };

  function openContacts(scope: QueueScope) {
    return db
      .selectFrom('holds')
      .where('decision', 'is', null)
      .where('batch', 'is', null)
      .where(CONTACT_IS_UNDECIDED)
      .where(isIn('holds', scope));
  }

  function openNetworks(scope: QueueScope) {
    return db
      .selectFrom('network_holds')
      .where('decision', 'is', null)
      .where(NETWORK_IS_UNDECIDED)
      .where(isIn('network_holds', scope));
  }
}

type Condition = RawBuilder<SqlBool>;

const CONTACT_IS_UNDECIDED: Condition = sql`not exists (select 1 from answers w
  where w.integration_id = holds.integration_id and (w.subject = holds.id or (w.about = 'reason'
    and w.subject = holds.kind and w.opened_until >= holds.opened_at)))`;

const NETWORK_IS_UNDECIDED: Condition = sql`not exists (select 1 from answers w
  where w.integration_id = network_holds.integration_id and w.subject = network_holds.id)`;

function isIn(table: 'holds' | 'network_holds', { integrationIds, reason }: QueueScope): Condition {
  const of = (column: string) => sql.ref(`${table}.${column}`);
  const isOfReason = reason === null ? sql`1 = 1` : sql`${of('kind')} = ${reason}`;
  if (integrationIds === null) return sql`${isOfReason}`;
  if (integrationIds.length === 0) return sql`1 = 0`;
  return sql`${isOfReason} and ${of('integration_id')} in (${sql.join(integrationIds)})`;
}

function getDirection({ order }: QueuePage): 'asc' | 'desc' {
  return order === 'oldest' ? 'asc' : 'desc';
}

function comesAfter(table: 'holds' | 'network_holds', { after, order }: QueuePage): Condition {
  if (after === null) return sql`1 = 1`;
  const [openedAt, id] = after;
  const place = sql`(${sql.ref(`${table}.opened_at`)}, ${sql.ref(`${table}.id`)})`;
  return sql`${place} ${sql.raw(order === 'oldest' ? '>' : '<')} (${openedAt}, ${id})`;
}
