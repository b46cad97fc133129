/** The resources `/updated` and `/deleted`. The resources return the records that changed in a period. */

import { Hono } from 'hono';
import { quoted } from '../core/database.ts';
import { SalesforceError } from '../core/errors.ts';
import { parseMoment, showMoment } from '../metadata/value.ts';
import type { Org } from '../org/org.ts';
import { requiredQuery, type SalesforceContext, type SalesforceEnv } from '../requests/context.ts';
import { typeInPath } from '../requests/type-in-path.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const UPDATED_DAYS = 30;
const DELETED_DAYS = 15;
const MAX_IDS = 600_000;

/** Returns the resources of replication. */
export function replicationRoutes(org: Org): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.get('/sobjects/:type/updated', (c) => {
    const type = typeInPath(org, c.var.user, c.req.param('type'));
    const { fromMs, toMs } = spanOf(c, org, UPDATED_DAYS);
    const shared = org.access.sharedSql(c.var.user, '"Id"');
    const ids = org.db
      .prepare<[number, number, number], string>(
        `select "Id" from ${quoted(type.name)} where "SystemModstamp" >= ? and "SystemModstamp" < ?
         and "IsDeleted" = 0 ${shared === null ? '' : `and ${shared}`} order by "SystemModstamp", "Id" limit ?`,
      )
      .pluck()
      .all(fromMs, toMs, MAX_IDS + 1);
    return c.json({ ids: limited(ids), latestDateCovered: showMoment(toMs) });
  });
  router.get('/sobjects/:type/deleted', (c) => {
    const type = typeInPath(org, c.var.user, c.req.param('type'));
    const { fromMs, toMs } = spanOf(c, org, DELETED_DAYS);
    const rows = org.db
      .prepare<[string, number, number, number], { id: string; atMs: number }>(
        `select id, at_ms atMs from deletions where type = ? and at_ms >= ? and at_ms < ?
         order by at_ms, id limit ?`,
      )
      .all(type.name, fromMs, toMs, MAX_IDS + 1);
    return c.json({
      deletedRecords: limited(rows).map(({ id, atMs }) => ({ id, deletedDate: showMoment(atMs) })),
      earliestDateAvailable: showMoment(org.clock() - DELETED_DAYS * DAY_MS),
      latestDateCovered: showMoment(toMs),
    });
  });
  return router;
}

/** Returns the period. As in Salesforce, its start and its end are rounded down to the minute. */
function spanOf(c: SalesforceContext, org: Org, days: number) {
  const [fromMs, toMs] = [momentOf(c, 'start'), momentOf(c, 'end')].map(
    (atMs) => Math.floor(atMs / MINUTE_MS) * MINUTE_MS,
  );
  if (fromMs === undefined || toMs === undefined || toMs - fromMs < MINUTE_MS) {
    throw replicationError('endDate must be at least one minute greater than startDate');
  }
  if (fromMs < org.clock() - days * DAY_MS) {
    throw replicationError(`startDate cannot be more than ${days} days ago`);
  }
  return { fromMs, toMs: Math.min(toMs, org.clock()) };
}

function momentOf(c: SalesforceContext, name: 'start' | 'end'): number {
  // If a client does not escape a plus sign, it is received as a space.
  const text = requiredQuery(c, name).replace(' ', '+');
  const atMs = parseMoment(text);
  if (atMs !== undefined) return atMs;
  throw replicationError(`The ${name} date ${text} is not valid`);
}

function replicationError(message: string): SalesforceError {
  return new SalesforceError(400, 'INVALID_REPLICATION_DATE', message);
}

function limited<Item>(items: Item[]): Item[] {
  if (items.length <= MAX_IDS) return items;
  throw new SalesforceError(400, 'EXCEEDED_ID_LIMIT', `More than ${MAX_IDS} ids would be returned`);
}
