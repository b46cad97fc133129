/**
 * When this process first saw each request whose answer is lost, by its own monotonic clock and in
 * memory alone: no clock of another process, and none that may be set, tells how long the service
 * has had.
 */
export interface Sightings {
  /** The moment of the first look at this request; `nowMs` if this is the first. */
  firstSeenMs(id: string, nowMs: number): number;
  /** The request is settled. */
  forget(id: string): void;
}

/** Requests that others have settled are never forgotten by name: the oldest make room. */
const MAX_REMEMBERED = 1_000;

export function createSightings(): Sightings {
  const moments = new Map<string, number>();
  return {
    firstSeenMs(id, nowMs) {
      const seen = moments.get(id);
      if (seen !== undefined) return seen;
      const [oldest] = moments.keys();
      if (oldest !== undefined && moments.size >= MAX_REMEMBERED) moments.delete(oldest);
      moments.set(id, nowMs);
      return nowMs;
    },
    forget(id) {
      moments.delete(id);
    },
  };
}
