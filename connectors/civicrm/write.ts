/**
 * Writes custom fields. CiviCRM does not report which record or field it refuses. CiviCRM drops unknown fields and
 * shortens long values without reporting an error. donor-sync therefore compares the values before and after each
 * write.
 */

import type { FieldValue, FieldValues } from '../../src/core/crm-field.ts';
import type { Refusal } from '../contract.ts';
import { refusal } from '../plain.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { createVerifiedWriter, type StoredContact } from '../writing/verified-writes.ts';
import type { Refused } from './api.ts';
import { canonicalId } from './contact.ts';
import type { CivicrmSession } from './session.ts';
import { readValues } from './stored-values.ts';
import { toApi } from './values.ts';

/** The number of contacts in one request. For each contact, CiviCRM runs its hooks, which take time. */
const CHANGES_PER_REQUEST = 50;

/** The number of times that donor-sync tries a request before it splits the request into smaller requests. */
const TRIES_IF_SPLITTABLE = 2;

/** The time (ms) that another transaction usually needs to end. */
const LOCK_WAIT_MS = 1_000;
const LOCK_TRIES = 2;

export function createWriter(session: CivicrmSession) {
  const save = (records: readonly object[], tries?: number) => {
    throwIfStopped(session.signal);
    return session.api.change('Contact', 'save', { records }, tries);
  };

  /** Writes one change. CiviCRM does not report locks clearly, so a refused write is tried again. */
  async function saveOne({ id }: StoredContact<FieldValues>, values: FieldValues) {
    for (let attempt = 1; ; attempt += 1) {
      const refused = await save([toRecord(session, id, values)]);
      if (refused === null || refused.isUnauthorized || attempt === LOCK_TRIES) return refused;
      await session.clock.sleep(LOCK_WAIT_MS, session.signal);
    }
  }

  return createVerifiedWriter<FieldValues>({
    name: 'CiviCRM',
    deps: session,
    perBatch: CHANGES_PER_REQUEST,
    canonicalId,
    read: (ids, names) => readValues(session, ids, names),
    getValue: (stored, name) => stored[name],
    findProblem: (name, value, stored) => findProblem(session, name, value, stored),
    async send(contact, values) {
      const refused = await saveOne(contact, values);
      return refused === null ? { stored: null } : { refusal: toRefusal(refused) };
    },
    async sendTogether(writes) {
      const records = writes.map(({ contact, values }) => toRecord(session, contact.id, values));
      return (await save(records, TRIES_IF_SPLITTABLE)) === null;
    },
    // If a contact is protected, CiviCRM refuses even a request without changes.
    refusesContact: async (contact) => (await saveOne(contact, {})) !== null,
    reasons: REASONS,
  });
}

/**
 * Returns the record to write. The record contains only the ID and donor-sync's fields, so all other data stays
 * unchanged.
 */
function toRecord(
  { fields }: Pick<CivicrmSession, 'fields'>,
  id: string,
  values: FieldValues,
): object {
  const sent = Object.entries(values).map(([name, value]) => {
    const field = fields.get(name);
    return [name, field === undefined ? undefined : toApi(field, value)];
  });
  return { id: Number(id), ...Object.fromEntries(sent) };
}

function findProblem(
  { fields }: Pick<CivicrmSession, 'fields'>,
  name: string,
  value: FieldValue,
  stored: FieldValues,
): Refusal | null {
  const field = fields.get(name);
  if (field === undefined || !(name in stored)) {
    return refusal('NO_SUCH_FIELD', NO_FIELD, { cause: 'no_such_field' });
  }
  if (!field.isWritable) {
    return refusal('FIELD_READ_ONLY', READ_ONLY, { cause: 'no_permission' });
  }
  if (toApi(field, value) !== undefined) return null;
  return refusal('VALUE_DOES_NOT_FIT', DOES_NOT_FIT, { cause: 'does_not_fit' });
}

/** Converts an error from CiviCRM to the reason why a write was refused. CiviCRM's errors have no codes. */
function toRefusal({ isUnauthorized, isLock, words }: Refused): Refusal {
  if (isUnauthorized) {
    return refusal('NOT_ALLOWED', NOT_ALLOWED, { words, cause: 'no_permission' });
  }
  if (isLock) return refusal('LOCKED', LOCKED, { words, retriable: true, isLock: true });
  return refusal('API_ERROR', REFUSED, { words });
}

const NO_FIELD =
  "CiviCRM does not show this field: create it, or give the integration's user access to its custom group.";
const READ_ONLY =
  'donor-sync writes only custom fields, and this field is fixed or only for viewing.';
const DOES_NOT_FIT = "The value does not fit into the field's type, length or options.";
const NOT_ALLOWED = "The integration's user may not edit this contact.";
const LOCKED = 'Another user or process had locked the contact.';
const REFUSED =
  'CiviCRM refused the change and did not say why. Its log names the cause at this time, or give the user the permission "view debug output".';

/** CiviCRM's own reasons for a refusal, which are more specific than the general reasons. */
const REASONS = {
  gone: refusal(
    'CONTACT_GONE',
    "The contact is in CiviCRM's trash, was deleted, or may not be seen by the integration's user.",
  ),
  failed: refusal(
    'SITE_FAILED',
    "CiviCRM's server failed at this contact, and not at others. Its log names the cause at this time, often an extension. The values are written later.",
    // The server may still be executing the request.
    { retriable: true, isPartlyStored: true },
  ),
  notStored: refusal(
    'VALUE_NOT_STORED',
    "CiviCRM accepted the value without storing it. Check that the integration's user may edit this custom group.",
    { cause: 'no_permission' },
  ),
  storedDifferently: refusal(
    'VALUE_STORED_DIFFERENTLY',
    'CiviCRM stored another value: it was cut off, or an extension or a user changed it at the same moment.',
    { cause: 'rule' },
  ),
};
