import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import { createReadiness } from '../../../service/operation/readiness.ts';
import { send } from '../../testbed/asking.ts';
import { ask, startPartner } from '../partner.ts';
import { startRunning } from './running.ts';

describe('a service', () => {
  it.each(['OPTIONS', 'PROPFIND', 'LINK', 'PURGE'])(
    'answers %s with 405 in its own error shape',
    async (method) => {
      const service = await startRunning(['alpha']);
      const headers = { 'x-api-key': service.keys[0] ?? '' };
      expect(await send(`${service.baseUrl}/credits`, method, { headers })).toMatchObject({
        ...{ status: 405, body: { detail: 'Method Not Allowed' } },
      });
      expect(service.errors).toEqual([]);
    },
  );

  it('names itself at the address of a donor, without a key and without data', async () => {
    const service = await startRunning(['alpha']);
    const page = await fetch(new URL('/people/0123456789abcdef', service.baseUrl));
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(page.headers.get('set-cookie')).toBeNull();
    expect(text).toContain('Partner Data Service');
    expect(text).not.toContain('Oldenquist');
  });

  it('writes nothing to read its lists, and the system list keeps its id when it is stored', async () => {
    const partner = await startPartner();
    const before = await ask(partner, 'GET', '/lists');
    expect(before.body).toMatchObject({ lists: [{ name: 'All Saved Donors', donor_count: 0 }] });
    await ask(partner, 'POST', '/lists', { name: 'Gala' });
    const after = await ask(partner, 'GET', '/lists');
    const idsIn = (body: unknown) => JSON.stringify(body).match(/"list_id":"[0-9a-f]+"/g) ?? [];
    expect(idsIn(after.body)[0]).toBe(idsIn(before.body)[0]);
  });

  it('is not ready while its file cannot be written, and says so', () => {
    const db = openDatabase(undefined);
    expect(createReadiness(db, Date.now)()).toBeNull();
    db.exec(`create trigger full before insert on readiness begin select raise(abort, 'no'); end;
             create trigger full_too before update on readiness begin select raise(abort, 'no'); end`);
    expect(createReadiness(db, Date.now)()).toContain('cannot be written');
    db.close();
  });
});
