/**
 * Recognises contacts that a different database has enhanced. These contacts have donor IDs in the CRM that this
 * database does not contain. The settings may contain the wrong database, or the database was lost. If the run
 * continued, it would pay for all contacts again.
 */

import type { RecordLookup } from '../../connectors/contract.ts';
import { countEndedContacts } from '../clients/statements/integrations.ts';
import type { ContactRecord } from '../contacts/contacts.ts';
import { knowsDonors, listNewDueContacts } from '../contacts/contacts.ts';
import type { AdoptedContact } from '../contacts/decided-pages.ts';
import { adoptContacts } from '../contacts/reconsidering.ts';
import { FatalError } from '../core/errors.ts';
import { lookUpRecords } from '../fields/records.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { donorIdFields, donorIdIn, listFields } from './donor-in-record.ts';
import { decideContact } from './plan.ts';
import { plannedContact, planRules } from './read.ts';

type DonorDeps = Pick<SyncDeps, 'store' | 'connector' | 'clock' | 'log'>;

/**
 * Checks the first new contacts of a run. If a different database has paid for these contacts, it has also paid for all
 * other contacts.
 */
export interface DonorCheck {
  /** Returns the fields to read for this check. Returns an empty list once enough contacts have been checked. */
  fieldsFor(rows: readonly ContactRecord[]): string[];
}

/** The number of new contacts that a run checks. Checking more contacts would only make reading more expensive. */
const MAX_CHECKED = 500;

export function createDonorCheck(run: Pick<Run, 'mappings' | 'fields'>): DonorCheck {
  const fields = donorIdFields(run);
  let checked = 0;
  return {
    fieldsFor(rows) {
      const fresh = rows.filter(isNew).length;
      if (fresh === 0 || checked >= MAX_CHECKED) return [];
      checked += fresh;
      return fields;
    },
  };
}

/** True if this database contains no credit that was spent on the contact. */
export function isNew({ lastCredit }: Pick<ContactRecord, 'lastCredit'>): boolean {
  return lastCredit === null;
}

/**
 * Throws a FatalError (`store_does_not_know_crm`) if new contacts have donor IDs in the CRM and the database contains
 * none of these IDs. The database contains the donor ID of a copied contact.
 */
export async function requireKnownDonors(
  { store }: Pick<DonorDeps, 'store'>,
  run: Pick<Run, 'integration' | 'mappings' | 'fields'>,
  lookups: readonly RecordLookup[],
): Promise<void> {
  const fields = donorIdFields(run);
  const carried = new Set(lookups.flatMap((lookup) => donorIdIn(lookup, fields) ?? []));
  if (carried.size === 0 || (await knowsDonors(store.reader, [...carried]))) return;
  const { id } = run.integration;
  // The database no longer knows contacts that left long ago. If contacts that left long ago return, nothing is wrong.
  if (carried.size <= (await countEndedContacts(store.reader, id))) return;
  throw new FatalError(
    `${carried.size} contacts of "${id}" have donor IDs in the CRM (${fields.join(', ')}), but this database does not know any of these donors: another database was used to enhance the contacts. Nothing was spent. Enter that database in the settings, or restore its backup. If it is lost, \`donor-sync sync ${id} --adopt\` adopts these contacts at no cost.`,
    { code: 'store_does_not_know_crm', details: { integration: id, contacts: carried.size } },
  );
}

/**
 * Adopts the due contacts that have a donor ID. donor-sync then treats these contacts as enhanced and spends no
 * credits.
 */
export async function adoptDonors(deps: DonorDeps, run: Run): Promise<number> {
  const idFields = donorIdFields(run);
  const dateFields = listFields(run, 'enhancedAt');
  const fields = fieldsNamed(run, [...idFields, ...dateFields]);
  let adopted = 0;
  for await (const rows of listNewDueContacts(deps.store.reader, run.integration.id, run.only)) {
    const ids = rows.map(({ crmId }) => crmId);
    const lookups = await lookUpRecords(deps, { fields }, ids);
    const found = rows.flatMap((row): AdoptedContact[] => {
      const lookup = lookups.get(row.crmId);
      const donorId = lookup === undefined ? null : donorIdIn(lookup, idFields);
      if (lookup?.state !== 'found' || donorId === null) return [];
      const planned = plannedContact(deps, run, lookup.contact);
      const decision = decideContact(planned, row, planRules(deps, run), null);
      if (decision.kind !== 'choose') return [];
      const enhancedAt = dateIn(lookup.values[dateFields[0] ?? ''], deps.clock.now());
      return [{ crmId: row.crmId, donorId, identity: decision.noted.identity, enhancedAt }];
    });
    await deps.store.checkpoint(run.lease, (trx) => adoptContacts(trx, run.id, found));
    adopted += found.length;
    if (run.control.stopping.aborted) break;
  }
  deps.log.info({ run: run.id, adopted }, 'contacts with a donor id are taken over');
  return adopted;
}

function fieldsNamed({ fields }: Pick<Run, 'fields'>, names: readonly string[]): Run['fields'] {
  return fields.filter(({ name }) => names.includes(name));
}

/**
 * Returns the creation time of the profile, according to the CRM. If the CRM has no date or a future date, returns the
 * current time.
 */
function dateIn(value: unknown, now: number): number {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? now : Math.min(at, now);
}
