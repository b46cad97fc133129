import {
  closeSync,
  existsSync,
  openSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  backUp,
  openBeside,
  Refusal,
  startService,
  verify,
} from '../../../service/operation/index.ts';
import { startRunning } from './running.ts';

const PAGE = 4096;

async function aFile(): Promise<string> {
  const service = await startRunning(['alpha']);
  await service.close();
  return service.file;
}

const serve = (file: string) =>
  startService({
    ...{ db: file, host: '127.0.0.1', port: 0, operatorPort: null, rate: 0, burst: 10 },
    ...{ chargeQueries: false, chargeSingleAdd: false, clock: Date.now, report: () => {} },
  });

function smash(file: string): void {
  const handle = openSync(file, 'r+');
  // Damages all pages except the first pages, which contain the schema.
  for (let at = 5 * PAGE; at < statSync(file).size; at += PAGE) {
    writeSync(handle, Buffer.alloc(PAGE / 2, 0xa5), 0, PAGE / 2, at);
  }
  closeSync(handle);
}

describe('a damaged file', () => {
  it.each([
    ['smashed', smash],
    ['truncated', (file: string) => truncateSync(file, 6 * PAGE)],
    ['text', (file: string) => writeFileSync(file, 'id,name\n'.repeat(2_000))],
  ])('that is %s is named, not served and not copied', async (_, harm) => {
    const file = await aFile();
    harm(file);
    await expect(serve(file)).rejects.toThrow(Refusal);
    const looked = () => {
      const db = openBeside(file);
      try {
        return verify(db, Date.now);
      } finally {
        db.close();
      }
    };
    let named: string[];
    try {
      named = looked();
    } catch (error) {
      named = [String(error)];
    }
    expect(named.join('\n')).toContain('damaged');
    const copied = async () => {
      const db = openBeside(file);
      try {
        await backUp(db, `${file}.copy`);
      } finally {
        db.close();
      }
    };
    await expect(copied()).rejects.toThrow('is damaged');
  });

  it('that is not there is not served as an empty one', async () => {
    const file = `${await aFile()}-typo`;
    await expect(serve(file)).rejects.toThrow(`service teams add NAME --db ${file}`);
    expect(existsSync(file)).toBe(false);
  });

  it('does not hold up a whole one', async () => {
    const service = await serve(await aFile());
    await service.close();
  });
});
