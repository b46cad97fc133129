import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CsvFolder, openCsvFolder } from './csv-folder.ts';

const WRITER = new URL('../fixtures/csv/writer.ts', import.meta.url).pathname;
const CONTACTS = 400;
const KILLS = 12;
/** A writer never completes this number of runs. The next writer therefore starts with a higher run number. */
const RUNS_PER_WRITER = 1000;

let folder: CsvFolder;
beforeEach(async () => {
  folder = await openCsvFolder();
  const rows = Array.from({ length: CONTACTS }, (_, at) => `${at},First${at},"Last, ${at}",,,`);
  await folder.write('in.csv', `Id,First,Last,Street,City,Employer\n${rows.join('\n')}\n`);
});
afterEach(() => folder.close());

it.each(['in.csv', 'out.csv'])(
  'is whole and loses no acknowledged write, whenever the writer is killed (%s)',
  async (output) => {
    const acknowledged = new Map<string, number>();
    for (let kill = 1; kill <= KILLS; kill += 1) {
      // Some of these writes are the last write of a run. The test then kills the writer during the merge.
      const writes = await writeUntilKilled(output, kill * RUNS_PER_WRITER, kill * 100);
      for (const { id, run } of writes) acknowledged.set(id, run);
      await expectWholeFile(output);
      await expectValues(output, acknowledged);
    }
    const connector = await folder.connector({ settings: { output: folder.path(output) } });
    await connector.finish();
    await connector.close();
    const rows = await folder.rows(output);
    const lost = rows.filter(({ Id = '', Run }) => Number(Run) < (acknowledged.get(Id) ?? 0));
    expect(acknowledged.size).toBe(CONTACTS);
    expect(lost).toEqual([]);
  },
);

/** Kills a writer after the given number of acknowledged writes. */
async function writeUntilKilled(
  output: string,
  runsBefore: number,
  count: number,
): Promise<{ id: string; run: number }[]> {
  const paths = [folder.path('in.csv'), folder.path(output)];
  const child = spawn(process.execPath, [WRITER, ...paths, String(runsBefore)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    printed += text;
    if (printed.split('\n').length > count) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const lines = printed.split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThanOrEqual(count);
  return lines.map((line) => {
    const [status, id = '', run] = line.split(' ');
    expect(status).toBe('written');
    return { id, run: Number(run) };
  });
}

async function expectWholeFile(output: string): Promise<void> {
  const names = await readdir(folder.path('.'));
  const rows = await folder.rows(names.includes(output) ? output : 'in.csv');
  expect(rows.map(({ Id, First, Last }) => [Id, First, Last])).toEqual(
    Array.from({ length: CONTACTS }, (_, at) => [`${at}`, `First${at}`, `Last, ${at}`]),
  );
}

/** The file may also contain the write that was in progress when the writer was killed. */
async function expectValues(output: string, acknowledged: Map<string, number>): Promise<void> {
  const connector = await folder.connector({ settings: { output: folder.path(output) } });
  const found = await connector.readByIds([...acknowledged.keys()], ['Run', 'Note']);
  await connector.close();
  for (const lookup of found) {
    expect(lookup).toMatchObject({ values: { Note: `of ${lookup.id}, "quoted"\nline` } });
    const run = lookup.state === 'found' ? Number(lookup.values['Run']) : 0;
    expect(run).toBeGreaterThanOrEqual(acknowledged.get(lookup.id) ?? 0);
  }
}
