import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../service/database.ts';
import { decideReview } from '../../../service/record/decide-reviews.ts';
import { openReviews } from '../../../service/record/reviews.ts';
import { undoJoin } from '../../../service/record/undo-join.ts';
import { startRunning } from './running.ts';

const NOT_ONE = { detail: 'Two people were taken for one' };

/** Joins a service's first two donors, calls `work`, and undoes the join after the service has ended. */
async function joinedFor(work: (ask: Ask, id: string) => Promise<void>) {
  const running = await startRunning(['alpha']);
  const [apiKey = ''] = running.keys;
  await running.close();
  const withFile = <T>(use: (db: ReturnType<typeof openDatabase>) => T): T => {
    const db = openDatabase(running.file);
    try {
      return use(db);
    } finally {
      db.close();
    }
  };
  const ids = withFile((db) => {
    openReviews(db).add({ one: 0, other: 1, probability: 0.9, reasons: [], atMs: 0 });
    const found = db
      .prepare<[], string>('select id from record_donors where number < 2 order by number')
      .pluck()
      .all();
    const pair = [found[0] ?? '', found[1] ?? ''] as const;
    decideReview(db, { ids: pair, decision: 'one person' }, Date.now);
    return pair;
  });
  const once = await running.again();
  await work(asking(once.baseUrl, apiKey), ids[0]);
  await once.close();
  const undone = withFile((db) => undoJoin(db, ids[1], Date.now));
  const afterwards = await running.again();
  return { undone, ask: asking(afterwards.baseUrl, apiKey), id: ids[0] };
}

type Ask = (path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;

function asking(baseUrl: string, apiKey: string): Ask {
  return async (path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
}

describe('after a join was undone', () => {
  it('jobs, members and places that were made for two people answer 404, until a team decides', async () => {
    const made = { job: '', network: '', list: '' };
    const { undone, ask, id } = await joinedFor(async (call, joined) => {
      const person = {
        name: { first: 'Ada', last: 'Oldenquist' },
        employers: ['Lake View Food Bank'],
      };
      const submitted = await call('/enhancements', { persons: [{ tracking_id: 't', ...person }] });
      const jobs = z
        .object({ tracking_id_to_job_id: z.object({ t: z.string() }) })
        .parse(submitted.body);
      made.job = jobs.tracking_id_to_job_id.t;
      const network = await call('/networks', { name: 'Board', color: 'teal' });
      made.network = z.object({ network_id: z.string() }).parse(network.body).network_id;
      await call(`/networks/${made.network}/members`, { donor_id: joined });
      const list = await call('/lists', { name: 'Gala' });
      made.list = z.object({ list_id: z.string() }).parse(list.body).list_id;
      await call(`/lists/${made.list}/donors`, { donor_ids: [joined] });
      await expect
        .poll(async () => (await call('/enhancements/results/batch', { job_ids: [made.job] })).body)
        .toMatchObject({ job_id_to_state: { [made.job]: { result: { id: joined } } } });
    });
    expect(undone.mixed).toEqual([{ team: 'alpha', jobs: 1, members: 1, places: 2 }]);
    expect(await ask(`/enhancements/${made.job}/progress`)).toEqual({ status: 404, body: NOT_ONE });
    expect(await ask(`/enhancements/${made.job}/explanation`)).toEqual({
      status: 404,
      body: NOT_ONE,
    });
    expect(await ask('/enhancements/results/batch', { job_ids: [made.job] })).toMatchObject({
      body: { not_found: [made.job], job_id_to_state: {} },
    });
    expect(await ask(`/networks/donors/${id}/connections`)).toEqual({ status: 404, body: NOT_ONE });
    expect(await ask('/networks/discover', { in_network_donor_ids: [id] })).toEqual({
      ...{ status: 404, body: NOT_ONE },
    });
    expect(await ask(`/lists/${made.list}`)).toMatchObject({
      body: { donors: [], donor_count: 0, not_found: [{ donor_id: id, ...NOT_ONE }] },
    });
    await ask(`/networks/${made.network}/members`, { donor_id: id });
    await ask(`/lists/${made.list}/donors`, { donor_ids: [id] });
    expect(await ask(`/networks/donors/${id}/connections`)).toMatchObject({ status: 200 });
    expect(await ask(`/lists/${made.list}`)).toMatchObject({
      body: { donors: [{ id }], not_found: [] },
    });
  });
});
