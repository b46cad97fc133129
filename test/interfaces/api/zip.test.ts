import { expect, it } from 'vitest';
import { createZip } from '../../../src/interfaces/api/zip.ts';
import { readZip } from './zip-reader.ts';

const NOW = Date.UTC(2026, 10, 29, 12, 30, 10);

async function* lines(count: number, text = 'line é') {
  for (let at = 0; at < count; at += 1) yield `${text} ${at}\n`;
}

/**
 * Creates many parts that are hard to compress. `state` shows how many parts were read, and whether they were closed.
 */
function manyParts(count = Number.POSITIVE_INFINITY) {
  const state = { read: 0, isClosed: false };
  async function* parts() {
    try {
      for (; state.read < count; state.read += 1) {
        yield Buffer.from(crypto.getRandomValues(new Uint8Array(6_000))).toString('base64');
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { state, parts: parts() };
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}

async function pack(files: Record<string, AsyncIterable<string>>): Promise<Buffer> {
  const zip = await createZip(NOW);
  const whole = collect(zip.bytes);
  for (const [name, parts] of Object.entries(files)) await zip.add(name, parts);
  zip.finish();
  return whole;
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

it('is read no faster than its reader takes it', async () => {
  const zip = await createZip(NOW);
  const { state, parts } = manyParts(2_000);
  const added = zip.add('a.csv', parts);
  const iterator = zip.bytes[Symbol.asyncIterator]();
  await iterator.next();
  let before = -1;
  while (before < state.read) {
    before = state.read;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(state.read).toBeLessThan(200);
  while ((await iterator.next()).value !== undefined && state.read < 2_000);
  zip.finish();
  while ((await iterator.next()).done !== true);
  await added;
  expect(state).toEqual({ read: 2_000, isClosed: true });
});

it('stops reading a file when its reader leaves, and reads no further one', async () => {
  const zip = await createZip(NOW);
  const { state, parts } = manyParts();
  const added = zip.add('a.csv', parts);
  const refused = expect(added).rejects.toThrow('a.csv was not read to its end.');
  for await (const _ of zip.bytes) if (state.read > 50) break;
  await refused;
  expect(state.isClosed).toBe(true);
  const next = manyParts();
  await expect(zip.add('b.csv', next.parts)).rejects.toThrow('b.csv was not read to its end.');
  expect(next.state.isClosed).toBe(true);
});

it('fails with the error of a file, and has no end', async () => {
  const zip = await createZip(NOW);
  const got: Uint8Array[] = [];
  const whole = (async () => {
    for await (const part of zip.bytes) got.push(part);
  })();
  async function* failing() {
    yield* lines(10);
    throw new Error('the database is gone');
  }
  const added = zip.add('a.csv', failing());
  added.catch(zip.abort);
  await expect(added).rejects.toThrow('the database is gone');
  await expect(whole).rejects.toThrow('the database is gone');
  expect(() => readZip(Buffer.concat(got))).toThrow('no table of contents');
});

it('has nothing of a file whose first part cannot be read', async () => {
  const zip = await createZip(NOW);
  const next = () => Promise.reject(new Error('the database is gone'));
  const failing = { [Symbol.asyncIterator]: () => ({ next }) };
  await expect(zip.add('a.csv', failing)).rejects.toThrow('the database is gone');
  zip.finish();
  expect(readZip(await collect(zip.bytes)).size).toBe(0);
});
