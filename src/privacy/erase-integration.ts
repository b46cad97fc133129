/**
 * The end of an integration: erases everything known about it. A receipt says what stays and why.
 */

import type { Application } from '../application.ts';
import { dropUploads, type SetupDeps } from '../clients/setup/draft.ts';
import { knowsIntegration } from '../clients/statements/integrations.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/clock.ts';
import { type ConfigurationError, isDonorSyncError, RetriableError } from '../core/errors.ts';
import { unknownClient } from '../core/shared-errors.ts';
import { overwriteErased } from '../database/sqlite/erased-bytes.ts';
import { listNetworks } from '../networks/statements/networks.ts';
import { withLease } from '../sync/control/with-lease.ts';
import { listLastEntries } from './audit/read-audit.ts';
import { eraseClientsFromJournal } from './statements/erase-from-journal.ts';
import type { KeptRows } from './statements/erase-integration.ts';
import { eraseLeavingIntegration, hasOpenRequests } from './statements/erase-integration.ts';

/** What was done, and what others have to do. */
export interface IntegrationReceipt {
  id: string;
  integration: string;
  /** ISO 8601. */
  at: string;
  /** When it was erased before; null if this is the first time. */
  erasedEarlier: string | null;
  /** Number of rows by kind, without the rows of an earlier attempt that was cut off. */
  erased: Record<string, number>;
  kept: { what: keyof KeptRows; rows: number; why: string }[];
  /** Files that were uploaded during its setup, and their results; they are deleted, too. */
  files: string[];
  /** Data that is stored outside our database. */
  outside: string[];
  /** False if the database file may still contain bytes of it until the command is repeated. */
  overwritten: boolean;
}

const WHY: Readonly<Record<keyof KeptRows, string>> = {
  submissions: 'what was charged, for the books of the service key; names no contact',
  jobs: 'why each credit was spent, for the same books; without contact, identity and job id',
  networkAdds: 'what bulk adds were charged, for the same books; names no donor',
  sums: 'what was spent by day and by month, for the same books',
  blocks: 'keyed fingerprints of people who were erased: they are never to be taken up again',
  auditEntries: 'who did what; the keys that open contacts are gone',
};

interface EraseDeps {
  application: Pick<Application, 'takeLease'> & SetupDeps;
  clock: Clock;
  newId: () => string;
}

/**
 * Erases everything about an integration. If it is killed, run it again: it continues. Throws
 * AlreadyRunning during a sync, and a RetriableError while the cost of a request is unknown.
 */
export async function eraseIntegration(
  { application, clock, newId }: EraseDeps,
  integration: string,
): Promise<IntegrationReceipt> {
  const { store, takeLease } = application;
  if (!(await knowsIntegration(store.reader, integration))) throw unknownIntegration(integration);
  return withLease({ store, clock, takeLease }, integration, async (lease) => {
    if (await hasOpenRequests(store.reader, integration)) throw unsettled(integration);
    const networks = (await listNetworks(store.reader, integration)).map(({ name }) => name);
    const before = (await listLastEntries(store, 'integration.erased')).find(
      ({ integrationId }) => integrationId === integration,
    );
    const files = await dropFiles(application, integration);
    // First, since a repeated command could not tell any more that something of it was left.
    const payments = await store.act(eraseClientsFromJournal(store.spendingJournal, [integration]));
    const { erased, kept } = await eraseLeavingIntegration(store, lease);
    const overwritten = await overwriteErased(store.connection);
    return {
      id: newId(),
      integration,
      at: isoTime(clock.now()),
      erasedEarlier: before === undefined ? null : isoTime(before.at),
      erased: { ...erased, ...(payments === 0 ? {} : { payments }) },
      kept: listKept(kept),
      files: files ?? [],
      outside: [...describeOutside(networks), ...(files === null ? [UNKNOWN_FILES] : [])],
      overwritten,
    };
  });
}

const UNKNOWN_FILES =
  'Its settings were encrypted with a key that is not here any more. If a CSV file was uploaded in its set-up, it is still in the folder "uploads" next to the database.';

/** Null if the files cannot be determined; everything else is erased anyway. */
async function dropFiles(deps: SetupDeps, integration: string): Promise<string[] | null> {
  try {
    return await dropUploads(deps, integration);
  } catch (error) {
    if (isDonorSyncError(error)) return null;
    throw error;
  }
}

function listKept(rows: KeptRows) {
  const all = ['submissions', 'jobs', 'networkAdds', 'sums', 'blocks', 'auditEntries'] as const;
  return all.flatMap((what) =>
    rows[what] > 0 ? [{ what, rows: rows[what], why: WHY[what] }] : [],
  );
}

function describeOutside(networks: readonly string[]): string[] {
  const names = networks.length === 0 ? '' : ` Its networks there stay: ${networks.join(', ')}.`;
  return [
    'The CRM keeps the values that were written: they are its own.',
    `The service keeps the results of jobs for seven days.${names}`,
    'Backups keep all of it until they expire; put back, it is erased again.',
  ];
}

export function unknownIntegration(integration: string): ConfigurationError {
  return unknownClient(integration, { next: 'The database knows none of this ID.' });
}

function unsettled(integration: string): RetriableError {
  return new RetriableError(
    `A request of "${integration}" waits for its answer, or for the proof of what it cost: nothing was erased. Run \`donor-sync sync ${integration}\` once (with \`budget: { perRun: 0 }\` it only settles), then repeat the command.`,
    { code: 'requests_open', details: { integration } },
  );
}
