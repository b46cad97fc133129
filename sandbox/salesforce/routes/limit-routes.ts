/** The resource `/limits`. The route returns the org's limits and the remaining requests. */

import { Hono } from 'hono';
import type { Bulk } from '../bulk/jobs.ts';
import { quoted } from '../core/database.ts';
import type { Org } from '../org/org.ts';
import type { SalesforceEnv } from '../requests/context.ts';

/** Limits of the org that the stand-in does not count. */
const UNCOUNTED = {
  ConcurrentAsyncGetReportInstances: 200,
  ConcurrentSyncReportRuns: 20,
  DailyBulkV2QueryFileStorageMB: 976_562,
  DataStorageMB: 1024,
  FileStorageMB: 1024,
  HourlySyncReportRuns: 500,
  PermissionSets: 1500,
};

/** Returns the resource of limits. */
export function limitRoutes(org: Org, bulk: Bulk): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.get('/limits', (c) => {
    const { limit } = org.usage;
    const others = Object.entries(UNCOUNTED).map(([name, most]) => [
      name,
      { Max: most, Remaining: most },
    ]);
    return c.json({
      DailyApiRequests: { Max: limit, Remaining: Math.max(0, limit - org.usage.used()) },
      ...bulk.usage.limits(),
      ...Object.fromEntries(others),
    });
  });
  router.get('/limits/recordCount', (c) => {
    const asked = c.req
      .query('sObjects')
      ?.split(',')
      .map((name) => name.trim().toLowerCase());
    const types = org.catalogue
      .list()
      .filter((type) => !type.toolingOnly && org.access.canReadType(c.var.user, type))
      .filter(({ name }) => asked === undefined || asked.includes(name.toLowerCase()));
    const sObjects = types.map(({ name }) => {
      const sql = `select count(*) from ${quoted(name)} where "IsDeleted" = 0`;
      return { count: org.db.prepare<[], number>(sql).pluck().get() ?? 0, name };
    });
    return c.json({ sObjects });
  });
  return router;
}
