/** Caches summaries of each integration's newest runs until a new run starts. */
import { setImmediate } from 'node:timers/promises';
import { listRunActivity, type RunActivityRow } from '../../clients/statements/run-activity.ts';
import type { TimedReader } from '../../database/reader.ts';

/** The number of integrations that are read together. Between the groups, other work can run. */
const TOGETHER = 100;

/**
 * Reads run summaries for any number of integrations. An integration is read again only if its last run is new or did
 * not succeed, because a successful run does not change.
 */
export function createRunDigests<Digest>(
  reader: TimedReader,
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Digest>>,
): (ids: readonly string[]) => Promise<ReadonlyMap<string, Digest>> {
  let rows: ReadonlyMap<string, RunActivityRow> = new Map();
  const known = new Map<string, Digest>();

  return async (ids) => {
    const now = await listRunActivity(reader, rows);
    for (const id of known.keys()) {
      const row = now.get(id);
      if (row?.status !== 'succeeded' || row !== rows.get(id)) known.delete(id);
    }
    rows = now;
    const digests = new Map<string, Digest>();
    const missing: string[] = [];
    for (const id of ids) {
      const digest = known.get(id);
      if (digest !== undefined) digests.set(id, digest);
      else if (now.has(id)) missing.push(id);
    }
    for (let from = 0; from < missing.length; from += TOGETHER) {
      if (from > 0) await setImmediate();
      for (const [id, digest] of await read(missing.slice(from, from + TOGETHER))) {
        known.set(id, digest);
        digests.set(id, digest);
      }
    }
    return digests;
  };
}
