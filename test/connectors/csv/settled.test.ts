import { appendFile, rm, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerFindings } from '../../../connectors/csv/owner-finding.ts';
import { keepOwner } from '../../../connectors/csv/replace-file.ts';
import { toArray } from '../connector-options.ts';
import { type CsvFolder, openCsvFolder } from '../csv-folder.ts';

const HEADER = 'Id,First,Last,Street,City,Employer';

describe('a CSV file that another program is still writing', () => {
  let folder: CsvFolder;
  beforeEach(async () => {
    folder = await openCsvFolder();
  });
  afterEach(() => folder.close());

  it('is read once its last row is complete, so no cut employer is sent', async () => {
    await folder.write('in.csv', `${HEADER}\n1,Ann,Lee,,,Ac`);
    const now = Date.now() / 1000;
    await utimes(folder.path('in.csv'), now, now);
    const reading = folder.connector().then((connector) => toArray(connector.readPages(null)));
    await sleep(300);
    await appendFile(folder.path('in.csv'), 'me\n2,Bea,Moe,,,Bakery\n');
    const employers = (await reading).flatMap(({ contacts }) =>
      contacts.map((one) => one.employers),
    );
    expect(employers).toEqual([['Acme'], ['Bakery']]);
  });

  it('is not waited for once the run is stopped', async () => {
    await folder.write('in.csv', `${HEADER}\n1,Ann,Lee,,,Ac`);
    const now = Date.now() / 1000;
    await utimes(folder.path('in.csv'), now, now);
    const stop = new AbortController();
    const opening = folder.connector({ signal: stop.signal });
    stop.abort();
    await expect(opening).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('is named if it has disappeared', async () => {
    await folder.write('in.csv', `${HEADER}\n1,Ann,Lee,,,Acme\n`);
    const connector = await folder.connector();
    await rm(folder.path('in.csv'));
    await expect(toArray(connector.readPages(null))).rejects.toMatchObject({
      code: 'csv_file_error',
      message: expect.stringContaining('in.csv'),
    });
  });
});

describe('the owner of a file that is replaced', () => {
  const own = { uid: 1, gid: 1 };
  const before = { mode: 0o664, owner: { uid: 2, gid: 3 } };

  /** `allowed` determines to which owner the system may change a file. */
  function newFile(allowed: (uid: number, gid: number) => boolean) {
    const done: string[] = [];
    const handle = {
      stat: async () => own,
      async chown(uid: number, gid: number) {
        if (!allowed(uid, gid)) throw Object.assign(new Error('no'), { code: 'EPERM' });
        done.push(`${uid}:${gid}`);
      },
    };
    return { handle, done };
  }

  it('stays where the system allows it', async () => {
    const { handle, done } = newFile(() => true);
    expect(await keepOwner(handle, before)).toBe(0o664);
    expect(done).toEqual(['2:3']);
  });

  it('changes, and its group stays, where only root can give files away', async () => {
    const { handle, done } = newFile((uid) => uid === own.uid);
    expect(await keepOwner(handle, before)).toBe(0o664);
    expect(done).toEqual(['1:3']);
  });

  it('is a finding of the check if a sync changes it', () => {
    const file = { uid: 2, gid: 3 };
    const messageFor = (uid: number, groups: number[]) =>
      ownerFindings('in.csv', file, { uid, groups }).map(({ message }) => message);
    expect(messageFor(0, [0])).toEqual([]);
    expect(messageFor(2, [9])).toEqual([]);
    expect(messageFor(5, [9, 3])[0]).toContain('Its group stays.');
    expect(messageFor(5, [9])[0]).toContain('Its group changes too');
  });

  it('gives another group nothing, where the group cannot stay either', async () => {
    const { handle, done } = newFile(() => false);
    expect(await keepOwner(handle, before)).toBe(0o604);
    expect(done).toEqual([]);
  });
});
