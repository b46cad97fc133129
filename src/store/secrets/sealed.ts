import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ConfigurationError, FatalError } from '../../core/errors.ts';
import { type KeyRing, KID, type SealingKey } from './key-ring.ts';

/** Where a sealed text stands. In any other place it does not open: `seal-places.ts` has them all. */
export interface SealPlace {
  table: string;
  column: string;
  /** What the row is known by: its key, and whose it is. */
  row: readonly [string, ...string[]];
}

/** Text that only the holder of the key can read, for every secret at rest. */
export interface Sealer {
  /** Seals with the current key. The same text gives another result each time. */
  seal(text: string, place: SealPlace): string;
  /**
   * The text inside. A ConfigurationError that names the key if the ring lacks it; a FatalError
   * if the value was changed, sealed for another place, or sealed for none.
   */
  open(sealed: string, place: SealPlace): string;
  /** True if the current key sealed it for a place; otherwise rotation still has to reseal it. */
  isCurrent(sealed: string): boolean;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const IVS_DRAWN = 256;

/** What the header of a text says that is sealed for its place; older ones say nothing. */
const BOUND = 'row-bound';

const headerSchema = z.strictObject({
  alg: z.literal('dir'),
  enc: z.literal('A256GCM'),
  kid: z.string().regex(KID),
  typ: z.literal(BOUND).optional(),
});

/**
 * Seals as JWE in compact form (RFC 7516): direct encryption with A256GCM, the key id in the
 * header. The place is additional authenticated data, the `aad` of the JSON form, which is not
 * stored: the reader knows where it reads. Any JOSE library opens it with both. This one is written
 * on `node:crypto` because that is synchronous and many times as fast as WebCrypto, which those
 * libraries use: a page of contacts seals hundreds of values.
 */
export function createSealer({ current, keys }: KeyRing): Sealer {
  const currentHeader = base64url(
    Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: current.kid, typ: BOUND })),
  );

  const nextIv = createIvs();

  function seal(text: string, place: SealPlace): string {
    const iv = nextIv();
    const cipher = createCipheriv(CIPHER, current.secret, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundData(currentHeader, place));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    // The second of the five parts is the encrypted content key, which `dir` has not.
    return [
      currentHeader,
      '',
      base64url(iv),
      base64url(encrypted),
      base64url(cipher.getAuthTag()),
    ].join('.');
  }

  function open(sealed: string, place: SealPlace): string {
    const parts = partsOf(sealed, place);
    const { header } = parts;
    if (header === currentHeader) {
      return decrypt(parts, current, boundData(header, place), place);
    }
    const { kid, typ } = parseHeader(header, place);
    const key = keyOf(keys, kid);
    if (typ === undefined) throw unbound(place);
    return decrypt(parts, key, boundData(header, place), place);
  }

  return { seal, open, isCurrent: (sealed) => sealed.startsWith(`${currentHeader}.`) };
}

/** Random initialization vectors, drawn many at a time: a system call for each costs more than a seal. */
function createIvs(): () => Buffer {
  let drawn = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at === drawn.length) {
      drawn = randomBytes(IV_BYTES * IVS_DRAWN);
      at = 0;
    }
    const iv = drawn.subarray(at, at + IV_BYTES);
    at += IV_BYTES;
    return iv;
  };
}

/** True of a text that was sealed for a place, by whatever key. */
export function isBound(sealed: string): boolean {
  const [header = ''] = sealed.split('.', 1);
  return readHeader(header)?.typ === BOUND;
}

/** The way into texts that were sealed for no place, as older versions did; for `bind-seals.ts` alone. */
export interface UnboundOpener {
  /** Throws as `Sealer.open` does; `place` is where the text was found. */
  open(sealed: string, place: SealPlace): string;
  /** True if the key of this id is here. */
  has(kid: string): boolean;
}

export function createUnboundOpener({ keys }: KeyRing): UnboundOpener {
  return {
    open(sealed, place) {
      const parts = partsOf(sealed, place);
      const { kid } = parseHeader(parts.header, place);
      return decrypt(parts, keyOf(keys, kid), Buffer.from(parts.header, 'ascii'), place);
    },
    has: (kid) => keys.some((key) => key.kid === kid),
  };
}

/** The id of the key that sealed a text; null of what is no sealed text. */
export function sealingKid(sealed: string): string | null {
  const [header = ''] = sealed.split('.', 1);
  return readHeader(header)?.kid ?? null;
}

interface Parts {
  header: string;
  iv: string;
  encrypted: string;
  tag: string;
}

function partsOf(sealed: string, place: SealPlace): Parts {
  const [header = '', wrappedKey, iv = '', encrypted = '', tag = '', ...rest] = sealed.split('.');
  if (wrappedKey !== '' || rest.length > 0) throw damaged(place);
  return { header, iv, encrypted, tag };
}

function decrypt(
  { iv, encrypted, tag }: Parts,
  { kid, secret }: SealingKey,
  authenticated: Buffer,
  place: SealPlace,
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

/** JSON keeps the parts apart, whatever characters they hold. */
function boundData(header: string, { table, column, row }: SealPlace): Buffer {
  const place = Buffer.from(JSON.stringify([table, column, ...row]));
  return Buffer.from(`${header}.${base64url(place)}`, 'ascii');
}

function keyOf(keys: readonly SealingKey[], kid: string): SealingKey {
  const key = keys.find((candidate) => candidate.kid === kid);
  if (!key) throw keyUnknown(kid);
  return key;
}

function parseHeader(header: string, place: SealPlace): z.infer<typeof headerSchema> {
  const parsed = readHeader(header);
  if (parsed === null) throw damaged(place);
  return parsed;
}

function readHeader(header: string): z.infer<typeof headerSchema> | null {
  try {
    return headerSchema.parse(JSON.parse(Buffer.from(header, 'base64url').toString()));
  } catch {
    return null;
  }
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url');
}

function keyUnknown(kid: string): ConfigurationError {
  return new ConfigurationError(
    `A secret in the database was sealed with the key "${kid}", which is not here. Add that key to DONOR_SYNC_SECRET_KEY, after the current one and a comma; a key that was made for a database file is beside it, in the file that ends in ".key".`,
    { code: 'secret_key_unknown', details: { kid } },
  );
}

/** Names the column and no row: some rows are known by the id of a person. */
function damaged({ table, column }: SealPlace, kid?: string, cause?: unknown): FatalError {
  const suspicion =
    kid === undefined
      ? 'It was changed.'
      : `It was changed, it was moved here from another row, or the key "${kid}" is not the one that sealed it.`;
  return new FatalError(
    `A secret in the database (${table}.${column}) cannot be opened. ${suspicion} Find out who writes into the database besides donor-sync.`,
    { code: 'sealed_value_damaged', cause, details: { table, column } },
  );
}

function unbound({ table, column }: SealPlace): FatalError {
  return new FatalError(
    `A secret in the database (${table}.${column}) is in the form of an older version, which is no longer believed: it may have been moved here from anywhere. Either an older version was still running when this one first opened the database, or another program put it there.`,
    { code: 'sealed_value_unbound', details: { table, column } },
  );
}
