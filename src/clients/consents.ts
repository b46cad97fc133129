/** Connects a CRM account with a user's consent on the CRM's page, and disconnects it. */
import type { Consent, ConsentDeps, Consented, CrmAccount } from '../../connectors/contract.ts';
import { findConnectorDefinition, REMOTE_CRMS } from '../../connectors/index.ts';
import type { Application } from '../application.ts';
import type { Clock } from '../core/clock.ts';
import {
  ConfigurationError,
  isConfigurationError,
  isDonorSyncError,
  isRetriableError,
  RetriableError,
} from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import { newSecret } from '../core/new-secret.ts';
import { unknownClient } from '../core/shared-errors.ts';
import { consentVerifierSealContext } from '../database/encryption/seal-contexts.ts';
import { oauthWord } from '../outbound/sign-in.ts';
import { hashToken } from '../people/access-token.ts';
import { accountChanged } from '../sync/control/crm-account.ts';
import { connectorSecrets, type IntegrationSecrets } from './connector-secrets.ts';
import { readCrmSettings } from './crm-settings.ts';
import {
  type ConsentRecord,
  concludeConsent,
  findConsentByState,
  insertConsent,
  takeConsent,
} from './statements/consents.ts';
import { findIntegrationState } from './statements/integrations.ts';

export interface ConsentsDeps {
  application: Pick<
    Application,
    'store' | 'sealer' | 'integrations' | 'allowInsecureHttp' | 'guard'
  >;
  clock: Clock;
  signal: AbortSignal;
  /** Finds an integration's set-up. A set-up has precedence over the stored settings. */
  findDraft?: (id: string) => Promise<Integration | null>;
}

interface ConsentLook {
  application: Pick<Application, 'store' | 'sealer' | 'allowInsecureHttp'>;
}

/** The time within which a user has to grant access in the CRM and return. */
export const CONSENT_LIFE_MS = 600_000;

/** The `outcome` of a successful consent. */
export const CONNECTED = 'connected';

/**
 * Starts a consent and returns its state. The CRM can return the state only once, within ten minutes. Anyone who knows
 * the state can open the CRM's page.
 */
export async function beginConsent(deps: ConsentsDeps, integration: Integration): Promise<string> {
  const { store, sealer } = deps.application;
  await requireConsent(deps, integration);
  const state = newSecret();
  const key = { stateHash: hashToken(state), integrationId: integration.id };
  await insertConsent(store.connection, {
    ...key,
    verifier: sealer.seal(newSecret(), consentVerifierSealContext(key)),
    expiresAt: deps.clock.now() + CONSENT_LIFE_MS,
  });
  return state;
}

/** The data that identifies a consent in progress. */
export interface ConsentKey {
  kind: string;
  state: string;
  /** The address to which the CRM redirects the user. Both requests of a consent must use this address. */
  redirectUri: string;
}

/**
 * Returns the address of the CRM's page for a consent in progress. Throws a ConfigurationError if the consent is not in
 * progress.
 */
export async function consentPage(
  deps: ConsentsDeps,
  { kind, state, redirectUri }: ConsentKey,
): Promise<string> {
  const { store, sealer } = deps.application;
  const row = await findConsentByState(store.reader, hashToken(state));
  if (!row || row.outcome !== null || row.expiresAt <= deps.clock.now()) throw notUnderWay();
  const { consent, settings } = await requireConsent(
    deps,
    await requireIntegration(deps, row, kind),
  );
  const codeVerifier = sealer.open(row.verifier, consentVerifierSealContext(row));
  return consent.begin(settings, { redirectUri, state, codeVerifier });
}

/** The parameters with which the CRM redirects the user back. */
export type ConsentAnswer =
  | { code: string }
  /** The CRM's code for a refusal. Further text from the CRM is ignored. */
  | { error: string };

export interface Connected {
  integrationId: string;
  account: CrmAccount;
}

/**
 * Completes a consent with the parameters from the CRM. This works only once. The encrypted refresh token is stored
 * before this function resolves. After an error, the state cannot be used again, and `findConsentOutcome` returns the
 * reason.
 */
export async function completeConsent(
  deps: ConsentsDeps,
  key: ConsentKey,
  answer: ConsentAnswer,
): Promise<Connected> {
  const { store } = deps.application;
  const row = await takeConsent(store.connection, hashToken(key.state));
  if (!row) throw notUnderWay();
  try {
    const connected = await connect(deps, row, key, answer);
    await concludeConsent(store.connection, row.stateHash, CONNECTED);
    return connected;
  } catch (error) {
    await concludeConsent(store.connection, row.stateHash, describeReason(error));
    throw error;
  }
}

/** Returns `connected` or the reason for the failure. Returns null until the user has returned from the CRM. */
export async function findConsentOutcome(
  { application: { store } }: Pick<ConsentsDeps, 'application'>,
  state: string,
): Promise<string | null> {
  const outcome = (await findConsentByState(store.reader, hashToken(state)))?.outcome ?? null;
  // The user has returned, and the request for the token is in progress.
  return outcome === 'taken' ? null : outcome;
}

/** The outcome of a disconnection. */
export interface Disconnected {
  problem: string | null;
}

/**
 * Lets the CRM revoke a consent's token, and deletes the token. Keeps the data about contacts. If the CRM refuses to
 * revoke the token, the token is deleted anyway. If the CRM cannot be reached, throws an error and changes nothing.
 */
export async function disconnect(
  deps: ConsentsDeps,
  integration: Integration,
): Promise<Disconnected> {
  const { consent, settings, name, refreshToken } = await requireConnected(deps, integration);
  const problem = (await isHeldElsewhere(deps, integration, refreshToken))
    ? 'Another client uses the same token, so it stays valid.'
    : await revoke(consent, settings, refreshToken, consentDeps(deps, integration));
  const entry = { action: 'crm.disconnected', integrationId: integration.id } as const;
  await getSecrets(deps, integration).remove(name, entry);
  return { problem };
}

/**
 * True if another client uses the same token. Some CRMs return the same token each time an app is connected to an
 * account.
 */
async function isHeldElsewhere(
  deps: ConsentsDeps,
  { id, crm }: Integration,
  refreshToken: string,
): Promise<boolean> {
  for (const other of deps.application.integrations.values()) {
    if (other.id === id || other.crm.kind !== crm.kind) continue;
    const wanted = await findConsent(deps, other);
    if (wanted === null) continue;
    const name = wanted.consent.secretName(wanted.settings);
    if ((await getSecrets(deps, other).read(name)) === refreshToken) return true;
  }
  return false;
}

/**
 * Throws a ConfigurationError: `invalid` if the integration does not sign in by consent, `conflict` if it is not
 * connected.
 */
export async function requireConnected(
  deps: ConsentLook,
  integration: Integration,
): Promise<WantedConsent & { name: string; refreshToken: string }> {
  const wanted = await requireConsent(deps, integration);
  const name = wanted.consent.secretName(wanted.settings);
  const refreshToken = await getSecrets(deps, integration).read(name);
  if (refreshToken !== null) return { ...wanted, name, refreshToken };
  const { id } = integration;
  throw notConnected(
    `"${id}" is not connected to a CRM account. Nothing was changed. To connect it: donor-sync connect ${id}`,
    { refusal: 'conflict', details: { integration: id } },
  );
}

export function notConnected(
  why: string,
  facts: Pick<ConstructorParameters<typeof ConfigurationError>[1], 'refusal' | 'details'> = {},
): ConfigurationError {
  return new ConfigurationError(why, { code: 'not_connected', ...facts });
}

/** True if a user still has to connect the integration to its CRM. */
export async function waitsForConsent(
  deps: ConsentLook,
  integration: Integration,
): Promise<boolean> {
  return (await findConnection(deps, integration)) === 'waits';
}

export async function findConnection(
  deps: ConsentLook,
  integration: Integration,
): Promise<'connected' | 'waits' | 'by_settings'> {
  const found = await findConsent(deps, integration);
  if (found === null) return 'by_settings';
  const name = found.consent.secretName(found.settings);
  const isMissing = (await getSecrets(deps, integration).read(name)) === null;
  return isMissing ? 'waits' : 'connected';
}

interface WantedConsent {
  consent: Consent;
  settings: unknown;
}

const CONSENT_CRMS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  REMOTE_CRMS.flatMap(({ name, setup }) =>
    setup.signIns.some(({ isConsent }) => isConsent) ? [name] : [],
  ),
);

async function requireConsent(deps: ConsentLook, integration: Integration): Promise<WantedConsent> {
  const found = await findConsent(deps, integration);
  if (found !== null) return found;
  const { id, crm } = integration;
  throw new ConfigurationError(
    `"${id}" signs in to its CRM (${crm.kind}) with the credentials in its settings, so it does not have to be connected. To connect a ${CONSENT_CRMS} account by hand, set crm.auth to { type: oauth, clientId, clientSecret }.`,
    { code: 'consent_not_wanted', details: { integration: id } },
  );
}

async function findConsent(
  { application: { allowInsecureHttp } }: ConsentLook,
  integration: Integration,
): Promise<WantedConsent | null> {
  const definition = await findConnectorDefinition(integration.crm.kind);
  const { consent } = definition;
  if (consent === undefined) return null;
  const settings = readCrmSettings(definition, integration, allowInsecureHttp);
  return consent.isWanted(settings) ? { consent, settings } : null;
}

/** Returns the integration, or throws an error. A `serve` process with older settings may not know the integration. */
async function requireIntegration(
  { application, findDraft }: ConsentsDeps,
  { integrationId: id }: ConsentRecord,
  kind: string,
): Promise<Integration> {
  const integration = (await findDraft?.(id)) ?? application.integrations.get(id);
  if (integration?.crm.kind === kind) return integration;
  const next = `The settings contain no client with this ID and the CRM "${kind}". If you changed the settings, restart donor-sync serve.`;
  throw unknownClient(id, { next, refusal: 'invalid' });
}

function notUnderWay(): ConfigurationError {
  return new ConfigurationError(
    'This address has already been used, is older than ten minutes, or is not valid. Start again: donor-sync connect.',
    { code: 'consent_not_under_way' },
  );
}

async function connect(
  deps: ConsentsDeps,
  row: ConsentRecord,
  { kind, redirectUri }: ConsentKey,
  answer: ConsentAnswer,
): Promise<Connected> {
  const integration = await requireIntegration(deps, row, kind);
  if ('error' in answer) throw refused(answer);
  const { consent, settings } = await requireConsent(deps, integration);
  const codeVerifier = deps.application.sealer.open(row.verifier, consentVerifierSealContext(row));
  const reply = { code: answer.code, redirectUri, codeVerifier };
  const consented = await reached(
    consent.complete(settings, reply, consentDeps(deps, integration)),
  );
  await requireSameAccount(deps, integration, consented);
  await getSecrets(deps, integration).write(consent.secretName(settings), consented.refreshToken, {
    action: 'crm.connected',
    integrationId: integration.id,
  });
  return { integrationId: integration.id, account: consented.account };
}

function refused({ error }: { error: string }) {
  const word = oauthWord(error);
  return new ConfigurationError(`The CRM did not grant donor-sync access (${word}).`, {
    code: 'consent_denied',
    details: { word },
  });
}

/**
 * Throws an error for a different account, because its IDs belong to different people. The token for the wrong account
 * is discarded, but not revoked. Some CRMs issue the same token twice, so revoking it would disconnect a different
 * integration.
 */
async function requireSameAccount(
  { application: { store } }: ConsentsDeps,
  { id }: Integration,
  { account }: Consented,
): Promise<void> {
  const { crmAccount } = await findIntegrationState(store.reader, id);
  if (crmAccount === null || crmAccount === store.fingerprint('crm_account', account.id)) return;
  throw accountChanged(id, account);
}

function getSecrets({ application }: ConsentLook, { id }: Integration): IntegrationSecrets {
  return connectorSecrets(application, id);
}

function consentDeps(
  { clock, signal, application: { guard } }: ConsentsDeps,
  integration: Integration,
): ConsentDeps {
  const fetch = guard.fetchFor(integration);
  return { clock, signal, ...(fetch && { fetch }) };
}

/** Describes the reason for the user. Unexpected errors are only logged. */
function describeReason(error: unknown): string {
  return isDonorSyncError(error) ? error.message : 'An internal error occurred.';
}

async function revoke(
  consent: Consent,
  settings: unknown,
  refreshToken: string,
  deps: ConsentDeps,
): Promise<string | null> {
  try {
    await reached(consent.revoke(settings, refreshToken, deps));
    return null;
  } catch (error) {
    if (isConfigurationError(error)) return error.message;
    throw error;
  }
}

/** Replaces the message about an unavailable CRM. The original message mentions runs, but no run is waiting here. */
async function reached<Result>(asking: Promise<Result>): Promise<Result> {
  try {
    return await asking;
  } catch (error) {
    if (!isRetriableError(error)) throw error;
    throw new RetriableError(
      'The CRM cannot be reached or is busy, so nothing was changed. Try again later.',
      { code: 'crm_unavailable', cause: error },
    );
  }
}
