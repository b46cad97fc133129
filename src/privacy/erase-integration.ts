/**
 * Erases all data about an integration that no longer uses donor-sync. A receipt lists the data that donor-sync keeps,
 * with the reasons.
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

/** The result of the erasure, and the work that remains for users. */
export interface IntegrationReceipt {
  id: string;
  integration: string;
  /** The time of the erasure (ISO 8601). */
  at: string;
  /** The time of an earlier erasure of the integration, or null if it was never erased before. */
  erasedEarlier: string | null;
  /** The number of erased rows, by kind. Excludes rows that an earlier, interrupted attempt erased. */
  erased: Record<string, number>;
  kept: { what: keyof KeptRows; rows: number; why: string }[];
  /**
   * Files that a user uploaded during the set-up, and their result files. The erasure also deletes files of the set-up
   * and result files.
   */
  files: string[];
  /** Data about the integration outside donor-sync's database. */
  outside: string[];
  /**
   * True if the erased data was overwritten. False if the database file may still contain bytes of the erased data.
   * Another run of the command overwrites these bytes.
   */
  overwritten: boolean;
}

const WHY: Readonly<Record<keyof KeptRows, string>> = {
  submissions: 'charges, for the billing of the service key; without contacts',
  jobs: 'the reason for each spent credit, for the same billing; without contact, identity and job ID',
  networkAdds: 'charges of bulk adds, for the same billing; without donors',
  sums: 'spending by day and by month, for the same billing',
  blocks: 'keyed fingerprints of erased people, so that they are never processed again',
  auditEntries: 'who did what; the keys that decrypt contacts are destroyed',
};

interface EraseDeps {
  application: Pick<Application, 'takeLease'> & SetupDeps;
  clock: Clock;
  newId: () => string;
}

/**
 * Erases all data about an integration. If the process is killed, run the command again to continue. Throws
 * AlreadyRunning during a sync. Throws a RetriableError while the cost of a request is unknown.
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
    // The payments are erased first, so that a repeated command also notices payments that were not erased.
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
  'Its settings were encrypted with a key that is no longer here. If a CSV file was uploaded in its set-up, it is still in the folder "uploads" next to the database.';

/**
 * Deletes the integration's files. Returns null if the list of files cannot be read. If the list of files cannot be
 * read, all other data is erased anyway.
 */
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
    'The CRM keeps the values that were written, because they belong to the CRM.',
    `The service keeps the results of jobs for seven days.${names}`,
    'Backups contain all of this data until they expire. If you restore one, donor-sync erases the client again.',
  ];
}

export function unknownIntegration(integration: string): ConfigurationError {
  return unknownClient(integration, { next: 'The database has no client with this ID.' });
}

function unsettled(integration: string): RetriableError {
  return new RetriableError(
    `A request of "${integration}" waits for its response, or for proof of its cost. Nothing was erased. Run \`donor-sync sync ${integration}\` once (with \`budget: { perRun: 0 }\` it only settles open requests), then repeat the command.`,
    { code: 'requests_open', details: { integration } },
  );
}
