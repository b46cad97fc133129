import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.ts';
import {
  generateKey,
  loadKeyRing,
  parseKeyRing,
} from '../../../src/database/encryption/key-ring.ts';

describe('parseKeyRing', () => {
  it('seals with the first of several named keys and keeps the others', () => {
    const ring = parseKeyRing(`${generateKey('2027')}, ${generateKey('2026')}\n`);
    expect(ring.current.kid).toBe('2027');
    expect(ring.keys.map((key) => key.kid)).toEqual(['2027', '2026']);
  });

  it('names a key without a name by its fingerprint, so that another key has another name', () => {
    const [one, two] = [generateKey(), generateKey()];
    const ring = parseKeyRing(`${two},${one}`);
    expect(ring.keys[1]?.kid).toBe(parseKeyRing(one).current.kid);
    expect(new Set(ring.keys.map((key) => key.kid)).size).toBe(2);
  });

  it('reads both alphabets of base64, padded or not', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    for (const text of [bytes.toString('base64'), bytes.toString('base64url')]) {
      expect(parseKeyRing(text).current.secret.export()).toEqual(bytes);
    }
  });

  const secret = generateKey();
  it.each([
    ['an empty value', ' '],
    ['a passphrase', 'correct horse battery staple'],
    ['a key that is too short', `2026:${secret.slice(0, 30)}`],
    ['a key that is too long', `2026:${secret}${secret}`],
    ['a name and a key in the wrong order', `${secret}:2026`],
    ['a name with spaces', `my key:${secret}`],
    ['a missing key between commas', `${secret},`],
    ['two keys of one name', `2026:${secret},${generateKey('2026')}`],
  ])('refuses %s and shows nothing of it', (_case, text) => {
    const error = errorOf(() => parseKeyRing(text));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: 'secret_key_invalid' });
    expect(String(error)).toContain('DONOR_SYNC_SECRET_KEY');
    expect(String(error)).not.toContain(secret.slice(0, 20));
    expect(String(error)).not.toContain('horse');
  });
});

describe('loadKeyRing', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-keys-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('creates a private key file next to a new database, and uses the same key later', async () => {
    const path = join(folder, 'new', 'store.db');
    const first = await loadKeyRing(undefined, `sqlite:${path}`);
    const second = await loadKeyRing('', `sqlite:${path}`);
    expect(second.current.secret.equals(first.current.secret)).toBe(true);
    expect((await stat(`${path}.key`)).mode & 0o777).toBe(0o600);
  });

  it('makes one key when several processes start at once', async () => {
    const path = join(folder, 'at-once', 'store.db');
    const rings = await Promise.all(
      Array.from({ length: 8 }, () => loadKeyRing(undefined, `sqlite:${path}`)),
    );
    expect(new Set(rings.map((ring) => ring.current.kid)).size).toBe(1);
    expect(parseKeyRing(await readFile(`${path}.key`, 'utf8')).current.kid).toBe(
      rings[0]?.current.kid,
    );
  });

  it('takes the variable and makes no file where it is set', async () => {
    const path = join(folder, 'store.db');
    expect((await loadKeyRing(generateKey('env'), `sqlite:${path}`)).current.kid).toBe('env');
    await expect(stat(`${path}.key`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('says so if the key file holds no key or cannot be made', async () => {
    const path = join(folder, 'broken.db');
    await writeFile(`${path}.key`, '');
    await expect(loadKeyRing(undefined, `sqlite:${path}`)).rejects.toMatchObject({
      code: 'secret_key_invalid',
      message: expect.stringContaining(`${path}.key`),
    });
    const below = `sqlite:${path}.key/store.db`;
    await expect(loadKeyRing(undefined, below)).rejects.toMatchObject({
      code: 'key_file_unusable',
    });
  });

  it('asks for the variable with Postgres', async () => {
    const ring = loadKeyRing(undefined, 'postgres://localhost/crm');
    await expect(ring).rejects.toMatchObject({ kind: 'configuration', code: 'secret_key_missing' });
  });

  it('leaves nothing of a database in memory', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => loadKeyRing(undefined, 'sqlite::memory:')),
    );
    expect(one?.current.kid).not.toBe(two?.current.kid);
  });
});

function errorOf(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
