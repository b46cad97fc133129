import type { LiveDeps } from '../../application/live-crm.ts';
import type { HttpDeps } from './context.ts';

/** How long a CRM may take while a person waits; less than an answer of ours may take. */
const CRM_PATIENCE_MS = 20_000;

/** What asks a CRM within a request: given up when the service ends or the person has waited enough. */
export function liveDeps({
  application,
  stopping,
}: Pick<HttpDeps, 'application' | 'stopping'>): LiveDeps {
  return {
    application,
    signal: AbortSignal.any([stopping, AbortSignal.timeout(CRM_PATIENCE_MS)]),
  };
}
