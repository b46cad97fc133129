import { ConfigurationError } from '../src/core/errors.ts';
import { didYouMean } from '../src/core/near-miss.ts';
import type { ConnectorDefinition } from './contract.ts';
import { csvConnector } from './csv/connector.ts';
import { hubspotConnector } from './hubspot/connector.ts';
import { memoryConnector } from './memory/connector.ts';
import { salesforceConnector } from './salesforce/connector.ts';

/** The kinds of CRM that donor-sync knows without further packages. */
export const connectorDefinitions: readonly ConnectorDefinition[] = [
  csvConnector,
  memoryConnector,
  salesforceConnector,
  hubspotConnector,
];

/** What npm accepts as a name; paths and URLs are not. */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * The connector for `crm.kind`: a built-in one, or the export named `connector` of a package of
 * that name. Throws a ConfigurationError that says what to type.
 */
export async function findConnectorDefinition(kind: string): Promise<ConnectorDefinition> {
  const builtIn = connectorDefinitions.find((definition) => definition.kind === kind);
  if (builtIn !== undefined) return builtIn;
  if (!PACKAGE_NAME.test(kind)) throw unknownKind(kind, 'it is no name of a package either');
  const module = await importPackage(kind);
  const connector = 'connector' in module ? module.connector : undefined;
  if (isConnectorDefinition(connector)) return connector;
  throw unknownKind(kind, 'the package of that name has no export `connector` that is one');
}

async function importPackage(name: string): Promise<object> {
  try {
    const module: unknown = await import(name);
    return typeof module === 'object' && module !== null ? module : {};
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const reason = isMissing
      ? `there is no package of that name beside donor-sync (npm install ${name})`
      : 'the package of that name cannot be loaded';
    throw unknownKind(name, reason, error);
  }
}

function unknownKind(kind: string, reason: string, cause?: unknown): ConfigurationError {
  const known = connectorDefinitions.map((definition) => definition.kind).join(', ');
  const guess = didYouMean(
    kind,
    connectorDefinitions.map((definition) => definition.kind),
  );
  const message =
    `crm.kind "${kind}" is none of the built-in kinds (${known}), and ${reason}${guess || '.'} ` +
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
  return (
    hasText && hasSchemas && hasFields && 'create' in value && typeof value.create === 'function'
  );
}
