/** A process as the owner of leases, written so that others can tell whether it still lives. */
export interface Owner {
  host: string;
  processId: number;
  /** Different for each start, so that a reused process id is not taken for the same process. */
  start: string;
}

export function ownerText({ host, processId, start }: Owner): string {
  return `${host}/${processId}/${start}`;
}

/** `process 4711 on worker-2`, for the text of an owner. */
export function ownerWords(text: string): string {
  const [host, processId] = text.split('/');
  return `process ${processId} on ${host}`;
}

/**
 * True if the owner is certainly dead: a process of this machine that does not run any more. Of
 * other machines nothing is known; their leases run out.
 */
export function ownerIsGone(
  text: string,
  self: Owner,
  isRunning: (processId: number) => boolean,
): boolean {
  const [host, processId, start] = text.split('/');
  if (host !== self.host || start === self.start) return false;
  // In a container every start has the same process id: what had ours before is gone.
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
