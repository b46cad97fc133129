/** Every place in the database that holds sealed text, and what binds a text to it. */
import type { SealPlace } from './sealed.ts';

/** A column of sealed text (or null), the primary key of its table, and what binds a text to a row. */
export interface SealedColumn {
  table: string;
  column: string;
  key: readonly [string, ...string[]];
  /** The columns whose values make `SealPlace.row`; they never change while the row is there. */
  boundTo: readonly [string, ...string[]];
}

export const SECRET_VALUE = {
  table: 'secrets',
  column: 'value',
  key: ['name'],
  boundTo: ['name'],
} as const satisfies SealedColumn;

const APPLIED_SETTINGS = {
  table: 'integrations',
  column: 'settings',
  key: ['id'],
  boundTo: ['id'],
} as const satisfies SealedColumn;

/** Also bound to the contact: with its id exchanged, a row would restore one person to another. */
const VALUES_BEFORE = {
  table: 'writes',
  column: 'before',
  key: ['id'],
  boundTo: ['id', 'integration_id', 'crm_id'],
} as const satisfies SealedColumn;

const HOOK_SECRET = {
  table: 'hooks',
  column: 'secret',
  key: ['integration_id'],
  boundTo: ['integration_id'],
} as const satisfies SealedColumn;

const CONSENT_VERIFIER = {
  table: 'consents',
  column: 'verifier',
  key: ['state_hash'],
  boundTo: ['state_hash', 'integration_id'],
} as const satisfies SealedColumn;

/** Bound to its run and its contact: exchanged, it would say of one person what is another's. */
const FOREIGN_TEXT = {
  table: 'foreign_texts',
  column: 'sealed',
  key: ['id'],
  boundTo: ['id', 'integration_id', 'run_id', 'crm_id'],
} as const satisfies SealedColumn;

const SETUP_DRAFT = {
  table: 'setup_drafts',
  column: 'draft',
  key: ['integration_id'],
  boundTo: ['integration_id'],
} as const satisfies SealedColumn;

const PERSON = {
  table: 'people',
  column: 'sealed',
  key: ['id'],
  boundTo: ['id'],
} as const satisfies SealedColumn;

const PASSKEY = {
  table: 'passkeys',
  column: 'sealed',
  key: ['id'],
  boundTo: ['id'],
} as const satisfies SealedColumn;

/** The key of a kept profile: bound to its contact, or one person's profile could be given to another. */
const PROFILE_KEY = {
  table: 'kept_profiles',
  column: 'key',
  key: ['integration_id', 'crm_id'],
  boundTo: ['integration_id', 'crm_id'],
} as const satisfies SealedColumn;

/** Every column that holds sealed text; `test/store/secrets/reseal.test.ts` rotates them all. */
export const SEALED_COLUMNS = [
  SECRET_VALUE,
  APPLIED_SETTINGS,
  VALUES_BEFORE,
  HOOK_SECRET,
  CONSENT_VERIFIER,
  FOREIGN_TEXT,
  SETUP_DRAFT,
  PERSON,
  PASSKEY,
  PROFILE_KEY,
] as const satisfies readonly SealedColumn[];

export function secretPlace(name: string): SealPlace {
  return placeIn(SECRET_VALUE, [name]);
}

export function settingsPlace(integrationId: string): SealPlace {
  return placeIn(APPLIED_SETTINGS, [integrationId]);
}

/** The values that a write found in the CRM. */
export function valuesBeforePlace(write: {
  id: string;
  integrationId: string;
  crmId: string;
}): SealPlace {
  return placeIn(VALUES_BEFORE, [write.id, write.integrationId, write.crmId]);
}

export function hookSecretPlace(integrationId: string): SealPlace {
  return placeIn(HOOK_SECRET, [integrationId]);
}

export function consentVerifierPlace(consent: {
  stateHash: string;
  integrationId: string;
}): SealPlace {
  return placeIn(CONSENT_VERIFIER, [consent.stateHash, consent.integrationId]);
}

export function setupDraftPlace(integrationId: string): SealPlace {
  return placeIn(SETUP_DRAFT, [integrationId]);
}

/** What a CRM said of a contact, or of a whole run. */
export function foreignTextPlace(text: {
  id: string;
  integrationId: string;
  runId: string;
  crmId: string;
}): SealPlace {
  return placeIn(FOREIGN_TEXT, [text.id, text.integrationId, text.runId, text.crmId]);
}

/** Who a person is that signs in. */
export function personPlace(id: string): SealPlace {
  return placeIn(PERSON, [id]);
}

/** What a person calls a passkey. */
export function passkeyPlace(id: string): SealPlace {
  return placeIn(PASSKEY, [id]);
}

/** The key of the profile that is kept of a contact. */
export function profileKeyPlace(integrationId: string, crmId: string): SealPlace {
  return placeIn(PROFILE_KEY, [integrationId, crmId]);
}

/** The place of a row that was read with the columns in `boundTo`. */
export function placeOfRow(
  column: SealedColumn,
  row: Readonly<Record<string, unknown>>,
): SealPlace {
  const [first, ...others] = column.boundTo;
  return placeIn(column, [String(row[first]), ...others.map((name) => String(row[name]))]);
}

function placeIn({ table, column }: SealedColumn, row: SealPlace['row']): SealPlace {
  return { table, column, row };
}
