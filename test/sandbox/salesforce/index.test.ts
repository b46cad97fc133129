import { describe, expect, it, onTestFinished } from 'vitest';
import { startPartnerSandbox } from '../../../sandbox/partner/index.ts';
import { aDatabaseFile } from '../../testbed/a-database-file.ts';
import { control } from '../../testbed/asking.ts';
import { addField, ask, column, contactIds, startOrg, update } from './org.ts';

describe('a sandbox with a file', () => {
  it('is the same org when it is started again', async () => {
    const db = await aDatabaseFile();
    const first = await startOrg({ db });
    const [id = ''] = await contactIds(first, 1);
    await addField(first, 'Score__c', { type: 'Number', precision: 5, scale: 0 });
    await update(first, [{ id, Score__c: 7 }]);
    await first.close();

    const second = await startOrg({ db });
    expect(second).toMatchObject({
      token: first.token,
      clientId: first.clientId,
      clientSecret: first.clientSecret,
      privateKey: first.privateKey,
    });
    expect(await column(second, 'SELECT Id FROM Contact WHERE Score__c = 7')).toEqual([id]);
    const { body } = await ask(second, 'POST', '/sobjects/Contact', { body: { LastName: 'New' } });
    expect(body).toMatchObject({ success: true });
  });

  it('refuses the file of another org', async () => {
    const db = await aDatabaseFile();
    await (await startOrg({ db })).close();
    await expect(startOrg({ db, shape: 'plain' })).rejects.toThrow('holds another org');
    await expect(startOrg({ db, contacts: 21 })).rejects.toThrow('20 contacts');
  });
});

describe('the people of a sandbox', () => {
  it('are those of the sandbox of the service with the same seed', async () => {
    const org = await startOrg({ seed: 7, donors: 100, contacts: 50 });
    const partner = await startPartnerSandbox({ seed: 7, donors: 100, contacts: 50 });
    onTestFinished(() => partner.close());
    const strip = (text: string) => text.replaceAll(/"id":"[^"]*",/g, '');
    const theirs = await (await fetch(`${partner.rootUrl}/_sandbox/people`)).text();
    const ours = JSON.stringify((await control(org, 'GET', '/people')).body);
    expect(strip(ours)).toBe(strip(theirs));
  });
});
