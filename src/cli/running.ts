/** `process 4711 on worker-2`, for the owner of a lease. */
export function ownerWords(owner: string): string {
  const [host, processId] = owner.split('/');
  return `process ${processId} on ${host}`;
}
