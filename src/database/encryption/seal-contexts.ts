/** Every place in the database that holds sealed text, and what binds a text to it. */
import type { SealContext } from './sealed.ts';

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

/** Every column that holds sealed text; `test/database/encryption/reseal.test.ts` rotates them all. */
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

export function secretSealContext(name: string): SealContext {
  return sealContextIn(SECRET_VALUE, [name]);
}

export function settingsSealContext(integrationId: string): SealContext {
  return sealContextIn(APPLIED_SETTINGS, [integrationId]);
}

/** The values that a write found in the CRM. */
export function valuesBeforeSealContext(write: {
  id: string;
  integrationId: string;
  crmId: string;
}): SealContext {
  return sealContextIn(VALUES_BEFORE, [write.id, write.integrationId, write.crmId]);
}

export function hookSecretSealContext(integrationId: string): SealContext {
  return sealContextIn(HOOK_SECRET, [integrationId]);
}

export function consentVerifierSealContext(consent: {
  stateHash: string;
  integrationId: string;
}): SealContext {
  return sealContextIn(CONSENT_VERIFIER, [consent.stateHash, consent.integrationId]);
}

export function setupDraftSealContext(integrationId: string): SealContext {
  return sealContextIn(SETUP_DRAFT, [integrationId]);
}

/** What a CRM said of a contact, or of a whole run. */
export function foreignTextSealContext(text: {
  id: string;
  integrationId: string;
  runId: string;
  crmId: string;
}): SealContext {
  return sealContextIn(FOREIGN_TEXT, [text.id, text.integrationId, text.runId, text.crmId]);
}

/** Who a person is that signs in. */
export function personSealContext(id: string): SealContext {
  return sealContextIn(PERSON, [id]);
}

/** What a person calls a passkey. */
export function passkeySealContext(id: string): SealContext {
  return sealContextIn(PASSKEY, [id]);
}

/** The key of the profile that is kept of a contact. */
export function profileKeySealContext(integrationId: string, crmId: string): SealContext {
  return sealContextIn(PROFILE_KEY, [integrationId, crmId]);
}

/** The place of a row that was read with the columns in `boundTo`. */
export function placeOfRow(
  column: SealedColumn,
  row: Readonly<Record<string, unknown>>,
): SealContext {
  const [first, ...others] = column.boundTo;
  return sealContextIn(column, [String(row[first]), ...others.map((name) => String(row[name]))]);
}

function sealContextIn({ table, column }: SealedColumn, row: SealContext['row']): SealContext {
  return { table, column, row };
}
