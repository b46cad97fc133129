import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfStopped } from '../requests/stopped.ts';
import { fileChanged } from './file-errors.ts';

const LINE_FEED = 0x0a;

/**
 * If a file ends in the middle of a line, donor-sync treats it as incomplete for this time (ms) after its last change.
 */
const QUIET_MS = 2_000;
const LOOK_EVERY_MS = 100;
/** If the file is still changing after this time (ms), the reading fails. */
const MOST_WAIT_MS = 60_000;

/**
 * Waits until the program that uploads or exports a file has probably finished. An incomplete file nearly always ends
 * in the middle of a line. A row that is cut off could be read as a different person. The function returns immediately
 * if the file ends with a line ending, or if its last change was long enough ago. The function throws if the run stops.
 */
export async function waitUntilSettled(path: string, signal: AbortSignal): Promise<void> {
  for (let waitedMs = 0; await mayGrow(path); waitedMs += LOOK_EVERY_MS) {
    if (waitedMs >= MOST_WAIT_MS) throw fileChanged(path, { path });
    throwIfStopped(signal);
    await sleep(LOOK_EVERY_MS);
  }
}

async function mayGrow(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { size, mtimeMs } = await file.stat();
  // The file may come from a machine whose clock is ahead of this machine's clock. If that clock is ahead, the file's
  // age is negative, and donor-sync would wait too long.
  const ageMs = Math.abs(Date.now() - mtimeMs);
  if (size === 0 || ageMs >= QUIET_MS) return false;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 0 || buffer[0] !== LINE_FEED;
}
