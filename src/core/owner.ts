import { readFileSync, readlinkSync } from 'node:fs';

/** Identifies a process, so that other processes can check whether it is running. */
export interface Owner {
  host: string;
  processId: number;
  /** A text that differs for each start of the process, because process IDs are reused. */
  start: string;
  /** The space in which process IDs are unique (`readProcessSpace`). Null or omitted if the space is unknown. */
  space?: string | null;
}

export function ownerText({ host, processId, start, space = null }: Owner): string {
  return [host, processId, start, ...(space === null ? [] : [space])].join('/');
}

/** Describes an owner in words, such as `process 4711 on worker-2`. */
export function ownerWords(text: string): string {
  const [host, processId] = text.split('/');
  return `process ${processId} on ${host}`;
}

/**
 * True if the process has certainly ended. The process ID in the record must mean the same process on this machine. Two
 * containers can share a host name and a process ID, so other processes are uncertain. The leases of uncertain
 * processes expire.
 */
export function ownerIsGone(
  text: string,
  self: Owner,
  isRunning: (processId: number) => boolean,
): boolean {
  const [host, processId, start, ...space] = text.split('/');
  if (!self.space || space.join('/') !== self.space) return false;
  if (host !== self.host || start === self.start) return false;
  // If the process ID is this process's ID, it belonged to another process before.
  return Number(processId) === self.processId || !isRunning(Number(processId));
}

/** True if the process is running on this machine. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Returns the space of process IDs: one start of one kernel, and one namespace. Only Linux reports this. */
export function readProcessSpace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = readlinkSync('/proc/self/ns/pid');
    return boot && namespace ? `${boot}/${namespace}` : null;
  } catch {
    return null;
  }
}
