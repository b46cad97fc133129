import { ConfigurationError } from '../src/core/errors.ts';
import { didYouMean } from '../src/core/near-miss.ts';
import type { AboutCrm, AboutRemoteCrm, CrmFeature } from './about.ts';
import { aboutBloomerang } from './bloomerang/about.ts';
import { aboutCivicrm } from './civicrm/about.ts';
import type { ConnectorDefinition } from './contract.ts';
import { aboutCsv } from './csv/about.ts';
import { requireDefinition } from './definition.ts';
import type { CrmDoor } from './doors.ts';
import { aboutHubspot } from './hubspot/about.ts';
import { aboutMemory } from './memory/about.ts';
import { aboutSalesforce } from './salesforce/about.ts';
import type { CrmWebhooks } from './webhooks.ts';

/** The built-in connectors. Each connector is loaded only when it is needed, because most users need only one. */
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

/**
 * The connector packages that have been loaded because the settings name them. A package stays loaded until the process
 * ends.
 */
const PACKAGES = new Map<string, AboutCrm>();

/**
 * Returns the kinds of CRM that users can set up by answering questions. The result includes loaded connector packages.
 */
export function listRemoteCrms(): readonly AboutRemoteCrm[] {
  return [...REMOTE_CRMS, ...[...PACKAGES.values()].filter(isRemote)];
}

/** Returns the facts about a kind of CRM from `listRemoteCrms`, or undefined if that list does not contain the kind. */
export function findRemoteCrm(kind: unknown): AboutRemoteCrm | undefined {
  return listRemoteCrms().find((about) => about.kind === kind);
}

function isRemote(about: AboutCrm): about is AboutRemoteCrm {
  return about.setup !== undefined;
}

/** Returns the CRM's name. If a connector package has no name, returns its kind. */
export function crmName(kind: string): string {
  const builtIn = CONNECTORS.find(([about]) => about.kind === kind)?.[0];
  return (builtIn ?? PACKAGES.get(kind))?.name ?? kind;
}

export function namesOffering(feature: CrmFeature): string {
  return CONNECTORS.flatMap(([{ name, offers }]) => (offers?.includes(feature) ? [name] : [])).join(
    ', ',
  );
}

/**
 * The built-in CRMs that store former values in a history. Each entry tells users how to remove former values from the
 * CRM's history.
 */
export const HISTORIES: readonly { name: string; removal: string }[] = CONNECTORS.flatMap(
  ([{ name, removesFormerValues }]) =>
    removesFormerValues === undefined ? [] : [{ name, removal: removesFormerValues }],
).toSorted((a, b) => a.name.localeCompare(b.name, 'en'));

/** The webhooks of built-in CRMs that use their own forms. */
export const WEBHOOKS: readonly { kind: string; name: string; webhooks: CrmWebhooks }[] =
  CONNECTORS.flatMap(([{ kind, name, webhooks }]) =>
    webhooks === undefined ? [] : [{ kind, name, webhooks }],
  );

/**
 * Returns the webhooks of a built-in CRM or of a loaded package. Returns undefined if the connector declares no
 * webhooks.
 */
export function findWebhooks(kind: string): CrmWebhooks | undefined {
  return WEBHOOKS.find((one) => one.kind === kind)?.webhooks ?? PACKAGES.get(kind)?.webhooks;
}

/** The doors of built-in CRMs. A door is the part of a connector through which a CRM's pages can call donor-sync. */
export const DOORS: readonly { kind: string; name: string; door: CrmDoor }[] = CONNECTORS.flatMap(
  ([{ kind, name, door }]) => (door === undefined ? [] : [{ kind, name, door }]),
);

export function loadBuiltInConnectors(): Promise<ConnectorDefinition[]> {
  return Promise.all(CONNECTORS.map(([, load]) => load()));
}

/** Matches names that npm accepts. Paths and URLs do not match this pattern. */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * Returns true if a connector package can have this name. npm must accept the name, and no built-in kind of CRM may
 * have it.
 */
export function isPackageName(name: string): boolean {
  return PACKAGE_NAME.test(name) && !Object.hasOwn(BUILT_IN, name);
}

/**
 * Returns the connector for `crm.kind`. The connector is built in, or it is the export `connector` of the package with
 * this name. Throws a ConfigurationError that lists the valid kinds.
 */
export async function findConnectorDefinition(kind: string): Promise<ConnectorDefinition> {
  const load = Object.hasOwn(BUILT_IN, kind) ? BUILT_IN[kind] : undefined;
  if (load !== undefined) return load();
  if (!PACKAGE_NAME.test(kind)) throw unknownKind(kind, 'it is not a package name either');
  const definition = connectorOf(kind, await importPackage(kind));
  if (definition.about !== undefined) PACKAGES.set(kind, { ...definition.about, kind });
  return definition;
}

/**
 * Throws a ConfigurationError if the connector is missing or incomplete. Also throws if the connector has a different
 * version of the contract.
 */
export function connectorOf(name: string, module: object): ConnectorDefinition {
  const connector: unknown = 'connector' in module ? module.connector : undefined;
  if (typeof connector !== 'object' || connector === null) {
    throw unknownKind(name, 'the package of that name does not export a `connector`');
  }
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
