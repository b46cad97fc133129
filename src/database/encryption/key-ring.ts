import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { ConfigurationError } from '../../core/errors.ts';
import { parseDatabaseUrl } from '../database-url.ts';
import { readOrCreateKeyFile } from './key-file.ts';

/** An encryption key (AES-256). Its bytes stay inside the KeyObject, which never prints them. */
export interface SealingKey {
  /** The key ID that is stored with each encrypted value. */
  kid: string;
  secret: KeyObject;
}

/** The first key encrypts. All keys can decrypt. */
export interface KeyRing {
  current: SealingKey;
  keys: readonly SealingKey[];
}

const KEY_BYTES = 32;
/** The form of a key's name. Names appear in messages and in the log. */
export const KID = /^[A-Za-z0-9._-]{1,32}$/;
/** 32 bytes in base64, in either alphabet, with or without padding. */
const KEY_TEXT = /^[A-Za-z0-9+/_-]{43}=?$/;
const DERIVED_KID_LENGTH = 8;

/**
 * Returns the keys for a database. `secretKey` is the value of DONOR_SYNC_SECRET_KEY. If it is not set, a database file
 * gets its own key in a file next to it (`PATH.key`), so a first try needs no setup. With Postgres, other processes
 * need the same key, so a missing key throws a ConfigurationError.
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

/** Returns the file that contains the key, or null if the key is set elsewhere or is only in memory. */
export function findKeyFile(secretKey: string | undefined, databaseUrl: string): string | null {
  const location = parseDatabaseUrl(databaseUrl);
  if (secretKey?.trim() || location.kind === 'postgres' || location.path === null) return null;
  return keyFilePath(location.path);
}

/** Returns the existing keys, or null if there are none. Never creates a key. */
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

/** Returns the path of a database file's key file, which is used if no other key is set. */
export function keyFilePath(databasePath: string): string {
  return `${databasePath}.key`;
}

/**
 * Parses one or several keys, separated by commas. The current key comes first. A key is 32 bytes in base64, with or
 * without a name before it (`2026:…`). A key without a name is named by its fingerprint, so to rotate, you put the new
 * key before the old one. Error messages call the text `source` and never contain any part of it.
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

/** Returns a new key in the form that `parseKeyRing` reads, from the random source of the operating system. */
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

/**
 * Returns a name for a key. It is a hash, which reveals nothing about 32 random bytes and is different for different
 * keys.
 */
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
