import { describe, expect, it } from 'vitest';
import { createWorld } from '../../people/world.ts';
import { aClock } from '../testbed/a-clock.ts';
import { control } from '../testbed/asking.ts';
import { ask, issueKey, startPartner, strangers } from './partner.ts';

describe('GET /_sandbox/people', () => {
  it('gives the contact list as a CRM would hold it, page by page', async () => {
    const world = createWorld({ seed: 3, donors: 40 });
    const partner = await startPartner({ world, contacts: 12 });
    const { body } = await control(partner, 'GET', '/people?limit=5&offset=10');
    const { firstName, lastName, email, donorId } = world.crmPerson(10);
    expect(body).toEqual({
      total: 12,
      people: [
        {
          id: 'C000011',
          firstName,
          lastName,
          email,
          donorId,
          addresses: expect.any(Array),
          employers: expect.any(Array),
        },
        expect.objectContaining({ id: 'C000012' }),
      ],
    });
  });

  it('refuses a limit that makes no sense', async () => {
    const partner = await startPartner();
    expect((await control(partner, 'GET', '/people?limit=many')).status).toBe(422);
  });
});

describe('POST /_sandbox/keys', () => {
  it('issues a key of a new team to an order without a body', async () => {
    const partner = await startPartner();
    const first = await issueKey(partner, undefined);
    const second = await issueKey(partner, undefined);
    expect(first.team).not.toBe(second.team);
    expect((await ask(partner, 'GET', '/test', undefined, first.apiKey)).status).toBe(200);
  });

  it('refuses an order that is no JSON', async () => {
    const partner = await startPartner();
    const response = await fetch(`${partner.rootUrl}/_sandbox/keys`, { method: 'POST', body: '{' });
    expect(response.status).toBe(422);
  });
});

describe('GET /_sandbox/requests', () => {
  it('lists what was asked of the service, with status and time', async () => {
    const clock = aClock('2026-03-10T12:00:00Z');
    const partner = await startPartner({
      clock: clock.read,
      faults: [{ on: { path: '/test' }, fault: { kind: 'resetAfter' } }],
    });
    await ask(partner, 'POST', '/enhancements', { persons: strangers(1) });
    await ask(partner, 'GET', '/credits', undefined, null);
    await expect(ask(partner, 'GET', '/test')).rejects.toThrow();
    const at = '2026-03-10T12:00:00.000Z';
    expect((await control(partner, 'GET', '/requests')).body).toMatchObject({
      total: 3,
      requests: [
        { method: 'POST', path: '/v1/partners/enhancements', status: 202, at, timeMs: 0 },
        { method: 'GET', path: '/v1/partners/credits', status: 403, apiKey: null },
        { method: 'GET', path: '/v1/partners/test', status: null },
      ],
    });
  });

  it('does not count the controls themselves', async () => {
    const partner = await startPartner();
    await control(partner, 'GET', '/ledger');
    expect((await control(partner, 'GET', '/requests')).body).toEqual({ requests: [], total: 0 });
  });
});
