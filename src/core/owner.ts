import { readFileSync, readlinkSync } from 'node:fs';

/** Identifies a process, so other processes can check whether it is alive. */
export interface Owner {
  host: string;
  processId: number;
  /** Differs for each start, because process IDs are reused. */
  start: string;
  /** Process IDs are unique only within this space (`readProcessSpace`). Null or omitted if unknown. */
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
 * True if the owner is certainly dead. Its process IDs must mean the same here. Two containers can share a host name
 * and a process ID, so other owners are uncertain. Their leases expire.
 */
export function ownerIsGone(
  text: string,
  self: Owner,
  isRunning: (processId: number) => boolean,
): boolean {
  const [host, processId, start, ...space] = text.split('/');
  if (!self.space || space.join('/') !== self.space) return false;
  if (host !== self.host || start === self.start) return false;
  // Our process ID once belonged to another process.
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

/** The space is one boot of one kernel and one namespace of process IDs. Only Linux reports this. */
export function readProcessSpace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = readlinkSync('/proc/self/ns/pid');
    return boot && namespace ? `${boot}/${namespace}` : null;
  } catch {
    return null;
  }
}
