import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { ConfigurationError } from '../../core/errors.ts';
import { parseDatabaseUrl } from '../database-url.ts';
import { readOrCreateKeyFile } from './key-file.ts';

/** An encryption key (AES-256). A KeyObject never prints its bytes. */
export interface SealingKey {
  /** The key ID that is stored with each encrypted value. */
  kid: string;
  secret: KeyObject;
}

/** The encryption keys. The first key encrypts. All keys can decrypt. */
export interface KeyRing {
  current: SealingKey;
  keys: readonly SealingKey[];
}

const KEY_BYTES = 32;
/** The valid form of a key's name. Names appear in messages and in the log. */
export const KID = /^[A-Za-z0-9._-]{1,32}$/;
const KEY_TEXT = /^[A-Za-z0-9+/_-]{43}=?$/;
const DERIVED_KID_LENGTH = 8;

/**
 * Loads the encryption keys. `secretKey` is the value of DONOR_SYNC_SECRET_KEY. If DONOR_SYNC_SECRET_KEY is not set,
 * the key of a database file is in a file next to it (`PATH.key`), so that a first try needs no set-up. For Postgres,
 * throws a ConfigurationError without a key, because other processes need the same key.
 */
export async function loadKeyRing(
  secretKey: string | undefined,
  databaseUrl: string,
): Promise<KeyRing> {
  if (secretKey?.trim()) return parseKeyRing(secretKey);
  if (parseDatabaseUrl(databaseUrl).kind === 'postgres') throw keyMissing();
  const path = findKeyFile(secretKey, databaseUrl);
  if (path === null) return parseKeyRing(generateKey());
  return parseKeyRing(await readOrCreateKeyFile(path, generateKey), `The key file ${path}`);
}

export function findKeyFile(secretKey: string | undefined, databaseUrl: string): string | null {
  const location = parseDatabaseUrl(databaseUrl);
  if (secretKey?.trim() || location.kind === 'postgres' || location.path === null) return null;
  return keyFilePath(location.path);
}

/** Returns the existing keys, or null if there are none. Creates no key. */
export async function findKeyRing(
  secretKey: string | undefined,
  databaseUrl: string,
): Promise<KeyRing | null> {
  const location = parseDatabaseUrl(databaseUrl);
  const hasFile =
    location.kind === 'sqlite' &&
    location.path !== null &&
    (await access(keyFilePath(location.path)).then(
      () => true,
      () => false,
    ));
  return secretKey?.trim() || hasFile ? loadKeyRing(secretKey, databaseUrl) : null;
}

export function keyFilePath(databasePath: string): string {
  return `${databasePath}.key`;
}

/**
 * Parses keys that are separated by commas. The first key is the current key. A key is 32 bytes in base64, optionally
 * with a name (`2026:…`). A key without a name is named by its fingerprint. To rotate the key, put the new key first.
 * Error messages contain `source`, but never a key.
 */
export function parseKeyRing(text: string, source = 'DONOR_SYNC_SECRET_KEY'): KeyRing {
  const keys = text
    .split(',')
    .map((entry, index) => parseKey(entry.trim(), `${source}, key number ${index + 1}`));
  const kids = new Set(keys.map((key) => key.kid));
  if (kids.size < keys.length) {
    throw keyInvalid(`${source} has two keys with the same name. Give each key a different name.`);
  }
  const [current] = keys;
  if (!current) throw keyInvalid(`${source} is empty. ${HOW_TO_MAKE_A_KEY}`);
  return { current, keys };
}

/** Returns a new random key for `parseKeyRing`. The key comes from the operating system's random source. */
export function generateKey(kid?: string): string {
  const key = randomBytes(KEY_BYTES).toString('base64');
  return kid === undefined ? key : `${kid}:${key}`;
}

const HOW_TO_MAKE_A_KEY =
  'A key is 32 random bytes in base64. Create one with: openssl rand -base64 32';

function parseKey(entry: string, subject: string): SealingKey {
  const colon = entry.indexOf(':');
  const text = entry.slice(colon + 1);
  if (!KEY_TEXT.test(text)) {
    throw keyInvalid(`${subject} is not a key. ${HOW_TO_MAKE_A_KEY}`);
  }
  const bytes = Buffer.from(text, 'base64');
  const kid = colon === -1 ? derivedKid(bytes) : entry.slice(0, colon);
  if (!KID.test(kid)) {
    throw keyInvalid(
      `${subject} has an invalid name. Names consist of up to 32 letters, digits, dots, dashes and underscores.`,
    );
  }
  return { kid, secret: createSecretKey(bytes) };
}

/** Returns a name for a key. The name is a hash, which reveals nothing about 32 random bytes. */
function derivedKid(key: Buffer): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, DERIVED_KID_LENGTH);
}

function keyInvalid(message: string): ConfigurationError {
  return new ConfigurationError(message, { code: 'secret_key_invalid' });
}

function keyMissing(): ConfigurationError {
  return new ConfigurationError(
    `With Postgres the environment variable DONOR_SYNC_SECRET_KEY must be set to the same value for every process. ${HOW_TO_MAKE_A_KEY}`,
    { code: 'secret_key_missing' },
  );
}
