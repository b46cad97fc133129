import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeUpload } from '../../../src/clients/setup/uploads.ts';
import { leastCpuTimeMs } from '../../helpers/cpu-time.ts';

const BYTES = 4 * 1_024 * 1_024;
const ROW = '4711,Ada,Vale,"12 Elm St, Apt 4",Springfield,Acme Inc.\n';
const ORDINARY = `Donor ID,First Name,Last Name,Street,City,Employer\n${ROW}`;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-uploads-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('an uploaded file', () => {
  it.each<[string, string, string]>([
    ['an ordinary list', ORDINARY, ROW],
    ['a header of brackets', 'Id,First,Last,', '('],
    ['a header of columns without end', 'Id,First,Last', ',Column'],
    ['one quote after the other', 'Id,First,Last\n', '"'],
    ['a value that does not end', 'Id,First,Last\n1,"', '""'],
    ['rows of commas', 'Id,First,Last\n', ',,,,,,,,'],
    ['a row for each two bytes', 'Id,First,Last\n', '1\n'],
    ['line ends alone', 'Id,First,Last\n', '\r'],
    ['each kind of delimiter', 'Id;First,Last\tName|', ';,\t|'],
    ['blanks', '', ' '],
  ])('is read in a separate thread, so other requests do not wait: %s', async (_, start, piece) => {
    const content = Buffer.from(start + piece.repeat((BYTES - start.length) / piece.length));
    const take = () =>
      takeUpload(inFolder(), content).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'csv_unreadable' });
      });
    expect(await leastCpuTimeMs(200, take)).toBeLessThan(200);
  });

  it.each([
    ['too long', { mostTimeMs: 1, mostMemoryMb: 512 }],
    ['too much memory', { mostTimeMs: 60_000, mostMemoryMb: 8 }],
  ])('is refused and deleted if reading it takes %s', async (_, limits) => {
    const content = Buffer.from(ORDINARY + ROW.repeat(BYTES / ROW.length));
    await expect(takeUpload(inFolder(), content, {}, limits)).rejects.toMatchObject({
      code: 'csv_unreadable',
      message: expect.stringContaining('takes too long or too much memory'),
    });
    expect(await readdir(join(folder, 'uploads'))).toEqual([]);
    expect(await takeUpload(inFolder(), content)).toMatchObject({
      guess: { lastName: 'Last Name' },
    });
  });
});

function inFolder() {
  return { database: `sqlite:${join(folder, 'store.db')}` };
}
