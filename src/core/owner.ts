import { readFileSync, readlinkSync } from 'node:fs';

/** A process as the owner of leases, written so that others can tell whether it still lives. */
export interface Owner {
  host: string;
  processId: number;
  /** Different for each start, so that a reused process id is not taken for the same process. */
  start: string;
  /**
   * Within what process ids tell processes apart (`readProcessSpace`); null, or left out, where that
   * is not known.
   */
  space?: string | null;
}

export function ownerText({ host, processId, start, space = null }: Owner): string {
  return [host, processId, start, ...(space === null ? [] : [space])].join('/');
}

/** `process 4711 on worker-2`, for the text of an owner. */
export function ownerWords(text: string): string {
  const [host, processId] = text.split('/');
  return `process ${processId} on ${host}`;
}

/**
 * True if the owner is certainly dead: a process that does not run any more, by ids that mean the
 * same here as they did there. Of all others nothing is known, whatever their host is called: two
 * containers may have one name and one process id. Their leases run out.
 */
export function ownerIsGone(
  text: string,
  self: Owner,
  isRunning: (processId: number) => boolean,
): boolean {
  const [host, processId, start, ...space] = text.split('/');
  if (!self.space || space.join('/') !== self.space) return false;
  if (host !== self.host || start === self.start) return false;
  // What had our process id before us is gone.
  return Number(processId) === self.processId || !isRunning(Number(processId));
}

/** True if a process of this machine runs. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Within what the process ids that this process sees are different: one boot of one kernel, one
 * namespace of process ids. Null where the system does not tell, which is everywhere but on Linux.
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
