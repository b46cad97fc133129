/**
 * Encrypts a file so that only the key's owner can read it and nobody can change it unnoticed. The file's parts are
 * encrypted with AES-256-GCM. Each part of the file includes its number and a flag for the last part (STREAM
 * construction). The file's key is derived from the secret key and a salt (HKDF-SHA-256).
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { ConfigurationError, FatalError } from '../../core/errors.ts';
import { type KeyRing, KID, type SealingKey } from './key-ring.ts';

const MAGIC = 'donor-sync backup 1 ';
const CIPHER = 'aes-256-gcm';
const SALT_BYTES = 32;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const CHUNK_BYTES = 1024 * 1024;
/** The length of the bytes before each part: a byte that marks the last part, and the part's length. */
const FRAME_BYTES = 5;
const MAX_HEADER_BYTES = 4096;
const FILE_MODE = 0o600;

const headerSchema = z.strictObject({
  kid: z.string().regex(KID),
  salt: z.base64url(),
  /** The time at which the copy was made (epoch ms). */
  madeAt: z.int(),
});

const trailerSchema = z.strictObject({
  /** SHA-256 of the whole content, in hex. */
  digest: z.string(),
  bytes: z.int(),
});

/** The data about an encrypted file that the file itself contains. Nobody can change this data unnoticed. */
export type SealedFile = Pick<z.infer<typeof headerSchema>, 'kid' | 'madeAt'> &
  z.infer<typeof trailerSchema>;

/** Encrypts a file. Resolves when the new file is saved on disk. */
export async function sealFile(
  from: string,
  to: string,
  { current }: KeyRing,
  madeAt: number,
): Promise<void> {
  const salt = randomBytes(SALT_BYTES);
  const facts = { kid: current.kid, salt: salt.toString('base64url'), madeAt };
  const header = Buffer.from(`${MAGIC}${JSON.stringify(facts)}\n`);
  const seal = chunkSealer(current, salt, header);
  const hash = createHash('sha256');
  await using source = await open(from, 'r');
  await using target = await open(to, 'wx', FILE_MODE);
  await target.write(header);
  let bytes = 0;
  for (;;) {
    const chunk = await readUpTo(source, CHUNK_BYTES);
    if (chunk.length === 0) break;
    hash.update(chunk);
    bytes += chunk.length;
    await target.write(seal(chunk, false));
  }
  const trailer = { digest: hash.digest('hex'), bytes } satisfies z.infer<typeof trailerSchema>;
  await target.write(seal(Buffer.from(JSON.stringify(trailer)), true));
  await target.sync();
}

/**
 * Decrypts a file into a new file. If `to` is null, only checks the file. Throws a FatalError if someone has changed
 * the file, and a ConfigurationError if the file is not a backup or its key is missing.
 */
export async function openSealedFile(
  from: string,
  to: string | null,
  { keys }: KeyRing,
): Promise<SealedFile> {
  await using source = await open(from, 'r');
  await using target = to === null ? noTarget() : await open(to, 'wx', FILE_MODE);
  const header = await readHeader(source, from);
  const { kid, madeAt, salt } = parseHeader(header, from);
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) throw keyMissing(from, kid);
  const openChunk = chunkOpener(key, Buffer.from(salt, 'base64url'), header, from);
  const hash = createHash('sha256');
  let bytes = 0;
  for (;;) {
    const { text, isLast } = await openChunk(source);
    if (isLast) {
      const trailer = trailerSchema.safeParse(JSON.parse(text.toString()));
      const rest = await readUpTo(source, 1);
      const isWhole = trailer.success && trailer.data.bytes === bytes && rest.length === 0;
      if (!isWhole || trailer.data.digest !== hash.digest('hex')) throw damaged(from);
      await target.sync();
      return { kid, madeAt, ...trailer.data };
    }
    hash.update(text);
    bytes += text.length;
    await target.write(text);
  }
}

function noTarget() {
  return {
    write: async (_: Buffer) => undefined,
    sync: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

type ChunkSealer = (text: Buffer, isLast: boolean) => Buffer;

function chunkSealer(key: SealingKey, salt: Buffer, header: Buffer): ChunkSealer {
  const secret = keyOfFile(key, salt);
  let number = 0;
  return (text, isLast) => {
    const frame = Buffer.alloc(FRAME_BYTES);
    frame.writeUInt8(isLast ? 1 : 0);
    frame.writeUInt32BE(text.length, 1);
    const cipher = createCipheriv(CIPHER, secret, buildIv(number++, isLast));
    cipher.setAAD(Buffer.concat([header, frame]));
    return Buffer.concat([frame, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  };
}

function chunkOpener(key: SealingKey, salt: Buffer, header: Buffer, path: string) {
  const secret = keyOfFile(key, salt);
  let number = 0;
  return async (source: FileHandle): Promise<{ text: Buffer; isLast: boolean }> => {
    const frame = await readUpTo(source, FRAME_BYTES);
    if (frame.length < FRAME_BYTES) throw damaged(path);
    const isLast = frame.readUInt8() === 1;
    const length = frame.readUInt32BE(1);
    if (length > CHUNK_BYTES) throw damaged(path);
    const sealed = await readUpTo(source, length + TAG_BYTES);
    if (sealed.length < length + TAG_BYTES) throw damaged(path);
    try {
      const decipher = createDecipheriv(CIPHER, secret, buildIv(number++, isLast), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.concat([header, frame]));
      decipher.setAuthTag(sealed.subarray(length));
      const text = Buffer.concat([decipher.update(sealed.subarray(0, length)), decipher.final()]);
      return { text, isLast };
    } catch (error) {
      throw damaged(path, error);
    }
  };
}

function keyOfFile({ secret }: SealingKey, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, MAGIC, KEY_BYTES));
}

/**
 * Builds the initialization vector of a part. The vector contains the part's number, so two parts never have the same
 * vector.
 */
function buildIv(number: number, isLast: boolean): Buffer {
  const iv = Buffer.alloc(IV_BYTES);
  iv.writeUInt8(isLast ? 1 : 0, 0);
  iv.writeBigUInt64BE(BigInt(number), IV_BYTES - 8);
  return iv;
}

async function readUpTo(source: FileHandle, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  let read = 0;
  while (read < bytes) {
    const { bytesRead } = await source.read(buffer, read, bytes - read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}

async function readHeader(source: FileHandle, path: string): Promise<Buffer> {
  const start = Buffer.alloc(MAX_HEADER_BYTES);
  const { bytesRead } = await source.read(start, 0, MAX_HEADER_BYTES, 0);
  const end = start.subarray(0, bytesRead).indexOf('\n') + 1;
  if (end === 0 || !start.subarray(0, end).toString().startsWith(MAGIC)) throw noBackup(path);
  // From here on, the file is read from start to end.
  return readUpTo(source, end);
}

function parseHeader(header: Buffer, path: string): z.infer<typeof headerSchema> {
  try {
    return headerSchema.parse(JSON.parse(header.toString().slice(MAGIC.length)));
  } catch {
    throw noBackup(path);
  }
}

function noBackup(path: string): ConfigurationError {
  return new ConfigurationError(
    `${path} is not a backup that \`donor-sync backup\` of this version has created. Nothing was changed.`,
    { code: 'backup_unknown' },
  );
}

function keyMissing(path: string, kid: string): ConfigurationError {
  return new ConfigurationError(
    `The backup ${path} was encrypted with the key "${kid}", which is not available here. Add the key to DONOR_SYNC_SECRET_KEY, or put its file next to the database. Nothing was changed.`,
    { code: 'backup_key_missing', details: { kid } },
  );
}

function damaged(path: string, cause?: unknown): FatalError {
  return new FatalError(
    `The backup ${path} is not in its original state: it was cut off, changed, or encrypted with another key of the same name. Nothing was changed. Use another backup.`,
    { code: 'backup_damaged', cause },
  );
}
