import { createCipheriv, createDecipheriv } from 'node:crypto';
import { z } from 'zod';
import { ConfigurationError, FatalError } from '../../core/errors.ts';
import { createDraws } from './draws.ts';
import { type KeyRing, KID, type SealingKey } from './key-ring.ts';

/**
 * The place of an encrypted text in the database. Decrypting the text at any other place fails. `seal-contexts.ts`
 * lists all places.
 */
export interface SealContext {
  table: string;
  column: string;
  /** The values that identify the row, including the row's key and its owner. */
  row: readonly [string, ...string[]];
}

/** Encrypts text that only the key's owner can read. Used for every stored secret. */
/** The encrypted text reveals only its length. */
export const NOTHING_SEALED = '{}';

export interface Sealer {
  /** Encrypts a text with the current key. Equal texts result in different encrypted texts. */
  seal(text: string, place: SealContext): string;
  /**
   * Decrypts a text. Throws a ConfigurationError with the key's name if the key is missing. Throws a FatalError if
   * someone has changed or moved the value, or if a newer version has written it.
   */
  open(sealed: string, place: SealContext): string;
  /** True if the value is encrypted with the current key. A rotation replaces all other values. */
  isCurrent(sealed: string): boolean;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Marks a value that is bound to its place. Values without this mark cannot be decrypted. */
const BOUND = 'row-bound';

const headerSchema = z.strictObject({
  alg: z.literal('dir'),
  enc: z.literal('A256GCM'),
  kid: z.string().regex(KID),
  typ: z.literal(BOUND),
});

/**
 * Uses compact JWE (RFC 7516) with direct A256GCM and the key ID in the header. The place is additional authenticated
 * data. The encrypted text does not contain the place, because the reader knows it. Any JOSE library can decrypt a
 * value with the key, the table, the column and the row.
 *
 * `node:crypto` is synchronous and many times faster than WebCrypto. JOSE libraries use WebCrypto. Each page of
 * contacts needs hundreds of encryptions, so the speed matters.
 */
export function createSealer({ current, keys }: KeyRing): Sealer {
  const currentHeader = base64url(
    Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: current.kid, typ: BOUND })),
  );

  const nextIv = createDraws(IV_BYTES);

  function seal(text: string, place: SealContext): string {
    const iv = nextIv();
    const cipher = createCipheriv(CIPHER, current.secret, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundData(currentHeader, place));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    // The encrypted content key is the second of five parts. With `dir`, this part is empty.
    return [
      currentHeader,
      '',
      base64url(iv),
      base64url(encrypted),
      base64url(cipher.getAuthTag()),
    ].join('.');
  }

  function open(sealed: string, place: SealContext): string {
    const parts = parseParts(sealed, place);
    const { header } = parts;
    if (header === currentHeader) {
      return decrypt(parts, current, boundData(header, place), place);
    }
    const { kid } = parseHeader(header, place);
    return decrypt(parts, getKey(keys, kid), boundData(header, place), place);
  }

  return { seal, open, isCurrent: (sealed) => sealed.startsWith(`${currentHeader}.`) };
}

interface Parts {
  header: string;
  iv: string;
  encrypted: string;
  tag: string;
}

function parseParts(sealed: string, place: SealContext): Parts {
  // SQLite returns bytes if another program has stored bytes in the column.
  if (typeof sealed !== 'string') throw damaged(place);
  const [header = '', wrappedKey, iv = '', encrypted = '', tag = '', ...rest] = sealed.split('.');
  if (wrappedKey !== '' || rest.length > 0) throw damaged(place);
  return { header, iv, encrypted, tag };
}

function decrypt(
  { iv, encrypted, tag }: Parts,
  { kid, secret }: SealingKey,
  authenticated: Buffer,
  place: SealContext,
): string {
  try {
    const decipher = createDecipheriv(CIPHER, secret, Buffer.from(iv, 'base64url'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(authenticated);
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return decipher.update(encrypted, 'base64url', 'utf8') + decipher.final('utf8');
  } catch (error) {
    throw damaged(place, kid, error);
  }
}

/** Returns the data to which a value is bound. JSON separates the parts of the data unambiguously. */
function boundData(header: string, { table, column, row }: SealContext): Buffer {
  const place = Buffer.from(JSON.stringify([table, column, ...row]));
  return Buffer.from(`${header}.${base64url(place)}`, 'ascii');
}

function getKey(keys: readonly SealingKey[], kid: string): SealingKey {
  const key = keys.find((candidate) => candidate.kid === kid);
  if (!key) throw keyUnknown(kid);
  return key;
}

function parseHeader(header: string, place: SealContext): z.infer<typeof headerSchema> {
  try {
    return headerSchema.parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
  } catch {
    throw damaged(place);
  }
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url');
}

function keyUnknown(kid: string): ConfigurationError {
  return new ConfigurationError(
    `A secret in the database was encrypted with the key "${kid}", which is not available here. Add that key to DONOR_SYNC_SECRET_KEY, after the current one and a comma. A key that was created for a database file is next to it, in the file that ends in ".key".`,
    { code: 'secret_key_unknown', details: { kid } },
  );
}

/**
 * Creates the error for an unreadable value. The error does not name the row, because the row's key may be a person's
 * ID.
 */
function damaged({ table, column }: SealContext, kid?: string, cause?: unknown): FatalError {
  const suspicion =
    kid === undefined
      ? 'It was changed, or this version does not recognise its form.'
      : `It was changed or moved here from another row, or the key "${kid}" is not the one that encrypted it.`;
  return new FatalError(
    `A secret in the database (${table}.${column}) cannot be decrypted. ${suspicion} Find out who else writes to the database.`,
    { code: 'sealed_value_damaged', cause, details: { table, column } },
  );
}
