import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { toArray } from './connector-options.ts';
import { type CsvFolder, openCsvFolder } from './csv-folder.ts';

const WRITER = new URL('../fixtures/csv/writer.ts', import.meta.url).pathname;
const HEADER = 'Id,First,Last,Street,City,Employer';

let folder: CsvFolder;
beforeEach(async () => {
  folder = await openCsvFolder();
});
afterEach(() => folder.close());

async function prepared(): Promise<Connector> {
  const connector = folder.connector();
  await connector.prepare();
  return connector;
}

const write = (connector: Connector, id: string, values: Record<string, string>) =>
  toArray(connector.write([{ id, values }]));

describe('the journal of a CSV integration', () => {
  it('acknowledges nothing that the disk has taken only in part', async () => {
    const rows = Array.from({ length: 400 }, (_, at) => `${at},First${at},Last,,,`);
    await folder.write('in.csv', `${HEADER}\n${rows.join('\n')}\n`);
    // The file may grow to 18 KiB (512 bytes each): a write that crosses that is cut there.
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
    // Whole lines of a write that failed in its middle may be there too.
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
      ...{ kind: 'retriable', code: 'csv_journal_shared' },
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
