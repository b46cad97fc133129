import { z } from 'zod';
import type { ConnectorDefinition } from '../../connectors/contract.ts';
import { findConnectorDefinition } from '../../connectors/index.ts';
import { ConfigurationError } from '../../src/core/errors.ts';

const text = z.string().trim().min(1);

const auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('token'), token: text }),
  z.strictObject({ type: z.literal('jwt'), clientId: text, username: text, privateKey: text }),
  z.strictObject({ type: z.literal('clientCredentials'), clientId: text, clientSecret: text }),
  z.strictObject({
    type: z.literal('refreshToken'),
    clientId: text,
    clientSecret: text.optional(),
    refreshToken: text,
  }),
]);

/** Creates a connector that has the settings of design 4.2 and opens no connection. */
export function aConnector(kind: string): ConnectorDefinition {
  return {
    contract: 2,
    kind,
    settingsSchema: SETTINGS_SCHEMAS[kind] ?? z.looseObject({ kind: z.literal(kind) }),
    groupSchema: z.union([
      z.strictObject({ campaign: text }),
      z.strictObject({ list: text }),
      z.strictObject({
        affiliation: z.strictObject({ organization: text, role: text.optional() }),
      }),
      z.strictObject({ column: text, equals: text }),
    ]),
    defaultFields: [],
    open: () => Promise.reject(new Error('settings are checked without opening a connector')),
    check: async () => [],
  };
}

/** Finds the connector for CSV files, and stand-ins for connectors that need an account. */
export async function findAConnector(kind: string): Promise<ConnectorDefinition> {
  if (kind === 'csv') return findConnectorDefinition(kind);
  if (SETTINGS_SCHEMAS[kind] !== undefined) return aConnector(kind);
  throw new ConfigurationError(`there is no connector of the kind "${kind}"`, {
    code: 'connector_unknown',
  });
}

const SETTINGS_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  hubspot: z.strictObject({ kind: z.literal('hubspot'), url: z.url(), auth }),
  salesforce: z.strictObject({
    kind: z.literal('salesforce'),
    url: z.url(),
    auth,
    apiCalls: z.int().min(0).optional(),
    sandbox: z.boolean().optional(),
  }),
};
