import { describe, expect, it } from 'vitest';
import { aClock } from '../testbed/a-clock.ts';
import { control } from '../testbed/asking.ts';
import { ask, issueKey, readLedger, startPartner, strangers, submit } from './partner.ts';

describe('authentication (section 5)', () => {
  it('answers 403 with a detail to an unknown or absent key, on every endpoint', async () => {
    const partner = await startPartner();
    for (const [method, path] of [
      ['GET', '/credits'],
      ['GET', '/test'],
      ['GET', '/docs'],
      ['GET', '/openapi.json'],
      ['GET', '/donors/health'],
      ['POST', '/enhancements'],
    ] as const) {
      for (const key of ['unknown', null]) {
        const answer = await ask(partner, method, path, undefined, key);
        expect(answer.status, `${method} ${path}`).toBe(403);
        expect(answer.body).toEqual({ detail: expect.any(String) });
      }
    }
  });

  it('rejects an unknown key before it reads the body or counts the rate', async () => {
    const partner = await startPartner({ rate: 1, burst: 1, clock: aClock().read });
    for (let request = 0; request < 3; request += 1) {
      expect((await ask(partner, 'POST', '/enhancements', '{broken', 'unknown')).status).toBe(403);
    }
  });

  it('lets a key work through its whole deactivation date and rejects it from the next day', async () => {
    const clock = aClock('2026-03-10T23:59:59.999Z');
    const partner = await startPartner({ clock: clock.read });
    const { apiKey } = await issueKey(partner, { deactivatesOn: '2026-03-10' });

    expect((await ask(partner, 'GET', '/test', undefined, apiKey)).status).toBe(200);
    clock.advance(1);
    const rejected = await ask(partner, 'GET', '/test', undefined, apiKey);

    expect(rejected.status).toBe(401);
    expect(rejected.body).toEqual({
      detail: expect.stringMatching(/expired on 2026-03-10.*request a new key/),
    });
  });

  it('never charges an expired key', async () => {
    const partner = await startPartner();
    const { apiKey } = await issueKey(partner, { deactivatesOn: '2020-01-01' });
    const answer = await ask(partner, 'POST', '/enhancements', { persons: strangers(3) }, apiKey);
    expect(answer.status).toBe(401);
    expect(await readLedger(partner)).toEqual([]);
  });

  it('hides the jobs of another team and shows those of another key of the same team', async () => {
    const partner = await startPartner();
    const mine = await issueKey(partner, {});
    const mate = await issueKey(partner, { team: mine.team });
    const other = await issueKey(partner, {});
    const { p0 } = await submit(partner, strangers(1), mine.apiKey);

    const path = `/enhancements/${p0}/progress`;
    expect((await ask(partner, 'GET', path, undefined, mate.apiKey)).status).toBe(200);
    expect((await ask(partner, 'GET', path, undefined, other.apiKey)).status).toBe(404);
    const body = { job_ids: [p0] };
    const results = await ask(partner, 'POST', '/enhancements/results/batch', body, other.apiKey);
    expect(results.body).toMatchObject({ job_id_to_state: {}, not_found: [p0] });
  });
});

describe('POST /_sandbox/keys', () => {
  it('answers 201 with a key of a new team, whose buckets hold what was asked', async () => {
    const partner = await startPartner({ credits: 7 });
    const answer = await control(partner, 'POST', '/keys', { credits: { enhancements: 2 } });
    expect(answer.status).toBe(201);
    const { apiKey } = await issueKey(partner, { credits: { enhancements: 2 } });
    expect((await ask(partner, 'GET', '/credits', undefined, apiKey)).body).toEqual({
      donors: 7,
      enhancements: 2,
      exports: 7,
      lists: 7,
      networks: 7,
      searches: 7,
    });
  });

  it('changes only the named buckets of a team that exists', async () => {
    const partner = await startPartner({ credits: 7 });
    const { team, apiKey } = await issueKey(partner, { credits: { lists: 3 } });
    await issueKey(partner, { team, credits: { networks: 1 } });
    expect((await ask(partner, 'GET', '/credits', undefined, apiKey)).body).toMatchObject({
      donors: 7,
      lists: 3,
      networks: 1,
    });
  });

  it('sets the deactivation date of a key that exists, which keeps its team', async () => {
    const partner = await startPartner();
    const { apiKey, team } = await issueKey(partner, {});
    const changed = await issueKey(partner, { apiKey, deactivatesOn: '2020-01-01' });
    expect(changed).toEqual({ apiKey, team });
    expect((await ask(partner, 'GET', '/test', undefined, apiKey)).status).toBe(401);
  });

  it('refuses a day or a bucket that does not exist', async () => {
    const partner = await startPartner();
    for (const order of [{ deactivatesOn: '2026-02-30' }, { credits: { gold: 1 } }, { tem: 'x' }]) {
      const { status, body } = await control(partner, 'POST', '/keys', order);
      expect(status).toBe(422);
      expect(body).toEqual({ detail: expect.any(String) });
    }
  });
});
