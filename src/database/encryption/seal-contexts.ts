/** Lists every place with encrypted values, as the table catalogue declares it. */
import { type CATALOGUE, listColumns } from '../tables/catalogue.ts';
import type { SealContext } from './sealed.ts';

/** An encrypted column (or null), its primary key, and the columns to which it is bound. */
export interface SealedColumn {
  table: string;
  column: string;
  key: readonly [string, ...string[]];
  /** The columns whose values form `SealContext.row`. These values never change during the row's life. */
  boundTo: readonly [string, ...string[]];
}

/**
 * All columns that the secret key encrypts. `test/database/encryption/reseal.test.ts` rotates all encrypted columns.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = listColumns('sealed').flatMap(
  ({ table, column, of, says }) =>
    says.with === 'secret key'
      ? [{ table, column, key: of.answers.key, boundTo: says.boundTo }]
      : [],
);

export function secretSealContext(name: string): SealContext {
  return createSealContext('secrets', 'value', { name });
}

export function settingsSealContext(integrationId: string): SealContext {
  return createSealContext('integrations', 'settings', { id: integrationId });
}

/**
 * Returns the context of the values before a write. The values are bound to the contact, because they could otherwise
 * be restored to another person's contact.
 */
export function valuesBeforeSealContext(write: {
  id: string;
  integrationId: string;
  crmId: string;
}): SealContext {
  const { id, integrationId, crmId } = write;
  return createSealContext('writes', 'before', {
    id,
    integration_id: integrationId,
    crm_id: crmId,
  });
}

export function hookSecretSealContext(integrationId: string): SealContext {
  return createSealContext('hooks', 'secret', { integration_id: integrationId });
}

export function consentVerifierSealContext(consent: {
  stateHash: string;
  integrationId: string;
}): SealContext {
  return createSealContext('consents', 'verifier', {
    state_hash: consent.stateHash,
    integration_id: consent.integrationId,
  });
}

export function setupDraftSealContext(integrationId: string): SealContext {
  return createSealContext('setup_drafts', 'draft', { integration_id: integrationId });
}

/**
 * Returns the context of a CRM message. The context binds the message to the contact, because the message could
 * otherwise be shown for another person.
 */
export function foreignTextSealContext(text: {
  id: string;
  integrationId: string;
  runId: string;
  crmId: string;
}): SealContext {
  return createSealContext('foreign_texts', 'sealed', {
    id: text.id,
    integration_id: text.integrationId,
    run_id: text.runId,
    crm_id: text.crmId,
  });
}

/** Returns the context of the name of the user who undid a run. */
export function undoAuthorSealContext(runId: string): SealContext {
  return createSealContext('run_undos', 'author', { run_id: runId });
}

export function personSealContext(id: string): SealContext {
  return createSealContext('people', 'sealed', { id });
}

/** Returns the context of the one-time value that confirms a server address. */
export function addressSealContext(id: string): SealContext {
  return createSealContext('addresses', 'secret', { id });
}

/** Returns the context of the CRM user to whom a user is linked. */
export function crmUserSealContext(id: string): SealContext {
  return createSealContext('crm_users', 'sealed', { id });
}

/** Returns the context of the name that a user gave to a passkey. */
export function passkeySealContext(id: string): SealContext {
  return createSealContext('passkeys', 'sealed', { id });
}

/**
 * Returns the context of a profile's key. The context binds the key to the contact, because the profile could otherwise
 * reach another person's contact.
 */
export function profileKeySealContext(integrationId: string, crmId: string): SealContext {
  return createSealContext('kept_profiles', 'key', {
    integration_id: integrationId,
    crm_id: crmId,
  });
}

/** Returns the context of a month's results. */
export function monthResultsSealContext(integrationId: string, month: string): SealContext {
  return createSealContext('month_results', 'results', { integration_id: integrationId, month });
}

export function placeOfRow(
  column: SealedColumn,
  row: Readonly<Record<string, unknown>>,
): SealContext {
  const [first, ...others] = column.boundTo;
  return {
    table: column.table,
    column: column.column,
    row: [String(row[first]), ...others.map((name) => String(row[name]))],
  };
}

type Catalogue = typeof CATALOGUE;

/** The columns to which an encrypted column is bound. `never` for columns that are not encrypted. */
type BoundTo<Of> = Of extends { says: { boundTo: readonly (infer Name extends string)[] } }
  ? Name
  : never;

function createSealContext<
  Name extends keyof Catalogue,
  Of extends keyof Catalogue[Name]['columns'] & string,
>(
  table: Name,
  column: Of,
  row: Readonly<Record<BoundTo<Catalogue[Name]['columns'][Of]>, string>>,
): SealContext {
  const sealed = SEALED_COLUMNS.find((each) => each.table === table && each.column === column);
  if (sealed === undefined) throw new Error(`${table}.${column} is not encrypted`);
  return placeOfRow(sealed, row);
}
