/** What the service tells of people who were erased, in the profiles of others: it comes no further than this. */
import { namesOfPerson } from '../../fields/erasing/erased-names.ts';
import { withoutTexts } from '../../fields/erasing/mentions.ts';
import type { JobResult } from '../../partner/results.ts';
import type { Run, SyncDeps } from './context.ts';

/** The same client of the service, whose profiles lack the lines that name an erased person. */
export function withoutErasedPeople(
  { partner, store }: Pick<SyncDeps, 'partner' | 'store'>,
  run: Pick<Run, 'erased'>,
): SyncDeps['partner'] {
  return new Proxy(partner, {
    get(target, name) {
      if (name === 'readResults') return readResults;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

  async function readResults(
    ...request: Parameters<SyncDeps['partner']['readResults']>
  ): Promise<Map<string, JobResult>> {
    const results = await partner.readResults(...request);
    // Of an erasure that has begun while the run goes on a user has told since.
    const names = namesOfPerson(store.fingerprint, run.erased?.names ?? []);
    if (names.isEmpty) return results;
    return new Map(
      [...results].map(([id, result]) => [
        id,
        result.state === 'completed'
          ? { ...result, profile: withoutTexts(result.profile, names).profile }
          : result,
      ]),
    );
  }
}
