import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, startService, UNKNOWN_ID } from './service.ts';

const DETAIL = { detail: expect.any(String) };

describe('errors (section 7)', () => {
  it('the service returns 400 for a list name that is not unique within the team (7.2.2)', async () => {
    const service = await startService();
    expect((await ask(service, 'POST', '/lists', { name: 'Gala' })).status).toBe(201);
    expect(await ask(service, 'POST', '/lists', { name: 'Gala' })).toEqual({
      status: 400,
      body: DETAIL,
    });
    const other = await service.issueKey();
    expect((await ask(service, 'POST', '/lists', { name: 'Gala' }, other)).status).toBe(201);
  });

  it('the service returns 400 if a caller deletes the system list All Saved Donors (7.2.3)', async () => {
    const service = await startService();
    const { body } = await ask(service, 'GET', '/lists');
    const { lists } = z
      .object({ lists: z.array(z.object({ list_id: z.string(), name: z.string() })) })
      .parse(body);
    const system = lists.find(({ name }) => name === 'All Saved Donors');
    expect(await ask(service, 'DELETE', `/lists/${system?.list_id}`)).toEqual({
      status: 400,
      body: DETAIL,
    });
  });

  it('the service returns 400 for an export without the fields parameter (7.2.4)', async () => {
    const service = await startService();
    const order = { format: 'csv', donor_ids: service.donorIds.slice(0, 1) };
    expect(await ask(service, 'POST', '/exports', order)).toEqual({ status: 400, body: DETAIL });
  });

  it('the service returns 204 without a body after a list is renamed or deleted (7)', async () => {
    const service = await startService();
    const { body } = await ask(service, 'POST', '/lists', { name: 'Gala' });
    const { list_id: id } = z.object({ list_id: z.string() }).parse(body);
    const nothing = { status: 204, body: null };
    expect(await ask(service, 'PATCH', `/lists/${id}`, { name: 'Ball' })).toEqual(nothing);
    expect(await ask(service, 'DELETE', `/lists/${id}`)).toEqual(nothing);
  });

  it.each([
    ['GET', `/donors/${UNKNOWN_ID}`],
    ['GET', `/donors/${UNKNOWN_ID}/metadata`],
    ['GET', `/lists/${UNKNOWN_ID}`],
    ['GET', `/exports/${UNKNOWN_ID}`],
    ['GET', `/networks/jobs/${UNKNOWN_ID}`],
    ['GET', `/enhancements/${UNKNOWN_ID}/progress`],
  ])('the service returns 404 for %s %s, which does not exist (7)', async (method, path) => {
    const service = await startService();
    expect(await ask(service, method, path)).toEqual({ status: 404, body: DETAIL });
  });

  it('the service returns 500 with a detail if an internal error occurs (7, 7.1)', async () => {
    const service = await startService();
    await service.failOnce();
    expect(await ask(service, 'GET', '/credits')).toEqual({ status: 500, body: DETAIL });
    expect((await ask(service, 'GET', '/credits')).status).toBe(200);
  });
});
