import { ConfigurationError } from '../src/core/errors.ts';
import { didYouMean } from '../src/core/near-miss.ts';
import type { AboutCrm, AboutRemoteCrm, CrmFeature } from './about.ts';
import { aboutBloomerang } from './bloomerang/about.ts';
import { aboutCivicrm } from './civicrm/about.ts';
import type { ConnectorDefinition } from './contract.ts';
import { aboutCsv } from './csv/about.ts';
import { aboutHubspot } from './hubspot/about.ts';
import { aboutMemory } from './memory/about.ts';
import { aboutSalesforce } from './salesforce/about.ts';
import type { CrmWebhooks } from './webhooks.ts';

/**
 * The kinds of CRM that donor-sync supports without further packages, in the order in which users see them. A connector
 * is loaded on demand, because users of one CRM do not need the client of another.
 */
const CONNECTORS: readonly [AboutCrm, () => Promise<ConnectorDefinition>][] = [
  [aboutCsv, async () => (await import('./csv/connector.ts')).csvConnector],
  [aboutMemory, async () => (await import('./memory/connector.ts')).memoryConnector],
  [aboutSalesforce, async () => (await import('./salesforce/connector.ts')).salesforceConnector],
  [aboutHubspot, async () => (await import('./hubspot/connector.ts')).hubspotConnector],
  [aboutCivicrm, async () => (await import('./civicrm/connector.ts')).civicrmConnector],
  [aboutBloomerang, async () => (await import('./bloomerang/connector.ts')).bloomerangConnector],
];

const BUILT_IN = Object.fromEntries(CONNECTORS.map(([{ kind }, load]) => [kind, load]));

/** The built-in kinds of CRM that users can set up by answering questions. */
export const REMOTE_CRMS: readonly AboutRemoteCrm[] = CONNECTORS.flatMap(([about]) =>
  isRemote(about) ? [about] : [],
);

/** Returns the facts about a kind of CRM in `REMOTE_CRMS`; undefined for any other text. */
export function findRemoteCrm(kind: unknown): AboutRemoteCrm | undefined {
  return REMOTE_CRMS.find((about) => about.kind === kind);
}

function isRemote(about: AboutCrm): about is AboutRemoteCrm {
  return about.setup !== undefined;
}

/** Returns a CRM's name as its vendor spells it; its kind for a connector package. */
export function crmName(kind: string): string {
  return CONNECTORS.find(([about]) => about.kind === kind)?.[0].name ?? kind;
}

/** Returns the names of the built-in CRMs with a feature, for texts: `Salesforce`. */
export function namesOffering(feature: CrmFeature): string {
  return CONNECTORS.flatMap(([{ name, offers }]) => (offers?.includes(feature) ? [name] : [])).join(
    ', ',
  );
}

/** The built-in CRMs that keep former values in a history, by name, and how users remove the values there. */
export const HISTORIES: readonly { name: string; removal: string }[] = CONNECTORS.flatMap(
  ([{ name, removesFormerValues }]) =>
    removesFormerValues === undefined ? [] : [{ name, removal: removesFormerValues }],
).toSorted((a, b) => a.name.localeCompare(b.name, 'en'));

/** The webhooks of the built-in kinds of CRM that have their own forms. */
export const WEBHOOKS: readonly { kind: string; name: string; webhooks: CrmWebhooks }[] =
  CONNECTORS.flatMap(([{ kind, name, webhooks }]) =>
    webhooks === undefined ? [] : [{ kind, name, webhooks }],
  );

/** Returns the webhooks of a kind of CRM; undefined if it declares none. */
export function findWebhooks(kind: string): CrmWebhooks | undefined {
  return WEBHOOKS.find((one) => one.kind === kind)?.webhooks;
}

/** Every built-in connector. */
export function loadBuiltInConnectors(): Promise<ConnectorDefinition[]> {
  return Promise.all(CONNECTORS.map(([, load]) => load()));
}

/** Matches names that npm accepts. Paths and URLs do not match. */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * Returns true if a connector package may have this name, because npm accepts it and no built-in kind has it.
 */
export function isPackageName(name: string): boolean {
  return PACKAGE_NAME.test(name) && !Object.hasOwn(BUILT_IN, name);
}

/**
 * Returns the connector for `crm.kind`: a built-in one, or the export `connector` of the package with that
 * name. Throws a ConfigurationError that lists the valid kinds.
 */
export async function findConnectorDefinition(kind: string): Promise<ConnectorDefinition> {
  const load = Object.hasOwn(BUILT_IN, kind) ? BUILT_IN[kind] : undefined;
  if (load !== undefined) return load();
  if (!PACKAGE_NAME.test(kind)) throw unknownKind(kind, 'it is not a package name either');
  return connectorOf(kind, await importPackage(kind));
}

/**
 * Returns the connector that a package exports. Throws a ConfigurationError if there is none, if it follows another
 * version of the contract, or if a part of it is missing.
 */
export function connectorOf(name: string, module: object): ConnectorDefinition {
  const connector: unknown = 'connector' in module ? module.connector : undefined;
  if (typeof connector !== 'object' || connector === null) {
    throw unknownKind(name, 'the package of that name does not export a `connector`');
  }
  requireContract(name, connector);
  return requireDefinition(name, connector);
}

async function importPackage(name: string): Promise<object> {
  try {
    const module: unknown = await import(name);
    return typeof module === 'object' && module !== null ? module : {};
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const reason = isMissing
      ? `there is no package of that name next to donor-sync (npm install ${name})`
      : 'the package of that name cannot be loaded';
    throw unknownKind(name, reason, error);
  }
}

function unknownKind(kind: string, reason: string, cause?: unknown): ConfigurationError {
  const known = Object.keys(BUILT_IN).join(', ');
  const guess = didYouMean(kind, Object.keys(BUILT_IN));
  const message =
    `crm.kind "${kind}" is not a built-in kind (${known}), and ${reason}${guess || '.'} ` +
    'Write one of the built-in kinds, or the name of an installed connector package.';
  return new ConfigurationError(message, {
    code: 'connector_unknown',
    cause,
    details: { kind, known },
  });
}

/** A package for another version might open, and then lack a function in the middle of a run. */
function requireContract(name: string, connector: object): void {
  const contract: unknown = Reflect.get(connector, 'contract');
  if (contract === CONTRACT) return;
  const unknown = contract === undefined ? 'a version without a number' : 'an unknown version';
  const follows = typeof contract === 'number' ? `version ${contract}` : unknown;
  throw new ConfigurationError(
    `The connector package "${name}" follows ${follows} of the connector contract, and this donor-sync needs version ${CONTRACT}. ` +
      `Nothing was loaded. Install a version of "${name}" for contract ${CONTRACT}, or the donor-sync that it was made for.`,
    { code: 'connector_contract', details: { package: name, contract: contract ?? null } },
  );
}

/** The version of the contract that this donor-sync loads. */
const CONTRACT = 2;

/** Throws a ConfigurationError that names every part that is missing or has the wrong form. */
function requireDefinition(name: string, connector: object): ConnectorDefinition {
  if (isConnectorDefinition(connector)) return connector;
  const parts = listWrongParts(connector);
  throw new ConfigurationError(
    `The \`connector\` of the package "${name}" lacks these parts, or they have the wrong form: ${parts.join(', ')}. ` +
      `Nothing was loaded. Correct the package, or install another version of it.`,
    { code: 'connector_incomplete', details: { package: name, parts } },
  );
}

function isConnectorDefinition(value: object): value is ConnectorDefinition {
  return listWrongParts(value).length === 0;
}

function listWrongParts(connector: object): string[] {
  return Object.entries(PARTS).flatMap(([part, isRight]) =>
    isRight(Reflect.get(connector, part)) ? [] : [part],
  );
}

const isFunction = (part: unknown) => typeof part === 'function';
const isSchema = (part: unknown) => isFunction(Reflect.get(Object(part), 'safeParse'));
const orOmitted = (isRight: (part: unknown) => boolean) => (part: unknown) =>
  part === undefined || isRight(part);

/** The form of each part of a definition that is used. */
const PARTS: Readonly<Record<string, (part: unknown) => boolean>> = {
  kind: (part) => typeof part === 'string',
  settingsSchema: isSchema,
  groupSchema: isSchema,
  defaultFields: (part) => Array.isArray(part),
  open: isFunction,
  check: isFunction,
  consent: orOmitted((part) =>
    ['isWanted', 'secretName', 'begin', 'complete', 'revoke'].every((name) =>
      isFunction(Reflect.get(Object(part), name)),
    ),
  ),
  canonicalId: orOmitted(isFunction),
  otherForms: orOmitted(isFunction),
  recordUrl: orOmitted(isFunction),
  rereadAfterMs: orOmitted((part) => Array.isArray(part)),
  fieldsAsSource: orOmitted(isFunction),
};
