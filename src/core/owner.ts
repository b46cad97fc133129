import { readFileSync, readlinkSync } from 'node:fs';

/** A process as the owner of leases, in a form from which others can find out whether it is still alive. */
export interface Owner {
  host: string;
  processId: number;
  /** Different for each start, so a process ID that is used again is not taken for the same process. */
  start: string;
  /** The space in which process IDs are unique (`readProcessSpace`). Null or omitted if unknown. */
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
 * True if the owner is certainly dead: its process no longer runs, and its process IDs mean the same here as they did
 * there. For any other owner this is unknown, whatever its host is called, because two containers can have the same
 * name and the same process ID. Its lease expires.
 */
export function ownerIsGone(
  text: string,
  self: Owner,
  isRunning: (processId: number) => boolean,
): boolean {
  const [host, processId, start, ...space] = text.split('/');
  if (!self.space || space.join('/') !== self.space) return false;
  if (host !== self.host || start === self.start) return false;
  // A previous process with our process ID no longer runs.
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

/**
 * Returns the space in which this process sees unique process IDs: one boot of one kernel, and one namespace of process
 * IDs. Returns null if the system does not report it. Only Linux does.
 */
export function readProcessSpace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = readlinkSync('/proc/self/ns/pid');
    return boot && namespace ? `${boot}/${namespace}` : null;
  } catch {
    return null;
  }
}
