import { chmod, chown, readdir, readFile, stat } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactChange } from '../../connectors/contract.ts';
import { toArray } from './connector-options.ts';
import { type ConnectorChoices, type CsvFolder, openCsvFolder } from './csv-folder.ts';

const HEADER = 'Id,First,Last,Street,City,Employer';

let folder: CsvFolder;
let separate: ConnectorChoices;
beforeEach(async () => {
  folder = await openCsvFolder();
  separate = { settings: { output: folder.path('out.csv') } };
});
afterEach(() => folder.close());

/** Writes the changes in a separate run. */
async function sync(changes: readonly ContactChange[], options?: ConnectorChoices): Promise<void> {
  const connector = await prepared(options);
  await acknowledge(connector, changes);
  await connector.finish();
  await connector.close();
}

/** Writes the changes in a run that is killed before its end. */
async function syncAndDie(
  changes: readonly ContactChange[],
  options?: ConnectorChoices,
): Promise<void> {
  const connector = await prepared(options);
  await acknowledge(connector, changes);
  await connector.close();
}

async function prepared(options?: ConnectorChoices): Promise<Connector> {
  const connector = await folder.connector(options);
  return connector;
}

async function acknowledge(connector: Connector, changes: readonly ContactChange[]): Promise<void> {
  for (const result of await toArray(connector.write(changes))) {
    expect(result.status).toBe('written');
  }
}

describe('the output of a CSV integration', () => {
  it('keeps every cell that was not written exactly as it was', async () => {
    await folder.write(
      'in.csv',
      `\ufeff${HEADER},"Net"\r\n` +
        '1,"Ann",b,"c ""d"", e",  f ,\u00e9,5\r\n\r\n2,Bea,b,"c\nd",,g,"6"\r\n,,,,,,\r\n3,x,y,,,,',
    );
    await sync([{ id: '2', values: { Net: '7', Note: 'a, b' } }]);
    expect(await folder.read('in.csv')).toBe(
      `\ufeff${HEADER},"Net",Note\r\n` +
        '1,"Ann",b,"c ""d"", e",  f ,\u00e9,5,\r\n\r\n' +
        '2,Bea,b,"c\nd",,g,7,"a, b"\r\n,,,,,,\r\n3,x,y,,,,,',
    );
  });

  it('quotes like the file does, and writes its delimiter', async () => {
    await folder.write('in.csv', `"${HEADER.replaceAll(',', '";"')}"\n"1";"a";"b";"";"";""\n`);
    await sync([{ id: '1', values: { Note: 'x;y', 'Net Worth': 5 } }]);
    const lines = (await folder.read('in.csv')).split('\n');
    expect(lines[0]).toContain(';"Note";"Net Worth"');
    expect(lines[1]).toBe('"1";"a";"b";"";"";"";"x;y";"5"');
  });

  it('keeps a first line that names the delimiter', async () => {
    const text = `sep=;\r\n${HEADER.replaceAll(',', ';')}\r\n1;a;b;;;\r\n`;
    await folder.write('in.csv', text);
    await sync([{ id: '1', values: { Note: 'x;y' } }], separate);
    await sync([{ id: '1', values: { Note: 'z' } }], separate);
    const lines = text.replace('Employer', 'Employer;Note').replace('1;a;b;;;', '1;a;b;;;;z');
    expect(await folder.read('out.csv')).toBe(lines);
    await sync([{ id: '1', values: { Note: 'z' } }]);
    expect(await folder.read('in.csv')).toBe(lines);
  });

  it('keeps its owner and its group', async () => {
    const group = process.getuid?.() === 0 ? 4_321 : (process.getgroups?.().at(-1) ?? 0);
    const owner = process.getuid?.() === 0 ? 1_234 : (process.getuid?.() ?? 0);
    await folder.write('in.csv', `${HEADER}\n1,a,b,,,\n`);
    await chmod(folder.path('in.csv'), 0o640);
    await chown(folder.path('in.csv'), owner, group);
    await sync([{ id: '1', values: { Note: 'x' } }]);
    const { uid, gid, mode } = await stat(folder.path('in.csv'));
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: owner, gid: group, mode: 0o640 });
  });

  it('stays Latin-1, and refuses what Latin-1 cannot say', async () => {
    const options: ConnectorChoices = { settings: { encoding: 'latin1' } };
    await folder.write('in.csv', Buffer.from(`${HEADER}\n1,Zo\u00eb,b,,,\n2,x,y,,,\n`, 'latin1'));
    const connector = await prepared(options);
    const results = await toArray(
      connector.write([
        { id: '1', values: { Note: '5 € – ünal' } },
        { id: '2', values: { Note: '日本' } },
      ]),
    );
    await connector.finish();
    const [lookup] = await connector.readByIds(['1'], ['Note']);
    await connector.close();
    expect(results).toMatchObject([
      { id: '1', status: 'written' },
      { id: '2', status: 'refused', code: 'not_encodable', fields: ['Note'] },
    ]);
    expect(lookup).toMatchObject({ contact: { firstName: 'Zoë' }, values: { Note: '5 € – ünal' } });
  });

  it('becomes UTF-8 as a whole when its input does, although the settings say Latin-1', async () => {
    const options: ConnectorChoices = {
      settings: { ...separate.settings, encoding: 'latin1' },
    };
    const text = `${HEADER}\n1,Zoë,b,,,\n2,x,y,,,\n`;
    await folder.write('in.csv', Buffer.from(text, 'latin1'));
    await sync([{ id: '1', values: { Note: 'Café' } }], options);
    await folder.write('in.csv', text);
    await sync([{ id: '2', values: { Note: '日本' } }], options);
    expect(await folder.read('out.csv')).toBe(`${HEADER},Note\n1,Zoë,b,,,,Café\n2,x,y,,,,日本\n`);
    await folder.write('in.csv', Buffer.from(text, 'latin1'));
    await sync([{ id: '2', values: { Note: 'Ü' } }], options);
    const bytes = await readFile(folder.path('out.csv'), 'latin1');
    expect(bytes).toBe(`${HEADER},Note\n1,Zoë,b,,,,Café\n2,x,y,,,,Ü\n`);
  });

  describe('of which a value cannot be written', () => {
    const options: ConnectorChoices = { settings: { encoding: 'latin1' } };
    const values = { Net: 7, Bio: '日本', Twice: 'x', Id: '9', ['\u0000']: 'y' };

    beforeEach(async () => {
      await folder.write('in.csv', `${HEADER},Twice,Twice\n1,a,b,,,,,\n`);
    });

    it('gets the other values of the contact, and names the cause of each refusal', async () => {
      const connector = await prepared(options);
      const results = await toArray(connector.write([{ id: '1', values }]));
      await connector.finish();
      await connector.close();
      expect(results).toMatchObject([{ id: '1', status: 'written_in_part' }]);
      const [result] = results;
      const refusals = result?.status === 'written_in_part' ? result.refusals : [];
      expect(refusals.map(({ code, cause, fields }) => [code, cause, fields])).toEqual([
        ['id_column', 'no_permission', ['Id']],
        ['column_twice', 'no_permission', ['Twice']],
        ['column_name', 'no_such_field', ['\u0000']],
        ['not_encodable', 'does_not_fit', ['Bio']],
      ]);
      expect(await folder.read('in.csv')).toBe(`${HEADER},Twice,Twice,Net\n1,a,b,,,,,,7\n`);
    });

    it('gets none of the values that belong together', async () => {
      const connector = await prepared(options);
      const results = await toArray(connector.write([{ id: '1', values, together: true }]));
      await connector.finish();
      await connector.close();
      expect(results).toMatchObject([
        {
          status: 'refused',
          cause: 'no_permission',
          fields: ['Id', 'Twice', '\u0000', 'Bio'],
          message: expect.stringContaining('save the file as UTF-8'),
        },
      ]);
      expect(await folder.read('in.csv')).toBe(`${HEADER},Twice,Twice\n1,a,b,,,,,\n`);
    });
  });

  it('keeps text that a spreadsheet would run from being run, and reads it back as it was', async () => {
    await folder.write('in.csv', `${HEADER}\n1,a,b,,,\n`);
    const values = { Bio: '=HYPERLINK("http://x")', Loss: '-5', Phone: '+1 555', Mail: '@me' };
    await sync([{ id: '1', values }]);
    expect(await folder.rows('in.csv')).toMatchObject([
      { Bio: '\'=HYPERLINK("http://x")', Loss: '-5', Phone: "'+1 555", Mail: "'@me" },
    ]);
    const connector = await prepared();
    expect(await connector.readByIds(['1'], Object.keys(values))).toMatchObject([{ values }]);
    await connector.close();
  });

  it.each(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])(
    'lets no spreadsheet run a text that begins with %j',
    async (sign) => {
      await folder.write('in.csv', `${HEADER}\n1,a,b,,,\n`);
      const values = { Bio: `${sign}HYPERLINK("http://x")` };
      await sync([{ id: '1', values }]);
      expect(await folder.rows('in.csv')).toMatchObject([{ Bio: `'${values.Bio}` }]);
      const connector = await prepared();
      expect(await connector.readByIds(['1'], ['Bio'])).toMatchObject([{ values }]);
      await connector.close();
    },
  );

  it('gives back any text in any file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        async (texts, delimiter, ending) => {
          const rows = [HEADER, ...texts.map((_, at) => `${at},a,b,,,`)].join(ending);
          await folder.save('in.csv', rows.replaceAll(',', delimiter));
          await sync(texts.map((text, at) => ({ id: String(at), values: { Note: text } })));
          await folder.age('in.csv');
          const connector = await prepared();
          const found = await connector.readByIds(
            texts.map((_, at) => String(at)),
            ['Note'],
          );
          await connector.close();
          const notes = found.map((lookup) => lookup.state === 'found' && lookup.values['Note']);
          expect(notes).toEqual(texts.map((text) => (text.trim() === '' ? null : text)));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('never writes the column with the ids', async () => {
    await folder.write('in.csv', `${HEADER}\n1,a,b,,,\n`);
    const connector = await prepared();
    expect(await toArray(connector.write([{ id: '1', values: { Id: '2' } }]))).toMatchObject([
      { status: 'refused', code: 'id_column', fields: ['Id'] },
    ]);
    const fields = await connector.describeFields();
    expect(fields.find(({ name }) => name === 'Id')).toMatchObject({ writable: false });
    await connector.close();
  });

  it('is not touched by a run that changed nothing', async () => {
    await folder.write('in.csv', `${HEADER},Note\n1,a,b,,,,same\n`);
    const before = await stat(folder.path('in.csv'), { bigint: true });
    await sync([{ id: '1', values: { Note: 'same' } }]);
    const after = await stat(folder.path('in.csv'), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    await sync([], separate);
    const created = await stat(folder.path('out.csv'), { bigint: true });
    await sync([], separate);
    const again = await stat(folder.path('out.csv'), { bigint: true });
    expect(again.ino).toBe(created.ino);
    expect(await readdir(folder.path('.'))).toEqual(['in.csv', 'out.csv']);
  });

  it('is as private as the file it replaces', async () => {
    await folder.write('in.csv', `${HEADER}\n1,a,b,,,\n`);
    await chmod(folder.path('in.csv'), 0o640);
    await sync([{ id: '1', values: { Note: 'x' } }]);
    expect((await stat(folder.path('in.csv'))).mode & 0o777).toBe(0o640);
  });

  it('is the old file until the run ends, though a reader by ids sees the new values', async () => {
    const content = `${HEADER}\n1,a,b,,,\n`;
    await folder.write('in.csv', content);
    const connector = await prepared();
    await acknowledge(connector, [{ id: '1', values: { Note: 'new' } }]);
    expect(await folder.read('in.csv')).toBe(content);
    expect(await connector.readByIds(['1'], ['Note'])).toMatchObject([{ values: { Note: 'new' } }]);
    await connector.finish();
    expect(await folder.rows('in.csv')).toMatchObject([{ Note: 'new' }]);
    await connector.close();
  });

  it('does not lose what a user edits during the run', async () => {
    await folder.write('in.csv', `${HEADER},Note\n1,a,b,,,,\n2,c,d,,,,\n`);
    const connector = await prepared();
    await acknowledge(connector, [
      { id: '1', values: { Note: 'ours' } },
      { id: '2', values: { Note: 'ours' } },
    ]);
    await folder.save('in.csv', `${HEADER},Note\n3,new,row,,,,\n2,c,d,,,,theirs\n1,edited,b,,,,\n`);
    await connector.finish();
    await connector.close();
    expect(await folder.read('in.csv')).toBe(
      `${HEADER},Note\n3,new,row,,,,\n2,c,d,,,,theirs\n1,edited,b,,,,ours\n`,
    );
  });
});

describe('a separate output', () => {
  it('begins as a copy of the input, which is never written', async () => {
    const content = `${HEADER},Note\n1,a,b,,,,old\n2,c,d,,,,\n`;
    await folder.write('in.csv', content);
    await sync([{ id: '2', values: { Note: 'ours' } }], separate);
    expect(await folder.read('in.csv')).toBe(content);
    expect(await folder.read('out.csv')).toBe(`${HEADER},Note\n1,a,b,,,,old\n2,c,d,,,,ours\n`);
  });

  it('follows the input and keeps what was written, in new and in old columns', async () => {
    await folder.write('in.csv', `${HEADER},Note\n1,a,b,,,,\n2,c,d,,,,\n3,e,f,,,,\n`);
    await sync(
      [1, 2, 3].map((id) => ({ id: `${id}`, values: { Note: 'n', Net: id } })),
      separate,
    );
    await folder.save('in.csv', `${HEADER},Note\n3,e,new,,,,\n4,g,h,,,,\n1,a,b,,,,\n`);
    await sync([], separate);
    expect(await folder.read('out.csv')).toBe(
      `${HEADER},Note,Net\n3,e,new,,,,n,3\n4,g,h,,,,,\n1,a,b,,,,n,1\n`,
    );
  });

  it('may be edited by hand', async () => {
    await folder.write('in.csv', `${HEADER}\n1,a,b,,,\n`);
    await sync([{ id: '1', values: { Net: '5' } }], separate);
    await folder.save('out.csv', `Id;Net;Mine\n1;typed, by hand;mine\n`);
    const connector = await prepared(separate);
    expect(await connector.readByIds(['1'], ['Net'])).toMatchObject([
      { values: { Net: 'typed, by hand' } },
    ]);
    await connector.finish();
    await connector.close();
    expect(await folder.read('out.csv')).toBe(
      `${HEADER},Net,Mine\n1,a,b,,,,"typed, by hand",mine\n`,
    );
  });
});

describe('the journal of a run that died', () => {
  it('is merged by the next run', async () => {
    await folder.write('in.csv', `${HEADER}\n1,a,b,,,\n2,c,d,,,\n`);
    await syncAndDie([{ id: '1', values: { Net: '5' } }]);
    await syncAndDie([{ id: '1', values: { Note: 'n' } }]);
    const connector = await prepared();
    const findings = await folder.check();
    expect(findings).toContainEqual(expect.objectContaining({ subject: 'journal', ok: true }));
    expect(await connector.readByIds(['1'], ['Net', 'Note'])).toMatchObject([
      { values: { Net: '5', Note: 'n' } },
    ]);
    await connector.finish();
    await connector.close();
    expect(await folder.rows('in.csv')).toMatchObject([{ Net: '5', Note: 'n' }, { Net: '' }]);
    expect(await readdir(folder.path('.'))).toEqual(['in.csv']);
  });

  it('does not overwrite what a user typed since', async () => {
    await folder.write('in.csv', `${HEADER},Net\n1,a,b,,,,\n`);
    await syncAndDie([{ id: '1', values: { Net: '5' } }]);
    await folder.save('in.csv', `${HEADER},Net\n1,a,b,,,,typed\n`);
    await sync([]);
    expect(await folder.rows('in.csv')).toMatchObject([{ Net: 'typed' }]);
  });

  it('is used up to its last whole line', async () => {
    await folder.write('in.csv', `${HEADER}\n1,a,b,,,\n2,c,d,,,\n`);
    await syncAndDie([{ id: '1', values: { Net: '5' } }]);
    const journal = await folder.read('in.csv.donor-sync-journal');
    await folder.write('in.csv.donor-sync-journal', `${journal}{"id":"2","cells":{"Net":["","6`);
    await syncAndDie([{ id: '2', values: { Note: 'n' } }]);
    await sync([]);
    expect(await folder.rows('in.csv')).toMatchObject([
      { Net: '5', Note: '' },
      { Net: '', Note: 'n' },
    ]);
  });

  it('is spent once the output was replaced, even if it is still there', async () => {
    await folder.write('in.csv', `${HEADER},Net\n1,a,b,,,,\n2,c,d,,,,\n`);
    await syncAndDie([{ id: '1', values: { Net: '5' } }]);
    const journal = await folder.read('in.csv.donor-sync-journal');
    await sync([]);
    const replaced = { replacement: folder.path('in.csv.donor-sync-new') };
    await folder.write('in.csv.donor-sync-journal', `${journal}${JSON.stringify(replaced)}\n`);
    await folder.save('in.csv', `${HEADER},Net\n1,a,b,,,,\n2,c,d,,,,\n`);
    await syncAndDie([{ id: '2', values: { Net: '6' } }]);
    await sync([]);
    expect(await folder.rows('in.csv')).toMatchObject([{ Net: '' }, { Net: '6' }]);
  });
});

describe('groups of a CSV file', () => {
  it('are the rows with a value in a column, and are listed where values are few', async () => {
    const rows = Array.from(
      { length: 30 },
      (_, at) => `${at},a,b,,,,m${at}@x, ${at % 3 ? '' : 'Board '}`,
    );
    await folder.write('in.csv', `${HEADER},Email,Team\n${rows.join('\n')}\n`);
    const connector = await prepared();
    expect(await connector.listGroups()).toEqual([
      { selector: { column: 'Team', equals: 'Board' }, name: 'Team: Board', memberCount: 10 },
    ]);
    await expect(
      toArray(connector.readGroup({ column: 'Comittee', equals: 'Board' })),
    ).rejects.toThrow(/"Comittee".*Email, Team/);
    await connector.close();
  });
});
