/**
 * Erases a client. Checks that only the expected data remains, and that the product never recreates the erased data.
 */

import type { Application } from '../../../src/application.ts';
import { newId } from '../../../src/core/new-id.ts';
import { ERASED_ID } from '../../../src/database/tables/credits.ts';
import { eraseIntegration } from '../../../src/privacy/erase-integration.ts';
import type { World } from '../night/world.ts';
import type { Life } from '../processes/process.ts';

/** Erases the client. Returns true if the erasure is complete, and false if it has to be requested again. */
export async function leave(
  application: Application,
  { clock }: Life,
  integration: string,
): Promise<true> {
  await eraseIntegration({ application, clock, newId: () => newId(clock.now()) }, integration);
  return true;
}

/**
 * The tables whose rows remain after a client is erased. These tables contain the service key's records and the audit,
 * which name no contact, and the record that the client was erased.
 */
const STAYS: ReadonlySet<string> = new Set([
  ...['submissions', 'jobs', 'network_adds', 'credit_spans', 'forgotten', 'audit_entries'],
  'restore_holds',
]);

/** Tables whose rows record that certain settings were tried and refused. */
const OF_A_TRY: ReadonlySet<string> = new Set(['runs', 'mappings', 'field_maps']);

/**
 * Checks that no other data remains. `isTriedAgain` is true if a process with the old settings has since tried to
 * sync the client.
 */
export function checkLeft(
  { store, crms, humans, violate }: World,
  integration: string,
  isTriedAgain: boolean,
): void {
  const gone = crms.get(integration);
  if (gone === undefined) return;
  const isLast = crms.size === 1;
  const words = [
    ...gone.records.keys(),
    // A different client may also have the person as a contact.
    ...(isLast ? humans.all.map(({ donorId }) => donorId) : []),
  ];
  for (const [table, rows] of store.backUp()) {
    const own = rows.filter((row) => row['integration_id'] === integration);
    if (own.length > 0 && !STAYS.has(table) && !(isTriedAgain && OF_A_TRY.has(table))) {
      violate('forgotten', `${own.length} rows of an integration that has left are in ${table}`);
    }
    const named = own.filter((row) => 'crm_id' in row && row['crm_id'] !== ERASED_ID);
    if (named.length > 0 && table === 'jobs') {
      violate('forgotten', 'a job of an integration that has left names its contact');
    }
    const text = rows
      .map((row) => Object.values(row).join('\n'))
      .join('\n')
      .toLowerCase();
    const word = words.find((each) => text.includes(each.toLowerCase()));
    if (word !== undefined) {
      violate('forgotten', `${word} of an integration that has left is in ${table}`);
    }
  }
}
