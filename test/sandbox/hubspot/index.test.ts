import { describe, expect, it, onTestFinished } from 'vitest';
import { startPartnerSandbox } from '../../../sandbox/partner/index.ts';
import { aDatabaseFile } from '../../testbed/a-database-file.ts';
import { control, edit } from '../../testbed/asking.ts';
import { ask, CONTACTS, contactIds, readRecord, startAccount } from './account.ts';

describe('a sandbox with a file', () => {
  it('is the same account when it is started again', async () => {
    const db = await aDatabaseFile();
    const first = await startAccount({ db });
    const [id = ''] = await contactIds(first, 1);
    const property = {
      name: 'score',
      label: 'Score',
      type: 'number',
      fieldType: 'number',
      groupName: 'contactinformation',
    };
    await ask(first, 'POST', '/crm/properties/2026-09/contacts', { body: property });
    const body = { properties: { score: '7' } };
    await ask(first, 'PATCH', `${CONTACTS}/${id}`, { body });
    const made = await edit(first, { action: 'create', values: { lastname: 'New' } });
    await edit(first, { action: 'erase', id: made });
    await first.close();

    const second = await startAccount({ db });
    const { token, clientId, clientSecret, portalId } = first;
    expect(second).toMatchObject({ token, clientId, clientSecret, portalId });
    const path = `${CONTACTS}/${id}?properties=score`;
    expect(readRecord(await ask(second, 'GET', path)).properties['score']).toBe('7');
    const next = await edit(second, { action: 'create', values: { lastname: 'Newer' } });
    expect(Number(next)).toBeGreaterThan(Number(made));
  });

  it('refuses the file of another account', async () => {
    const db = await aDatabaseFile();
    await (await startAccount({ db })).close();
    await expect(startAccount({ db, contacts: 21 })).rejects.toThrow('20 contacts');
    await expect(startAccount({ db, seed: 2 })).rejects.toThrow('holds another account');
  });
});

describe('the people of a sandbox', () => {
  it('are those of the sandbox of the service with the same seed', async () => {
    const account = await startAccount({ seed: 7, donors: 100, contacts: 50 });
    const partner = await startPartnerSandbox({ seed: 7, donors: 100, contacts: 50 });
    onTestFinished(() => partner.close());
    const strip = (text: string) => text.replaceAll(/"id":"[^"]*",/g, '');
    const theirs = await (await fetch(`${partner.rootUrl}/_sandbox/people`)).text();
    const ours = JSON.stringify((await control(account, 'GET', '/people')).body);
    expect(strip(ours)).toBe(strip(theirs));
  });
});
