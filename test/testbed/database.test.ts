import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAccount } from '../sandbox/hubspot/account.ts';
import { startOrg } from '../sandbox/salesforce/org.ts';
import { startPartner } from '../service/partner.ts';
import { aDatabaseFile } from './a-database-file.ts';
import { control } from './asking.ts';

describe.each([
  ['service', startPartner],
  ['org', startOrg],
  ['account', startAccount],
])('the database file of a sandbox (%s)', (_kind, start) => {
  it('is refused to a second one while it is in use, and the first one goes on', async () => {
    const db = await aDatabaseFile();
    const first = await start({ db });
    await expect(start({ db })).rejects.toThrow(`The database ${db} is in use`);
    expect((await control(first, 'GET', '/requests')).status).toBe(200);
    await first.close();
    expect((await control(await start({ db }), 'GET', '/requests')).status).toBe(200);
  });

  it('can be read by other programs meanwhile', async () => {
    const db = await aDatabaseFile();
    await start({ db });
    const reader = new Sqlite(db, { readonly: true });
    onTestFinished(() => {
      reader.close();
    });
    expect(reader.prepare('select count(*) from sqlite_master').pluck().get()).toBeGreaterThan(0);
  });
});

describe('a sandbox without a file', () => {
  it('is in the way of no other process', async () => {
    const both = await Promise.all([startAccount(), startAccount()]);
    const answers = await Promise.all(both.map((one) => control(one, 'GET', '/people')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});
