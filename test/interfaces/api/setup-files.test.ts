import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dropLeftovers, findSetup, saveSetup } from '../../../src/clients/setup/draft.ts';
import { newId } from '../../../src/core/new-id.ts';
import { eraseIntegration } from '../../../src/privacy/erase-integration.ts';
import { aWorkbook } from '../../helpers/a-workbook.ts';
import type { HttpWorld } from './http-world.ts';
import {
  begin,
  beginWithKey,
  COLUMNS,
  done,
  openLocal,
  PEOPLE,
  post,
  preview,
  storedSettings,
  upload,
  withFile,
} from './setup-world.ts';

describe('an uploaded file', () => {
  const text = (words: string) => new TextEncoder().encode(words);

  it.each([
    ['an archive', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 1, 2]), 'cannot be read as a workbook'],
    ['a program', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), 'not a CSV file'],
    ['an empty one', text('\n'), 'name at least 2 columns'],
    ['one column', text('Name\nAda Vale\n'), 'name at least 2 columns'],
    ['no row', text('Id,First Name,Last Name\n'), 'a header row but no contacts'],
    [
      'nothing but blank rows',
      text('Id,First Name,Last Name\n,,\n\n'),
      'a header row but no contacts',
    ],
  ])('is refused in words where it is no list of contacts: %s', async (_, content, words) => {
    const here = await openLocal();
    const id = await begin(here);
    const refused = await upload(here, id, content);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(words);
    expect(refused.text).not.toContain(here.folder);
    expect(await readdir(join(here.folder, 'uploads'))).toEqual([]);
  });

  it('is shown before it is taken, in the words of what takes it, and nothing of it is kept', async () => {
    const here = await openLocal();
    const id = await begin(here);
    const shown = await preview(here, id, 'Id,First Name,Last Name\n1,<b>Ada</b>,"Vale, Hill"\n');
    expect(shown).toMatchObject({ status: 200, cache: 'no-store' });
    expect(shown.text).toContain('<th scope="col">First Name</th>');
    expect(shown.text).toContain('<td>&lt;b&gt;Ada&lt;/b&gt;</td><td>Vale, Hill</td>');
    const none = 'Id,First Name,Last Name\n';
    const [seen, refused] = [await preview(here, id, none), await upload(here, id, none)];
    const sentence = 'it has a header row but no contacts';
    expect([seen.text, refused.text]).toEqual(Array(2).fill(expect.stringContaining(sentence)));
    expect((await preview(here, id, 'x'.repeat(256 * 1_024 + 1))).status).toBe(413);
    expect((await preview(here, 'nobody', none)).status).toBe(404);
    expect(await readdir(join(here.folder, 'uploads'))).toEqual([]);
    expect((await findSetup(here.application, id))?.answers.crm).toBeUndefined();
  });

  it('is refused before it is read if its size is 30 MB', async () => {
    const here = await openLocal();
    const id = await begin(here);
    const refused = await upload(here, id, new Uint8Array(30 * 1_024 * 1_024));
    expect(refused.status).toBe(413);
    expect(refused.text).toContain('20 MB');
  });

  it('can be in UTF-16, and is stored under a generated name that only its owner can read', async () => {
    const here = await openLocal();
    const id = await beginWithKey(here);
    const wide = Buffer.from(
      `\uFEFF${PEOPLE.replaceAll(',', '\t').replace('Ada', 'Zoë')}`,
      'utf16le',
    );
    expect((await upload(here, id, new Uint8Array(wide))).location).toBe(
      `/setup/${id}/people?note=file`,
    );
    const [name = ''] = await readdir(join(here.folder, 'uploads'));
    const { mode } = await stat(join(here.folder, 'uploads', name));
    expect(mode & 0o777).toBe(0o600);
    expect(name).toMatch(/^[0-9a-f-]{36}\.csv$/);
    await post(here, `/setup/${id}/people`, COLUMNS);
    expect((await here.request(`/setup/${id}/people`)).text).toContain('<th scope="row">Zoë</th>');
  });

  it('is told in words what an export of another product lacks, with its price', async () => {
    const here = await openLocal();
    const id = await beginWithKey(here);
    const layouts = join(import.meta.dirname, '../../fixtures/csv/layouts');
    const file = await readFile(join(layouts, '47-donortools-donors.csv'));
    await upload(here, id, new Uint8Array(file));
    const { text } = await here.request(`/setup/${id}/people`);
    expect(text).toContain(
      'No employer is chosen: the service then recognises fewer of the contacts',
    );
    expect(text).not.toContain('No address is chosen');
    expect(text).toContain('No column seems to hold an ID for each contact');
    expect(text).toMatch(/In 7 of the first 31 rows, only (“|&quot;|")Whole Name/);
    const brevo = await readFile(join(layouts, '78-brevo-contacts.txt'));
    const other = await beginWithKey(here);
    await upload(here, other, new Uint8Array(brevo));
    expect((await here.request(`/setup/${other}/people`)).text).toContain(
      'No address is chosen: the service then recognises fewer contacts, and a contact that it does not recognise still costs one credit',
    );
  });

  it('is followed by the step for the service key, which cannot be skipped', async () => {
    const here = await openLocal();
    const id = await begin(here);
    expect((await upload(here, id, PEOPLE)).location).toBe(`/setup/${id}/key?note=fileFirst`);
    const next = await post(here, `/setup/${id}/people`, COLUMNS);
    expect(next.location).toBe(`/setup/${id}/key?note=first`);
  });

  it('may be a workbook, from whose chosen sheet it becomes CSV', async () => {
    const here = await openLocal();
    const id = await beginWithKey(here);
    const head = ['Id', 'First Name', 'Last Name', 'ZIP Code'];
    const workbook = aWorkbook({
      Notes: [['Exported in May']],
      Donors: [head, [{ number: 7, format: 'zip' }, 'Zoë', 'Vale', { number: 501, format: 'zip' }]],
      Others: [head, ['1', 'Eve', 'Moss', '']],
    });
    const { location } = await upload(here, id, new Uint8Array(workbook));
    expect(location).toBe(`/setup/${id}/people?note=file`);
    const [name = ''] = await readdir(join(here.folder, 'uploads'));
    const csv = await readFile(join(here.folder, 'uploads', name), 'utf8');
    expect(csv).toBe(`\uFEFF${head.join(',')}\r\n00007,Zoë,Vale,00501\r\n`);
    const other = await upload(here, id, new Uint8Array(workbook), { sheet: 'Others' });
    expect(other.location).toBe(`/setup/${id}/people?note=file`);
    const [kept = ''] = await readdir(join(here.folder, 'uploads'));
    expect(await readFile(join(here.folder, 'uploads', kept), 'utf8')).toContain('Moss');
  });

  it('may call its columns whatever it likes', async () => {
    const here = await openLocal();
    const id = await beginWithKey(here);
    const names = ['Donor ID', `\${HOME}`, '"><script>alert(1)</script>', "=cmd|'/c calc'!A1"];
    const head = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',');
    await upload(here, id, `${head}\n1,Ada,Vale,x\n`);
    const [whole = '', first = '', last = '', role = ''] = names;
    const chosen = { id: whole, names: 'two', firstName: first, lastName: last, employers: role };
    expect((await post(here, `/setup/${id}/people`, chosen)).location).toBe(`/setup/${id}/fields`);
    const page = await here.request(`/setup/${id}/people`);
    expect(page.text).toContain('<th scope="row">Ada</th>');
    expect(page.text).not.toContain('<script>alert');
    expect((await findSetup(here.application, id))?.answers.crm).toMatchObject({
      columns: { firstName: first, lastName: last, employers: [role] },
    });
  });

  it('keeps its own columns that are called like ours, and the page says how ours are called', async () => {
    const here = await openLocal();
    const head = 'Id,First Name,Last Name,Donor ID,Donor Net Worth,Donor Work';
    const id = await withFile(here, `${head}\n1,Ada,Vale,D-1,High,\n2,Ben,Hill,D-2,,\n`);
    const columns = { ...COLUMNS, id: 'Id' };
    await post(here, `/setup/${id}/people`, columns);
    const { text } = await here.request(`/setup/${id}/fields`);
    expect(text).toContain('Your file has its own columns “Donor ID”, “Donor Net Worth”');
    expect(text).toContain('columns are called “Donor ID (service)”, “Donor Net Worth (service)”');
    expect(text).toContain('name="to.donorId" value="Donor ID (service)"');
    expect(text).toContain('name="to.work.primary" value="Donor Work"');
  });

  it('takes whole names apart', async () => {
    const here = await openLocal();
    const id = await beginWithKey(here);
    await upload(here, id, 'Id,Name\n1,"Vale, Ada"\n2,Ben Hill\n');
    const page = await here.request(`/setup/${id}/people`);
    expect(page.text).toContain('<th scope="row">Ada</th>');
    expect(page.text).toContain('<th scope="row">Ben</th>');
  });
});

describe('the file of a client that leaves', () => {
  const erase = ({ application, clock }: HttpWorld, id: string) =>
    eraseIntegration({ application, clock, newId: () => newId(clock.now()) }, id);
  const leftIn = (here: HttpWorld) => readdir(join(here.folder, 'uploads'));

  it('goes with it and its results, as the receipt says, and no other file', async () => {
    const here = await openLocal();
    const id = await done(here);
    const { crm } = await storedSettings(here, id);
    await writeFile(join(here.folder, 'uploads', 'by-hand.csv'), PEOPLE);
    const own = [crm.path, crm.output].map((path) => `uploads/${basename(path)}`);
    expect((await leftIn(here)).length).toBe(3);
    const receipt = await erase(here, id);
    expect(receipt.files).toEqual(own.sort());
    expect(await leftIn(here)).toEqual(['by-hand.csv']);
    expect((await erase(here, id)).files).toEqual([]);
  });

  it('stays with all that says which file it is while its folder cannot be read', async () => {
    const here = await openLocal();
    const id = await done(here);
    const folder = join(here.folder, 'uploads');
    await rename(folder, `${folder}-away`);
    await writeFile(folder, 'no folder');
    await expect(erase(here, id)).rejects.toThrow('ENOTDIR');
    await rm(folder);
    await rename(`${folder}-away`, folder);
    expect((await erase(here, id)).files).toHaveLength(2);
  });

  it('is deleted before what says which file it is, so that what was cut off is done by the same command', async () => {
    const here = await openLocal();
    const id = await done(here);
    const { store } = here.application;
    const cut = {
      ...here.application,
      store: {
        ...store,
        erasures: { ...store.erasures, append: () => Promise.reject(new Error('killed')) },
      },
    };
    await expect(erase({ ...here, application: cut }, id)).rejects.toThrow('killed');
    expect(await storedSettings(here, id)).not.toBeNull();
    expect(await leftIn(here)).toEqual([]);
    await erase(here, id);
    expect(await storedSettings(here, id)).toBeNull();
  });

  it('stays while another client names it', async () => {
    const here = await openLocal();
    const id = await done(here);
    const integration = here.application.integrations.get(id);
    if (integration === undefined) throw new Error(`there is no ${id}`);
    const integrations = new Map([
      ...here.application.integrations,
      ['two', { ...integration, id: 'two' }],
    ]);
    const application = { ...here.application, integrations };
    expect((await erase({ ...here, application }, id)).files).toEqual([]);
    expect((await leftIn(here)).length).toBe(2);
  });

  it('goes when another kind of CRM is chosen in the same step', async () => {
    const here = await openLocal();
    const id = await begin(here);
    await upload(here, id, PEOPLE);
    const app = {
      kind: 'hubspot',
      clientId: 'abc',
      clientSecret: 'def',
      url: 'http://127.0.0.1:9',
    };
    expect((await post(here, `/setup/${id}/crm`, app)).status).toBe(303);
    expect((await findSetup(here.application, id))?.answers.crm?.kind).toBe('hubspot');
    expect(await readdir(join(here.folder, 'uploads'))).toEqual([]);
  });

  it('goes a day later if it was never accepted, and no other file, since another database may use that', async () => {
    const here = await openLocal();
    const client = await done(here);
    const id = await begin(here, 'Hillside');
    await upload(here, id, PEOPLE);
    const folder = join(here.folder, 'uploads');
    const before = (await readdir(folder)).sort();
    const unused = [`${randomUUID()}.new`];
    const results = randomUUID();
    const ofAnotherDatabase = `${randomUUID()}.csv`;
    const others = ['mine.csv', ofAnotherDatabase, `${results}.csv`, `${results}-enhanced.csv`];
    for (const name of [...unused, ...others]) await writeFile(join(folder, name), PEOPLE);
    const sweep = (afterMs: number) => dropLeftovers(here.application, Date.now() + afterMs);
    expect(await sweep(3_600_000)).toEqual([]);
    expect(await sweep(25 * 3_600_000)).toEqual(unused.map((name) => `uploads/${name}`));
    expect((await readdir(folder)).sort()).toEqual([...before, ...others].sort());
    expect(client).not.toBe('');
  });

  it('of a set-up that was not continued for too long goes with its client', async () => {
    const here = await openLocal();
    const id = await done(here);
    await post(here, `/setup/${id}/change`);
    // Simulates an abandoned set-up whose answers name a different file.
    const setup = await findSetup(here.application, id);
    if (setup === null) throw new Error('there is no set-up');
    const path = join(here.folder, 'uploads', `${randomUUID()}.csv`);
    await writeFile(path, PEOPLE);
    const crm = { ...setup.answers.crm, kind: 'csv', path };
    const answers = { ...setup.answers, crm };
    expect(await saveSetup(here.application, setup, { answers })).toBe(true);
    await here.application.store.connection
      .updateTable('setup_drafts')
      .set({ updated_at: 1 })
      .execute();
    await erase(here, id);
    expect(await readdir(join(here.folder, 'uploads'))).toEqual([]);
  });

  it('is the last one that was dropped: those before it are taken away at once', async () => {
    const here = await openLocal();
    const id = await begin(here);
    await upload(here, id, PEOPLE);
    const before = await leftIn(here);
    await upload(here, id, PEOPLE);
    const after = await leftIn(here);
    expect([before.length, after.length]).toEqual([1, 1]);
    expect(after).not.toEqual(before);
  });
});

it('takes no file where several machines share a database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-none-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { takesUploads, takeUpload } = await import('../../../src/clients/setup/uploads.ts');
  const where = { database: 'postgres://localhost/donor_sync' };
  expect(takesUploads(where)).toBe(false);
  await expect(takeUpload(where, new Uint8Array([1]))).rejects.toMatchObject({
    code: 'setup_file_elsewhere',
  });
});
