import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Files created here are at least as private as the file that they belong to or replace. */
const PRIVATE_MODE = 0o600;
const PERMISSION_BITS = 0o7777;

/** Writes a new file over an old one. It is on disk when the promise resolves. */
export async function writeWholeFile(
  path: string,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  mode: number,
): Promise<void> {
  const handle = await open(path, 'w', PRIVATE_MODE);
  try {
    for await (const piece of pieces) await handle.appendFile(piece);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes all of the bytes at a position in the file, because a disk that is almost full may accept only some
 * of them at first.
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

/** Replaces a file with the written one. A reader sees either the old or the new file. */
export async function replaceFile(written: string, target: string): Promise<void> {
  await rename(written, target);
  await syncFolder(dirname(target));
}

/** Makes creations, renames and removals in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the permissions of the first of these files that exists. */
export async function readMode(...paths: readonly string[]): Promise<number> {
  for (const path of paths) {
    const stats = await stat(path).catch(() => null);
    if (stats !== null) return stats.mode & PERMISSION_BITS;
  }
  return PRIVATE_MODE;
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
