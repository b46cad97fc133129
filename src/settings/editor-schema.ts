import { z } from 'zod';
import type { ConnectorDefinition } from '../../connectors/contract.ts';
import type { JsonSchema } from './expectation.ts';
import { settingsSchema } from './settings-schema.ts';

/** A variable, which an editor accepts in place of a number, a boolean, a URL or a fixed word. */
const VARIABLE = {
  type: 'string',
  pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}',
} satisfies JsonSchema;

/** The connector's part of an integration, from its definition's schema. */
type CrmDefinition = Pick<ConnectorDefinition, 'kind' | 'settingsSchema' | 'groupSchema'>;

/**
 * Returns the JSON schema that lets editors complete and check a settings file. The schema contains the file's own
 * schema, and the connector's schema for each kind of CRM. `scripts/write-settings-schema.ts` writes the schema to
 * `config/settings.schema.json`.
 */
export function editorSchema(definitions: readonly CrmDefinition[]): JsonSchema {
  const settings = buildRelaxedSchema(settingsSchema);
  const integrations = settings.properties?.['integrations'];
  const integration = typeof integrations === 'object' ? integrations.items : undefined;
  if (typeof integration !== 'object' || Array.isArray(integration)) {
    throw new Error('the settings have no list of integrations');
  }
  integration.allOf = definitions.map(buildCondition);
  return { $id: 'donor-sync-settings', title: 'Settings of donor-sync', ...settings };
}

/** Returns the schema rules for integrations with this kind of CRM. */
function buildCondition({ kind, settingsSchema, groupSchema }: CrmDefinition): JsonSchema {
  const isKind = { properties: { kind: { const: kind } }, required: ['kind'] };
  const group = withoutDialect(buildRelaxedSchema(groupSchema));
  const crm = withoutDialect(buildRelaxedSchema(settingsSchema));
  const consequence = { properties: { crm, networks: { items: { properties: { group } } } } };
  // Built from entries, because JavaScript treats an object literal with a `then` key like a promise.
  return Object.fromEntries([
    ['if', { properties: { crm: isKind }, required: ['crm'] }],
    ['then', consequence],
  ]);
}

/**
 * Returns the schema of a part of the settings. The schema also allows a variable for every value that is not plain
 * text.
 */
function buildRelaxedSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (!needsVariable(jsonSchema)) return;
      const { default: initial, ...strict } = jsonSchema;
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      jsonSchema.anyOf = [strict, VARIABLE];
      if (initial !== undefined) jsonSchema.default = initial;
    },
  });
}

function needsVariable({ type, pattern, format, enum: choices }: JsonSchema): boolean {
  if (type === 'integer' || type === 'number' || type === 'boolean') return true;
  return pattern !== undefined || format !== undefined || choices !== undefined;
}

/** Removes the name of the schema dialect, because only the schema of the whole file contains the name. */
function withoutDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
