import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from './file-errors.ts';

/**
 * The permissions of files that donor-sync creates. A new file never has more permissions than the file that it
 * replaces.
 */
const PRIVATE_MODE = 0o600;
const PERMISSION_BITS = 0o7777;

/** The owner, the group and the permissions of a file. */
export interface FileAccess {
  mode: number;
  /** The owner to set, or null to keep the user who runs donor-sync. */
  owner: { uid: number; gid: number } | null;
}

/**
 * Writes a new file that will replace an old file. The promise resolves after the file has been written to the disk.
 */
export async function writeWholeFile(
  path: string,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  access: FileAccess,
): Promise<void> {
  const handle = await open(path, 'w', PRIVATE_MODE);
  try {
    for await (const piece of pieces) await handle.appendFile(piece);
    await handle.chmod(await keepOwner(handle, access));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes all the bytes to the file, starting at this position. If the disk is almost full, a single call may write only
 * some of the bytes.
 */
export async function writeBytes(
  handle: Pick<FileHandle, 'write'>,
  bytes: Buffer,
  position: number,
): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the disk takes no more bytes');
    done += bytesWritten;
  }
}

/** Replaces a file. At any time, a reader finds either the old file or the new file. */
export async function replaceFile(written: string, target: string): Promise<void> {
  await rename(written, target);
  await syncFolder(dirname(target));
}

/** Flushes a folder to the disk, so that created, renamed and removed files survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Returns the owner, the group and the permissions of a file. If the file does not exist, the function returns the
 * permissions of the other file.
 */
export async function readAccess(path: string, other: string): Promise<FileAccess> {
  const stats = await stat(path).catch(() => null);
  if (stats !== null) {
    return { mode: stats.mode & PERMISSION_BITS, owner: { uid: stats.uid, gid: stats.gid } };
  }
  const others = await stat(other).catch(() => null);
  return { mode: others === null ? PRIVATE_MODE : others.mode & PERMISSION_BITS, owner: null };
}

const GROUP_BITS = 0o070;

/**
 * Gives a new file the owner and the group of the replaced file, if the system allows this. Only root can change the
 * owner of a file. Returns the permissions to set for the new file. If the new file's group differs from the replaced
 * file's group, the new group gets no permissions.
 */
export async function keepOwner(
  handle: Pick<FileHandle, 'chown'> & { stat(): Promise<{ uid: number; gid: number }> },
  { mode, owner }: FileAccess,
): Promise<number> {
  if (owner === null) return mode;
  const own = await handle.stat();
  if (own.uid === owner.uid && own.gid === owner.gid) return mode;
  if (await mayChown(handle, owner)) return mode;
  if (own.gid === owner.gid || (await mayChown(handle, { uid: own.uid, gid: owner.gid }))) {
    return mode;
  }
  return mode & ~GROUP_BITS;
}

async function mayChown(
  handle: Pick<FileHandle, 'chown'>,
  { uid, gid }: { uid: number; gid: number },
): Promise<boolean> {
  try {
    await handle.chown(uid, gid);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EPERM' || code === 'EINVAL' || code === 'ENOTSUP' || code === 'ENOSYS')
      return false;
    throw error;
  }
}

/** Returns true if both files exist and contain the same bytes. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  await using a = await openIfThere(one);
  await using b = await openIfThere(other);
  if (a.handle === null || b.handle === null) return false;
  const { size } = await a.handle.stat();
  if (size !== (await b.handle.stat()).size) return false;
  return await isSameContent(a.handle, b.handle, size);
}

const COMPARED_BYTES = 64 * 1024;

async function isSameContent(a: FileHandle, b: FileHandle, size: number): Promise<boolean> {
  const here = Buffer.alloc(COMPARED_BYTES);
  const there = Buffer.alloc(COMPARED_BYTES);
  for (let at = 0; at < size; at += COMPARED_BYTES) {
    await Promise.all([a.read(here, 0, COMPARED_BYTES, at), b.read(there, 0, COMPARED_BYTES, at)]);
    const length = Math.min(COMPARED_BYTES, size - at);
    if (!here.subarray(0, length).equals(there.subarray(0, length))) return false;
  }
  return true;
}

async function openIfThere(path: string): Promise<AsyncDisposable & { handle: FileHandle | null }> {
  const handle = await open(path, 'r').catch(() => null);
  return {
    handle,
    async [Symbol.asyncDispose]() {
      await handle?.close();
    },
  };
}
