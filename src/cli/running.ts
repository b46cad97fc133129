import { isoTime } from '../core/clock.ts';
import { isRunning, ownerIsGone } from '../core/owner.ts';
import type { Store } from '../store/store.ts';
import type { ProductDeps } from './product.ts';

/** Who is at work on an integration at this moment. */
export interface Running {
  /** `HOST/PROCESS ID/START`. */
  owner: string;
  /** When the run began, ISO 8601; null if it is no run, or has not begun one yet. */
  since: string | null;
  /** The id of the run; null likewise. */
  run: string | null;
}

/** Who holds the lease of an integration, if they still live. */
export async function findRunning(
  { clock, owner: self }: Pick<ProductDeps, 'clock' | 'owner'>,
  { leases, runs }: Pick<Store, 'leases' | 'runs'>,
  integrationId: string,
): Promise<Running | null> {
  const holder = await leases.holder(integrationId);
  if (!holder || holder.until <= clock.now()) return null;
  if (ownerIsGone(holder.owner, self, isRunning)) return null;
  const [run] = await runs.list({ integrationId, status: 'running', limit: 1 });
  return {
    owner: holder.owner,
    since: run ? isoTime(run.started_at) : null,
    run: run?.id ?? null,
  };
}

/** `process 4711 on worker-2` */
export function ownerWords(owner: string): string {
  const [host, processId] = owner.split('/');
  return `process ${processId} on ${host}`;
}
