import { describe, expect, it } from 'vitest';
import { ask, issueKey, readLedger, startPartner } from './partner.ts';

const AREAS = ['donors', 'enhancements', 'exports', 'lists', 'networks', 'search'];

describe('health checks (section 4.4)', () => {
  it.each(AREAS)('answers that %s works, for nothing and with empty buckets', async (area) => {
    const partner = await startPartner({ credits: 0 });
    const answer = await ask(partner, 'GET', `/${area}/health`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ status: 'ok' });
    expect(await readLedger(partner)).toEqual([]);
  });

  it.each(AREAS)('asks for a key at %s like every endpoint', async (area) => {
    const partner = await startPartner();
    const { apiKey } = await issueKey(partner, { deactivatesOn: '2020-01-01' });
    expect((await ask(partner, 'GET', `/${area}/health`, undefined, null)).status).toBe(403);
    expect((await ask(partner, 'GET', `/${area}/health`, undefined, apiKey)).status).toBe(401);
  });
});
