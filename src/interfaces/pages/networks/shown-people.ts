import type { LiveDeps } from '../../../clients/live-crm.ts';
import { withCrm } from '../../../clients/live-crm.ts';
import { findContacts } from '../../../contacts/contacts.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { contactName } from '../../../decisions/contact-name.ts';
import { lookUp } from '../../../sync/control/look-up.ts';
import { findKeptBack } from '../../../sync/guards/kept-back.ts';
import type { Names } from './picture.ts';

/** Returns the current CRM names of these contacts. Leaves out contacts whose data a page may not show. */
export async function readShownNames(
  live: LiveDeps,
  integration: Integration,
  crmIds: readonly string[],
): Promise<Names> {
  if (crmIds.length === 0) return new Map();
  const records = await findContacts(live.application.store.reader, integration.id, crmIds);
  const lookups = await withCrm(live, integration, (crm) => lookUp(crm.connector, crmIds));
  const names = new Map<string, string>();
  for (const lookup of lookups) {
    const record = records.get(lookup.id);
    const name = contactName(lookup);
    if (name === null || record === undefined || findKeptBack(record, lookup) !== null) continue;
    names.set(lookup.id, name);
  }
  return names;
}
