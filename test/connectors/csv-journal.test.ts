import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { toArray } from './connector-options.ts';
import { type ConnectorChoices, type CsvFolder, openCsvFolder } from './csv-folder.ts';

const WRITER = new URL('../fixtures/csv/writer.ts', import.meta.url).pathname;
const HEADER = 'Id,First,Last,Street,City,Employer';

let folder: CsvFolder;
beforeEach(async () => {
  folder = await openCsvFolder();
});
afterEach(() => folder.close());

async function prepared(): Promise<Connector> {
  const connector = await folder.connector();
  return connector;
}

const write = (connector: Connector, id: string, values: Record<string, string>) =>
  toArray(connector.write([{ id, values }]));

describe('the journal of a CSV integration', () => {
  it('acknowledges nothing that the disk has taken only in part', async () => {
    const rows = Array.from({ length: 400 }, (_, at) => `${at},First${at},Last,,,`);
    await folder.write('in.csv', `${HEADER}\n${rows.join('\n')}\n`);
    // The file can grow to 18 KiB (36 blocks of 512 bytes). The system cuts off a longer write at this size.
    const limited = 'trap \'\' XFSZ; ulimit -f 36; exec "$@"';
    const paths = [folder.path('in.csv'), folder.path('in.csv')];
    const child = spawn('sh', ['-c', limited, 'sh', process.execPath, WRITER, ...paths, '0']);
    const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(complaint).toContain('EFBIG');
    const acknowledged = printed.split('\n').slice(0, -1);
    expect(acknowledged.length).toBeGreaterThan(0);

    const connector = await prepared();
    await connector.finish();
    await connector.close();
    // The file may also contain the complete lines of a write that failed halfway.
    const written = (await folder.rows('in.csv')).filter(({ Run }) => Run === '1');
    expect(written.map(({ Id }) => `written ${Id} 1`)).toEqual(
      expect.arrayContaining(acknowledged),
    );
  });

  it('loses no acknowledged write to another process that works on the same file', async () => {
    await folder.write('in.csv', `${HEADER}\n1,Ann,Lee,,,\n2,Bea,Lee,,,\n`);
    const one = await prepared();
    await write(one, '1', { Net: '5' });
    const other = await prepared();
    await write(one, '2', { Net: '6' });
    await expect(write(other, '1', { Age: '50' })).rejects.toMatchObject({
      kind: 'retriable',
      code: 'csv_journal_shared',
    });
    await expect(other.finish()).rejects.toMatchObject({ code: 'csv_journal_shared' });
    await other.close();
    await one.finish();
    await one.close();
    expect(await folder.rows('in.csv')).toMatchObject([{ Net: '5' }, { Net: '6' }]);
  });

  it('acknowledges nothing once another process has taken the journal away', async () => {
    await folder.write('in.csv', `${HEADER}\n1,Ann,Lee,,,\n2,Bea,Lee,,,\n`);
    const one = await prepared();
    await write(one, '1', { Net: '5' });
    const other = await prepared();
    await other.finish();
    await other.close();
    await expect(write(one, '2', { Net: '6' })).rejects.toMatchObject({
      code: 'csv_journal_shared',
    });
    await one.close();
    expect(await folder.rows('in.csv')).toMatchObject([{ Net: '5' }, { Net: '' }]);
  });
});

describe('a contact who is erased from a CSV integration', () => {
  const isErased = (id: string) => id === '1';

  /** Leaves two changes of a run in the journal. */
  async function openPending(options?: ConnectorChoices): Promise<void> {
    await folder.write('in.csv', `${HEADER}\n1,Ann,Lee,,,\n2,Bea,Lee,,,\n`);
    const one = await folder.connector(options);
    await write(one, '1', { Net: 'erased value' });
    await write(one, '2', { Net: '6' });
    await write(one, '1', { Age: 'erased age' });
    await one.close();
  }

  it('leaves no pending change to be merged, and all of the others', async () => {
    await openPending();
    const connector = await prepared();
    expect(await connector.erase?.(isErased)).toBe(2);
    expect(await folder.read('in.csv.donor-sync-journal')).not.toContain('erased');
    const [lookup] = await connector.readByIds(['1'], ['Net']);
    expect(lookup).toMatchObject({ values: { Net: null } });
    await connector.finish();
    await connector.close();
    expect(await folder.rows('in.csv')).toMatchObject([{ Net: '' }, { Net: '6' }]);
  });

  it('can be written to afterwards, for example to clear a field', async () => {
    await folder.write('in.csv', `${HEADER},Net\n1,Ann,Lee,,,,5\n`);
    const connector = await prepared();
    await write(connector, '1', { Net: '7' });
    expect(await connector.erase?.(isErased)).toBe(1);
    await toArray(connector.write([{ id: '1', values: { Net: null } }]));
    await connector.finish();
    await connector.close();
    expect(await folder.rows('in.csv')).toMatchObject([{ Net: '' }]);
  });

  it.each([{ output: undefined }, { output: 'out.csv' }])(
    'leaves no output that a kill has left half-made, and loses no change of others: %j',
    async ({ output }) => {
      const choices = output === undefined ? {} : { settings: { output: folder.path(output) } };
      await openPending(choices);
      const target = output ?? 'in.csv';
      const replacement = `${target}.donor-sync-new`;
      // The run was killed before it moved the new output into place.
      const journal = await folder.read(`${target}.donor-sync-journal`);
      const ready = JSON.stringify({ replacement: folder.path(replacement) });
      await folder.write(`${target}.donor-sync-journal`, `${journal}${ready}\n`);
      await folder.write(`${target}.donor-sync-journal.new`, 'erased value');
      await folder.write(replacement, 'erased value');
      const connector = await folder.connector(choices);
      await connector.erase?.(isErased);
      await connector.close();
      const files = await readdir(folder.path('.'));
      const texts = await Promise.all(files.map((name) => folder.read(name)));
      expect(texts.join('\n')).not.toContain('erased');

      const next = await folder.connector(choices);
      await next.finish();
      await next.close();
      expect(await folder.rows(target)).toMatchObject([{ Net: '' }, { Net: '6' }]);
    },
  );

  it('loses no change of others even if the journal has nothing of the erased one', async () => {
    await openPending();
    const replacement = folder.path('in.csv.donor-sync-new');
    const journal = await folder.read('in.csv.donor-sync-journal');
    const ready = JSON.stringify({ replacement });
    await folder.write('in.csv.donor-sync-journal', `${journal}${ready}\n`);
    await folder.write('in.csv.donor-sync-new', 'half');
    const connector = await prepared();
    expect(await connector.erase?.(() => false)).toBe(0);
    await connector.close();
    const next = await prepared();
    await next.finish();
    await next.close();
    expect(await folder.rows('in.csv')).toMatchObject([{ Net: 'erased value' }, { Net: '6' }]);
  });

  it('merges nothing once more that is in the output already', async () => {
    await openPending();
    const journal = await folder.read('in.csv.donor-sync-journal');
    const ready = JSON.stringify({ replacement: folder.path('in.csv.donor-sync-new') });
    await folder.write('in.csv.donor-sync-journal', `${journal}${ready}\n`);
    const connector = await prepared();
    expect(await connector.erase?.(isErased)).toBe(0);
    await connector.finish();
    await connector.close();
    expect(await readdir(folder.path('.'))).toEqual(['in.csv']);
    expect((await folder.rows('in.csv'))[1]).not.toHaveProperty('Net');
  });
});
