/** Keeps text about erased people out of other contacts' profiles. */
import { namesOfPerson } from '../../fields/erasing/erased-names.ts';
import { withoutTexts } from '../../fields/erasing/mentions.ts';
import type { JobResult } from '../../partner/results.ts';
import type { Run, SyncDeps } from './context.ts';

/** Wraps the service client so that it removes lines about erased people from profiles. */
export function withoutErasedPeople(
  { partner, store }: Pick<SyncDeps, 'partner' | 'store'>,
  run: Pick<Run, 'erased'>,
): SyncDeps['partner'] {
  return { ...partner, readResults };

  async function readResults(
    ...request: Parameters<SyncDeps['partner']['readResults']>
  ): Promise<Map<string, JobResult>> {
    const results = await partner.readResults(...request);
    // Reads the names for each profile, because a user can erase a person during the run.
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
