import { ConfigurationError } from '../src/core/errors.ts';
import { didYouMean } from '../src/core/near-miss.ts';
import type { ConnectorDefinition } from './contract.ts';

/**
 * The kinds of CRM that donor-sync supports without further packages. Each is loaded on demand, because users
 * of one CRM do not need the client of another.
 */
const BUILT_IN: Readonly<Record<string, () => Promise<ConnectorDefinition>>> = {
  csv: async () => (await import('./csv/connector.ts')).csvConnector,
  memory: async () => (await import('./memory/connector.ts')).memoryConnector,
  salesforce: async () => (await import('./salesforce/connector.ts')).salesforceConnector,
  hubspot: async () => (await import('./hubspot/connector.ts')).hubspotConnector,
};

/** Every built-in connector. */
export function loadBuiltInConnectors(): Promise<ConnectorDefinition[]> {
  return Promise.all(Object.values(BUILT_IN).map((load) => load()));
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
  const module = await importPackage(kind);
  const connector = 'connector' in module ? module.connector : undefined;
  if (isConnectorDefinition(connector)) return connector;
  const isOlder = typeof connector === 'object' && connector !== null && 'create' in connector;
  const lacks = isOlder
    ? 'its `connector` follows an older contract (`create` and `prepare` instead of `open` and `check`)'
    : 'the package of that name does not export a `connector`';
  throw unknownKind(kind, lacks);
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

function isConnectorDefinition(value: unknown): value is ConnectorDefinition {
  if (typeof value !== 'object' || value === null) return false;
  const hasText = 'kind' in value && typeof value.kind === 'string';
  const hasSchemas = 'settingsSchema' in value && 'groupSchema' in value;
  const hasFields = 'defaultFields' in value && Array.isArray(value.defaultFields);
  const opens = 'open' in value && typeof value.open === 'function';
  const checks = 'check' in value && typeof value.check === 'function';
  return hasText && hasSchemas && hasFields && opens && checks;
}
