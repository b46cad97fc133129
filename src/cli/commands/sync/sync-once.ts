import type { OpenIntegration } from '../../../application.ts';
import type { RunReport } from '../../../core/run.ts';
import { type RunRequest, runSync } from '../../../sync/run.ts';
import { createRunProgress, type ProgressDeps } from './run-progress.ts';

/** The options of a run that a person may choose. */
type RunOption = 'full' | 'only' | 'adopt' | 'limit' | 'acceptMatchRate';

/**
 * A run that a person asked for, to its end or until the signal stops it, with its progress on the
 * terminal: of what has changed, unless it is to read everything anew (`full`) or is `only` for the
 * contact with this CRM id. `adopt` takes over what another database has paid for, `limit` is the most
 * that may be spent, and `acceptMatchRate` accepts the mapping.
 */
export async function syncOnce(
  deps: ProgressDeps,
  open: OpenIntegration,
  signal: AbortSignal,
  { full = false, only = null, ...options }: Partial<Pick<RunRequest, RunOption>> = {},
): Promise<RunReport> {
  const { integration, mappings, partnerKey, stages } = open;
  const progress = createRunProgress(deps, open.deps.store);
  try {
    return await runSync(
      open.deps,
      {
        ...{ integration, mappings, partnerKey, stages, trigger: 'manual', full, only },
        ...options,
        signal,
      },
      { started: progress.watch, calls: open.calls },
    );
  } finally {
    await progress.stop();
  }
}
