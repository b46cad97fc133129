import { expect, it } from 'vitest';
import { createZip } from '../../../src/interfaces/api/zip.ts';
import { readZip } from './zip-reader.ts';

async function* lines(count: number, text = 'line é') {
  for (let at = 0; at < count; at += 1) yield `${text} ${at}\n`;
}

async function pack(files: Record<string, AsyncIterable<string>>): Promise<Buffer> {
  const written: Uint8Array[] = [];
  const zip = createZip(
    async (bytes) => void written.push(bytes),
    Date.UTC(2026, 10, 29, 12, 30, 10),
  );
  for (const [name, parts] of Object.entries(files)) await zip.add(name, parts);
  await zip.finish();
  return Buffer.concat(written);
}

it('has every file as it was written, also an empty one', async () => {
  const files = readZip(
    await pack({ 'a.csv': lines(3), 'empty.txt': lines(0), 'é.csv': lines(1) }),
  );
  expect([...files]).toEqual([
    ['a.csv', 'line é 0\nline é 1\nline é 2\n'],
    ['empty.txt', ''],
    ['é.csv', 'line é 0\n'],
  ]);
});

it('is no ZIP file before it is finished', async () => {
  const whole = await pack({ 'a.csv': lines(1_000) });
  expect(() => readZip(whole.subarray(0, -22))).toThrow('no table of contents');
});

it('stops reading a file that nobody accepts', async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read += 1;
      yield Buffer.from(crypto.getRandomValues(new Uint8Array(6_000))).toString('base64');
    }
  }
  const refusing = createZip(
    async () => {
      if (read > 0) throw new Error('gone');
    },
    Date.UTC(2026, 10, 29),
  );
  await expect(refusing.add('a.csv', endless())).rejects.toThrow('gone');
  expect(read).toBeLessThan(1_000);
});
