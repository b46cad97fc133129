import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { ConfigurationError } from '../../core/errors.ts';
import { parseDatabaseUrl } from '../database-url.ts';
import { readOrCreateKeyFile } from './key-file.ts';

/** A key for sealing, AES-256. Its bytes stay inside the KeyObject, which prints nothing. */
export interface SealingKey {
  /** The key id that each sealed value carries. */
  kid: string;
  secret: KeyObject;
}

/** The first key seals; all of them open. */
export interface KeyRing {
  current: SealingKey;
  keys: readonly SealingKey[];
}

const KEY_BYTES = 32;
/** Names of keys stand in messages and in the log. */
export const KID = /^[A-Za-z0-9._-]{1,32}$/;
/** 32 bytes in base64, in either alphabet, with or without the padding. */
const KEY_TEXT = /^[A-Za-z0-9+/_-]{43}=?$/;
const DERIVED_KID_LENGTH = 8;

/**
 * The keys for a database. `secretKey` is the value of DONOR_SYNC_SECRET_KEY. Where it is unset,
 * a database file gets a key of its own in a file beside it (`PATH.key`), so that a first try
 * needs nothing; Postgres, where other processes need the same key, is a ConfigurationError.
 */
export async function loadKeyRing(
  secretKey: string | undefined,
  databaseUrl: string,
): Promise<KeyRing> {
  if (secretKey?.trim()) return parseKeyRing(secretKey);
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind === 'postgres') throw keyMissing();
  if (location.path === null) return parseKeyRing(generateKey());
  const path = keyFilePath(location.path);
  return parseKeyRing(await readOrCreateKeyFile(path, generateKey), `The key file ${path}`);
}

/** The keys that are here; null if there are none. No key is made for a database by this. */
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

/** Where the key of a database file is, if no other is given. */
export function keyFilePath(databasePath: string): string {
  return `${databasePath}.key`;
}

/**
 * Reads one or several keys, separated by commas, the current one first. A key is 32 bytes in
 * base64, with a name before it (`2026:…`) or without; one without is named by its fingerprint,
 * so that rotation is to put the new key before the old one. `source` is how errors call it; they
 * never hold any of the text itself.
 */
export function parseKeyRing(text: string, source = 'DONOR_SYNC_SECRET_KEY'): KeyRing {
  const keys = text
    .split(',')
    .map((entry, index) => parseKey(entry.trim(), `${source}, key number ${index + 1}`));
  const kids = new Set(keys.map((key) => key.kid));
  if (kids.size < keys.length) {
    throw keyInvalid(`${source} has two keys of the same name. Give each key its own name.`);
  }
  const [current] = keys;
  if (!current) throw keyInvalid(`${source} is empty. ${HOW_TO_MAKE_A_KEY}`);
  return { current, keys };
}

/** A new key as `parseKeyRing` reads it, from the random source of the operating system. */
export function generateKey(kid?: string): string {
  const key = randomBytes(KEY_BYTES).toString('base64');
  return kid === undefined ? key : `${kid}:${key}`;
}

const HOW_TO_MAKE_A_KEY =
  'A key is 32 random bytes in base64; make one with: openssl rand -base64 32';

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
      `${subject} has a name that cannot be used. Names have up to 32 letters, digits, dots, dashes and underscores.`,
    );
  }
  return { kid, secret: createSecretKey(bytes) };
}

/** A hash says nothing about 32 random bytes, and other bytes give another name. */
function derivedKid(key: Buffer): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, DERIVED_KID_LENGTH);
}

function keyInvalid(message: string): ConfigurationError {
  return new ConfigurationError(message, { code: 'secret_key_invalid' });
}

function keyMissing(): ConfigurationError {
  return new ConfigurationError(
    `With Postgres the environment variable DONOR_SYNC_SECRET_KEY must be set, to the same value for every process. ${HOW_TO_MAKE_A_KEY}`,
    { code: 'secret_key_missing' },
  );
}
