import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BUCKETS } from '../../../service/credits.ts';
import { type Database, openDatabase } from '../../../service/database.ts';
import { verify } from '../../../service/operation/index.ts';
import { send } from '../../testbed/asking.ts';
import { startRunning } from '../operation/running.ts';

const AGE_MS = 30 * 86_400_000;

/** Moves every time in the file into the past. */
function age(db: Database): number {
  const columns = db
    .prepare<[], { table: string; column: string }>(
      `select m.name as "table", c.name as "column" from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' and c.name like '%at_ms'`,
    )
    .all();
  for (const { table, column } of columns) {
    db.exec(`update ${table} set ${column} = ${column} - ${AGE_MS} where ${column} > 0`);
  }
  return columns.length;
}

describe('a file of 30 days', () => {
  it('is started without a refund, although the jobs that were paid are deleted', async () => {
    const service = await startRunning(['alpha']);
    const headers = { 'x-api-key': service.keys[0] ?? '' };
    const ask = (path: string, body?: unknown, baseUrl = service.baseUrl) =>
      send(baseUrl + path, body === undefined ? 'GET' : 'POST', { body, headers });
    const search = await ask('/search', { query: 'Ada Oldenquist' });
    const found = z.object({ donors: z.array(z.object({ id: z.string() })) }).parse(search.body);
    const donor_ids = found.donors.map(({ id }) => id);
    const list = z.object({ list_id: z.string() }).parse((await ask('/lists', { name: 'A' })).body);
    const network = z
      .object({ network_id: z.string() })
      .parse((await ask('/networks', { name: 'B', color: 'teal' })).body);
    const persons = ['Ada', 'Bertha'].map((first) => ({ name: { first, last: 'Oldenquist' } }));
    const submitted = z
      .object({ tracking_id_to_job_id: z.record(z.string(), z.string()) })
      .parse((await ask('/enhancements', { persons })).body);
    const jobs = Object.values(submitted.tracking_id_to_job_id);
    await ask(`/lists/${list.list_id}/donors`, { donor_ids });
    await ask(`/networks/${network.network_id}/members/batch`, { donor_ids });
    await ask('/exports', { fields: ['full_name'], format: 'csv', donor_ids });
    await ask('/donors/batch', { donor_ids });
    await ask('/search?state=TX');
    await expect
      .poll(async () =>
        JSON.stringify((await ask('/enhancements/progress/batch', { job_ids: jobs })).body),
      )
      .not.toContain('processing');
    const before = z.record(z.string(), z.number()).parse((await ask('/credits')).body);
    expect(BUCKETS.filter((bucket) => before[bucket] === 1_000)).toEqual([]);
    await service.close();

    const db = openDatabase(service.file);
    expect(age(db)).toBeGreaterThan(8);
    db.close();

    const later = await service.again();
    const now = (path: string, body?: unknown) => ask(path, body, later.baseUrl);
    expect((await now('/credits')).body).toEqual(before);
    expect((await now(`/enhancements/${jobs[0]}/progress`)).status).toBe(404);
    // A submission removes expired jobs.
    await now('/enhancements', { persons: persons.slice(0, 1) });
    expect((await now('/credits')).body).toEqual({
      ...before,
      enhancements: (before['enhancements'] ?? 0) - 1,
    });
    await later.close();
    // Now the file with which the service starts no longer contains the paid jobs.
    const last = await service.again();
    expect((await ask('/credits', undefined, last.baseUrl)).body).toEqual({
      ...before,
      enhancements: (before['enhancements'] ?? 0) - 1,
    });
    await last.close();
    const after = openDatabase(service.file);
    const count = (query: string) => after.prepare<[], number>(query).pluck().get();
    expect(count("select count(*) from ledger where kind = 'refund'")).toBe(0);
    expect(count('select count(*) from jobs')).toBe(1);
    expect(verify(after, Date.now)).toEqual([]);
    after.close();
  });
});
